import GRDB
import GRDBTestSupport
import Testing

/// Requests that make no sense throw when they run, with the result code `SQLITE_MISUSE`.
@Suite(.databases) struct RequestMisuseTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func aliases() throws {
        let alias = TableAlias<Parcel>()
        try expectFailure(
            Parcel.filter(alias[width] == 1),
            """
            SQLite error 21: undefined table alias: no table of the request is aliased with it
            """)
        let first = TableAlias<Parcel>(name: "p")
        let second = TableAlias<Parcel>(name: "q")
        try expectFailure(
            Parcel.aliased(first).aliased(second),
            "SQLite error 21: the table parcel has two aliases: p and q")
    }

    @Test func emptySelections() throws {
        let message = "SQLite error 21: Can't generate SQL with an empty selection"
        try expectFailure(Parcel.select([]), message)
        try expectFailure(Parcel.select([Column]()), message)
        try expectFailure(Parcel.all().selectWhenConnected { _ in [] }, message)
        try expectFailure(EmptyParcel.all(), message)
        try expectWriteFailure(message) { try Parcel.select([]).fetchCount($0) }
        try expectWriteFailure(message) { try EmptyParcel.all().fetchCount($0) }
    }

    @Test func contradictingArguments() throws {
        try expectFailure(
            Parcel.filter(sql: "width = :v", arguments: ["v": 1])
                .filter(sql: "height = :v", arguments: ["v": 2]),
            """
            SQLite error 21: already defined statement argument: v - while executing \
            `SELECT * FROM "parcel" WHERE (width = :v) AND (height = :v`
            """)
        try expect(
            Parcel.filter(sql: "width = :v", arguments: ["v": 1])
                .filter(sql: "depth = 3 * :v", arguments: ["v": 1]),
            #"SELECT * FROM "parcel" WHERE (width = :v) AND (depth = 3 * :v) ["v": 1]"#,
            "(1, 1, …)")
    }

    @Test func keys() throws {
        func message(_ table: String, _ columns: String) -> String {
            "SQLite error 21: table \(table) has no unique index on columns \(columns)"
        }
        try expectFailure(Parcel.filter(key: ["width": 1]), message("parcel", "width"))
        try expectFailure(Parcel.filter(key: ["volume": 1]), message("parcel", "volume"))
        try expectFailure(Parcel.filter(key: [:]), message("parcel", ""))
        try expectFailure(Courier.filter(key: ["first": "f1"]), message("courier", "first"))
        try expectFailure(Courier.filter(key: ["stars": 1]), message("courier", "stars"))
        try expectFailure(Slot.filter(key: ["shelf": 1]), message("slot", "shelf"))
        try expectFailure(Scan.filter(key: ["width": 1]), message("scan", "width"))
        try expectFailure(ParcelView.filter(key: ["id": 1]), message("parcelView", "id"))
        try expectFailure(ParcelView.filter(key: ["rowid": 1]), message("parcelView", "rowid"))
        let single = """
            SQLite error 21: Filtering by primary key requires a single-column primary key in the \
            table 'slot'
            """
        try expectFailure(Slot.filter(key: 1), single)
        try expectFailure(Slot.filter(keys: [1, 2]), single)
        try expectWriteFailure(message("parcel", "width")) {
            try Parcel.deleteOne($0, key: ["width": 1])
        }
        try expectWriteFailure(single) { try Slot.deleteOne($0, key: 1) }
    }

    @Test func reversedLiterals() throws {
        let message = """
            SQLite error 21: Ordering literals can't be reversed. To resolve this error, order by \
            expression literals instead. For example: order(SQL("(score + bonus)").sqlExpression)
            """
        try expectFailure(Parcel.order(sql: "width").reversed(), message)
        try expectFailure(Parcel.order(sql: "width DESC, height").reversed(), message)
        try expectFailure(Parcel.order(literal: "width").reversed(), message)
        try expectFailure(Parcel.order(SQL("width")).reversed(), message)
    }

    @Test func stableOrdersOfUnknownColumns() throws {
        try expectFailure(
            ParcelView.select(sql: "width").withStableOrder(),
            """
            SQLite error 21: Selection literals don't know how many columns they contain. To \
            resolve this error, select one or several expressions instead.
            """)
    }

    @Test func groupedDeletions() throws {
        let message = "SQLite error 21: Can't delete query with GROUP BY clause"
        try expectWriteFailure(message) { try Parcel.all().group(width).deleteAll($0) }
        try expectWriteFailure(message) {
            try Parcel.all().group(width).having(max(height) > 1).deleteAll($0)
        }
        try expectWriteFailure(message) {
            try Parcel.filter(width == 1).group(width).order(width).limit(1).deleteAll($0)
        }
        try expectWriteFailure(message) { try Slot.all().group(load).deleteAll($0) }
        try expectWriteFailure(message) { try Bin.all().group(load).deleteAll($0) }
        try expectWriteFailure(message) { try Scan.all().group(width).deleteAll($0) }
        try expectWriteFailure(message) { try Hub.all().group(load).deleteAll($0) }
        try expectWriteFailure(message) { try Table("parcel").all().group(width).deleteAll($0) }
        try expectWriteFailure(message) { try Parcel.all().group(width).deleteAndFetchAll($0) }
        // Several rows may have no email, in spite of the unique index.
        try expectWriteFailure(message) { try Courier.all().group(Column("email")).deleteAll($0) }
        try expectWriteFailure(message) {
            try Slot.all().group(Column("shelf"), Column("place")).deleteAll($0)
        }
        try expectWrite(
            "3",
            #"DELETE FROM "courier" WHERE "id" IN (SELECT "id" FROM "courier" GROUP BY "id", "email")"#,
            "courier: "
        ) { try Courier.all().group(id, Column("email")).deleteAll($0) }
    }

    @Test func groupedUpdates() throws {
        let message = "SQLite error 21: Can't update query with GROUP BY clause"
        let request = Parcel.all().group(width)
        try expectWriteFailure(message) { try request.updateAll($0, height.set(to: 5)) }
        try expectWriteFailure(message) {
            try request.having(max(height) > 1).updateAll($0, height.set(to: 5))
        }
        try expectWriteFailure(message) {
            try request.updateAndFetchAll($0, [height.set(to: 5)])
        }
    }

    @Test func emptyReturnedSelectionsAndAssignments() throws {
        let request = Parcel.filter(width == 1)
        try dbQueue.write { db in
            for statement in [
                { try request.deleteAndFetchStatement(db, selection: []) },
                { try request.updateAndFetchStatement(db, [height.set(to: 5)], selection: []) },
                { try request.updateAndFetchStatement(db, [], selection: [width]) },
            ] as [() throws -> Statement] {
                let error = expectError(DatabaseError.self) { try statement() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
            }
            let error = expectError(DatabaseError.self) {
                try request.updateAndFetchAll(db, [])
            }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
        }
    }
}
