import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowDescriptionTests {
    private func fetch(_ sql: String, adapter: (any RowAdapter)? = nil) throws -> Row {
        try TestDatabases.makeQueue().write { db in
            try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
        }
    }

    @Test func descriptionShowsColumnsAndValues() throws {
        let row = try fetch(
            """
            SELECT 1 AS a, 2.5 AS b, 'x''"y' AS c, NULL AS d, x'' AS e, x'010203' AS f,
            'abc' AS "sp ace"
            """)
        let description =
            #"[a:1 b:2.5 c:"x\'\"y" d:NULL e:Data(0 bytes) f:Data(3 bytes) sp ace:"abc"]"#
        #expect(row.description == description)
        #expect(row.debugDescription == description)
        #expect("\(row)" == description)
        #expect(String(reflecting: row) == description)
    }

    @Test func descriptionOfLiterals() {
        #expect(Row().description == "[]")
        #expect(Row().debugDescription == "[]")
        #expect((["zz": 1, "a": nil, "m": "x"] as Row).description == #"[zz:1 a:NULL m:"x"]"#)
        #expect((["a": 1, "a": 2] as Row).description == "[a:1 a:2]")
        #expect(Row(["a": Data(repeating: 0xff, count: 300)]).description == "[a:Data(300 bytes)]")
        #expect(Row(["a": String(repeating: "x", count: 100)]).description.count == 106)
    }

    @Test func descriptionOfALiveRow() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            let row = try #require(try rows.next())
            #expect(row.debugDescription == "[a:1]")
            _ = try rows.next()
            #expect(row.description == "[a:2]")
        }
    }

    @Test func debugDescriptionShowsTheRawRow() throws {
        let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"
        let row = try fetch(sql, adapter: SuffixRowAdapter(fromIndex: 2))
        #expect(row.description == "[c:2 d:3]")
        #expect(
            row.debugDescription == """
                ▿ [c:2 d:3]
                  unadapted: [a:0 b:1 c:2 d:3]
                """)
        #expect(row.unadapted.debugDescription == "[a:0 b:1 c:2 d:3]")
    }

    /// An adapter that changes nothing does not show.
    @Test func debugDescriptionOfIdenticalRows() throws {
        let sql = "SELECT 0 AS a, 1 AS b"
        let adapters: [any RowAdapter] = [
            SuffixRowAdapter(fromIndex: 0), RangeRowAdapter(0..<2), ScopeAdapter([:]),
        ]
        for adapter in adapters {
            try #expect(fetch(sql, adapter: adapter).debugDescription == "[a:0 b:1]")
        }
    }

    @Test func debugDescriptionShowsScopes() throws {
        let adapter = ScopeAdapter([
            "foo": SuffixRowAdapter(fromIndex: 2),
            "bar": ScopeAdapter(["baz": RangeRowAdapter(1..<2), "none": EmptyRowAdapter()]),
        ])
        let row = try fetch("SELECT 1 AS a, 'two' AS b, NULL AS c", adapter: adapter)
        #expect(row.description == #"[a:1 b:"two" c:NULL]"#)
        #expect(
            row.debugDescription == #"""
                ▿ [a:1 b:"two" c:NULL]
                  unadapted: [a:1 b:"two" c:NULL]
                  - bar: [a:1 b:"two" c:NULL]
                    - baz: [b:"two"]
                    - none: []
                  - foo: [c:NULL]
                """#)
        #expect(row.copy().debugDescription == row.debugDescription)
    }

    @Test func debugDescriptionOfAdaptedAndScopedRows() throws {
        let adapter = SuffixRowAdapter(fromIndex: 1).addingScopes([
            "foo": SuffixRowAdapter(fromIndex: 2),
            "bar": ScopeAdapter(["baz": RangeRowAdapter(1..<2)]),
        ])
        let row = try fetch("SELECT 1 AS a, 'two' AS b, NULL AS c", adapter: adapter)
        #expect(
            row.debugDescription == #"""
                ▿ [b:"two" c:NULL]
                  unadapted: [a:1 b:"two" c:NULL]
                  - bar: [a:1 b:"two" c:NULL]
                    - baz: [b:"two"]
                  - foo: [c:NULL]
                """#)
        #expect(
            row.unscoped.debugDescription == #"""
                ▿ [b:"two" c:NULL]
                  unadapted: [a:1 b:"two" c:NULL]
                """#)
        #expect(row.unadapted.debugDescription == #"[a:1 b:"two" c:NULL]"#)
    }
}
