import GRDB
import GRDBTestSupport
import Testing

/// A type of another module that wraps a value.
private struct Wrapper<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

private struct Both<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

// None of these needs a body.
extension Wrapper: SQLSelectable where RawValue: SQLSelectable {}
extension Wrapper: SQLOrderingTerm where RawValue: SQLOrderingTerm {}
extension Wrapper: SQLExpressible where RawValue: SQLExpressible {}
extension Wrapper: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Wrapper: StatementBinding where RawValue: StatementBinding {}
extension Wrapper: StatementColumnConvertible where RawValue: StatementColumnConvertible {}

extension Both: SQLSpecificExpressible where RawValue: SQLSpecificExpressible {}
extension Both: SQLSelectable where RawValue: SQLSelectable {}
extension Both: SQLOrderingTerm where RawValue: SQLOrderingTerm {}
extension Both: SQLExpressible where RawValue: SQLExpressible {}

@Suite(.databases) struct WrappedExpressionTests {
    @Test func wrappersAreWhatTheyWrap() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
            let column = Wrapper(rawValue: Column("a"))
            let both = Both(rawValue: Column("a"))
            try expectSQL("SELECT \"a\" FROM \"t\" ORDER BY \"a\" DESC") {
                let request = Table("t").select(column).order(Wrapper(rawValue: Column("a").desc))
                let values = try Int.fetchAll(db, request)
                expectEqual(values, [2, 1])
            }
            try expectSQL("SELECT \"a\" FROM \"t\" WHERE \"a\" > 1 ORDER BY \"a\"") {
                let request = Table("t").select(both).filter(both > 1).order(both)
                let values = try Int.fetchAll(db, request)
                expectEqual(values, [2])
            }
            try expectEqual(
                Wrapper<Int>.fetchOne(db, sql: "SELECT ?", arguments: [Wrapper(rawValue: 3)])?
                    .rawValue, 3)
        }
    }
}
