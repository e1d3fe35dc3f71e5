import Foundation

/// Ends the program with an error unless the condition holds.
public func check(_ condition: Bool, _ claim: String) {
    guard condition else {
        FileHandle.standardError.write(Data("FAILED: \(claim)\n".utf8))
        exit(1)
    }
    print("ok: \(claim)")
}

/// Calls a function with a new folder, which is removed afterwards.
public func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("grdb-consumer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}
