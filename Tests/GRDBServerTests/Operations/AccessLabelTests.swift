@testable import GRDBServer
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct AccessLabelTests {
    @Test(arguments: DatabaseKind.allCases)
    func errorsNameTheAccess(kind: DatabaseKind) async throws {
        let writer = try TestDatabases.makeWriter(kind)
        let label =
            "SQLite error 1: no such table: t - while executing `SELECT * FROM t` - in access "
        expectError(label + "list (a.swift:7)") {
            try writer.read(label: "list", file: "a.swift", line: 7) { db in
                try db.execute(sql: "SELECT * FROM t")
            }
        }
        await expectError(label + "list (a.swift:8)") {
            try await writer.read(label: "list", file: "a.swift", line: 8) { db in
                try db.execute(sql: "SELECT * FROM t")
            }
        }
        expectError(label + "add (a.swift:9)") {
            try writer.write(label: "add", file: "a.swift", line: 9) { db in
                try db.execute(sql: "SELECT * FROM t")
            }
        }
        await expectError(label + "add (a.swift:10)") {
            try await writer.write(label: "add", file: "a.swift", line: 10) { db in
                try db.execute(sql: "SELECT * FROM t")
            }
        }
    }

    @Test func valuesComeThrough() async throws {
        let queue = try TestDatabases.makeQueue()
        try await expectEqual(queue.read(label: "a") { _ in 1 }, 1)
        try await expectEqual(queue.write(label: "a") { _ in 2 }, 2)
        await expectError(TestError("no")) {
            try await queue.write(label: "a") { _ in throw TestError("no") }
        }
    }

    @Test func otherErrorsComeThrough() throws {
        let queue = try TestDatabases.makeQueue()
        try expectEqual(queue.read(label: "a") { _ in 1 }, 1)
        try expectEqual(queue.write(label: "a") { _ in 2 }, 2)
        expectError(TestError("no")) {
            try queue.read(label: "a") { _ in throw TestError("no") }
        }
        expectError(DatabaseError.self) {
            try queue.read(label: "a") { try $0.execute(sql: "?") }
        }
        let error = expectError(DatabaseError.self) {
            try queue.read { try $0.execute(sql: "?") }
        }
        expectEqual(error?.accessLabel, nil)
    }
}
