import GRDB
import GRDBTestSupport
import Testing

@Suite struct ColumnTests {
    private enum Columns: String, ColumnExpression {
        case id
        case name = "full name"
    }

    private struct Typed: ColumnExpression {
        var name: String
    }

    private enum CodingKeys: String, CodingKey {
        case id = "identifier"
    }

    @Test func names() {
        expectEqual(Column("a").name, "a")
        expectEqual(Column(CodingKeys.id).name, "identifier")
        expectEqual(Column.rowID.name, "rowid")
        expectEqual(Column.rank.name, "rank")
        expectEqual(Columns.id.name, "id")
        expectEqual(Columns.name.name, "full name")
    }

    @Test func columnsReadRows() throws {
        let row: Row = ["id": 1, "full name": "Arthur"]
        expectEqual(row[Columns.name], "Arthur")
        expectEqual(row[Typed(name: "ID")], 1)
        expectEqual(row[Column("id")] as (any DatabaseValueConvertible)? as? Int64, 1)
        let columns: [any ColumnExpression] = [Column("missing"), Typed(name: "id")]
        expectEqual(row.coalesce(columns), 1)
    }

    @Test func quotedIdentifiers() {
        expectEqual("a".quotedDatabaseIdentifier, #""a""#)
        expectEqual(
            "".quotedDatabaseIdentifier,
            #""""#)
        expectEqual(#"a "b""#.quotedDatabaseIdentifier, #""a ""b""""#)
        expectEqual("é日本".quotedDatabaseIdentifier, #""é日本""#)
    }
}
