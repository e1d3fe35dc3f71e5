import GRDB
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
        #expect(Column("a").name == "a")
        #expect(Column(CodingKeys.id).name == "identifier")
        #expect(Column.rowID.name == "rowid")
        #expect(Column.rank.name == "rank")
        #expect(Columns.id.name == "id")
        #expect(Columns.name.name == "full name")
    }

    @Test func columnsReadRows() throws {
        let row: Row = ["id": 1, "full name": "Arthur"]
        #expect(row[Columns.name] == "Arthur")
        #expect(row[Typed(name: "ID")] == 1)
        #expect(row[Column("id")] as (any DatabaseValueConvertible)? as? Int64 == 1)
        let columns: [any ColumnExpression] = [Column("missing"), Typed(name: "id")]
        #expect(row.coalesce(columns) == 1)
    }

    @Test func quotedIdentifiers() {
        #expect("a".quotedDatabaseIdentifier == #""a""#)
        #expect("".quotedDatabaseIdentifier == #""""#)
        #expect(#"a "b""#.quotedDatabaseIdentifier == #""a ""b""""#)
        #expect("é日本".quotedDatabaseIdentifier == #""é日本""#)
    }
}
