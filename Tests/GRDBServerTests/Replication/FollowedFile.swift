@testable import GRDBServer
import Foundation
import GRDB
import GRDBTestSupport

/// A copy of a database that is kept up to date as `litestream restore -f` does it: pages are written in
/// place, the change counter of the file stays as it is, and the ID of the transaction follows.
///
/// All is done in this process, where SQLite's locks of the file have no effect. Tests therefore never
/// apply a transaction while another thread reads.
final class FollowedFile: Sendable {
    let source: DatabaseQueue
    let path: String
    var transactionIDPath: String { path + "-txid" }

    init() throws {
        source = try TestDatabases.makeQueue(.file)
        path = TestDatabases.makePath("replica.sqlite")
    }

    func write(_ updates: (Database) throws -> Void) throws {
        try source.write(updates)
    }

    /// Copies the source into another file, and renames it.
    func restore(_ id: UInt64) throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: source.path))
        try content.write(to: URL(fileURLWithPath: path), options: .atomic)
        try writeID(id)
    }

    /// Writes the pages of the source into the file.
    func apply(_ id: UInt64) throws {
        try applyPages()
        try writeID(id)
    }

    func applyPages() throws {
        var content = try Data(contentsOf: URL(fileURLWithPath: source.path))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        // The change counter.
        try file.seek(toOffset: 24)
        content.replaceSubrange(24..<28, with: try file.read(upToCount: 4)!)
        try file.seek(toOffset: 0)
        try file.write(contentsOf: content)
        try file.truncate(atOffset: UInt64(content.count))
    }

    func writeID(_ id: UInt64) throws {
        let digits = String(id, radix: 16)
        let text = String(repeating: "0", count: 16 - digits.count) + digits + "\n"
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: transactionIDPath), options: .atomic)
    }

    /// Has the ID look older than the database.
    func ageID(by seconds: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
            ofItemAtPath: transactionIDPath)
    }
}
