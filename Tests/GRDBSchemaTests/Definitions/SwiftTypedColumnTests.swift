import Foundation
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

/// Columns whose declaration comes from a Swift type.
@Suite struct SwiftTypedColumnTests {
    @Test func typeAndNullabilityComeFromTheSwiftType() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.column("id", of: Int64.self).primaryKey()
                t.column("name", of: String.self)
                t.column("score", of: Int?.self)
                t.column("isActive", of: Bool.self).defaults(to: true)
                t.column(Column("birthDate"), of: Date?.self)
                t.column("token", of: UUID.self).unique()
                t.column("photo", of: Data?.self)
                t.column("rating", of: Double.self)
            }
            let columns = try db.columns(in: "player")
            expectEqual(
                columns.map(\.type),
                [
                    "INTEGER", "TEXT", "INTEGER", "BOOLEAN", "DATETIME", "BLOB", "BLOB", "DOUBLE",
                ])
            expectEqual(
                columns.map(\.isNotNull),
                [
                    true, true, false, true, false, true, false, true,
                ])
        }
    }
}
