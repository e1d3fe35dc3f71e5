import Foundation

@testable import TextSearch

/// A folder of the temporary folder, removed when the test is over.
final class TestFolder {
    /// Without symbolic links.
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("TextSearchTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let real = realpath(url.path, nil)!
        path = String(cString: real)
        free(real)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    subscript(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and makes the folders around it.
    func write(_ name: String, _ text: String) throws {
        try write(name, bytes: Array(text.utf8))
    }

    func write(_ name: String, bytes: [UInt8]) throws {
        let url = URL(fileURLWithPath: self[name])
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Gives a file a new date, as if it had been written that many seconds later.
    func touch(_ name: String, seconds: Int) throws {
        let status = try FileStatus(path: self[name])
        let date = Date(timeIntervalSince1970: Double(status.modified) / 1e9 + Double(seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: self[name])
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: self[name])
    }
}
