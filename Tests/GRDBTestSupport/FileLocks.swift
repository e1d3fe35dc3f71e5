#if os(Linux)
import Foundation

/// The POSIX locks of a process on the files of a database, as the kernel reports them.
public struct FileLocks: CustomStringConvertible {
    /// The locks, separated by commas, such as `-shm WRITE 120-120`.
    public let description: String

    /// Whether there is an exclusive lock, which blocks other processes.
    public let hasWriteLock: Bool

    /// Whether there are no locks.
    public let isEmpty: Bool

    /// Reads the locks of this process on a database file, and on its journal, WAL and shared
    /// memory.
    public init(path: String) throws {
        var suffixes: [UInt64: String] = [:]
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            if let number = attributes?[.systemFileNumber] as? NSNumber {
                suffixes[number.uint64Value] = suffix.isEmpty ? "main" : suffix
            }
        }
        // Other tests lock and unlock, and the kernel goes on with the next page at the number of a lock: a lock can
        // be missing in one reading.
        var locks = try Self.read(suffixes)
        while true {
            let again = try Self.read(suffixes)
            if again == locks { break }
            locks = again
        }
        description = locks.joined(separator: ", ")
        hasWriteLock = locks.contains { $0.contains("WRITE") }
        isEmpty = locks.isEmpty
    }

    private static func read(_ suffixes: [UInt64: String]) throws -> [String] {
        let process = String(ProcessInfo.processInfo.processIdentifier)
        var locks: [String] = []
        // `String(contentsOfFile:)` would end after one page: the kernel reports no size of this file.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/locks"))
        var table = Data()
        while let part = try file.read(upToCount: 65_536), !part.isEmpty { table.append(part) }
        try file.close()
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            // 3: POSIX  ADVISORY  WRITE 27538 fe:00:5996940 1073741824 1073742335
            let fields = line.split(separator: " ")
            guard fields.count == 8, fields[1] == "POSIX", fields[4] == process,
                let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                let suffix = suffixes[inode]
            else { continue }
            locks.append("\(suffix) \(fields[3]) \(fields[6])-\(fields[7])")
        }
        return locks.sorted()
    }
}
#endif
