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
        expectEqual(row.description, description)
        expectEqual(row.debugDescription, description)
        expectEqual("\(row)", description)
        expectEqual(String(reflecting: row), description)
    }

    @Test func descriptionOfLiterals() {
        expectEqual(Row().description, "[]")
        expectEqual(Row().debugDescription, "[]")
        expectEqual((["zz": 1, "a": nil, "m": "x"] as Row).description, #"[zz:1 a:NULL m:"x"]"#)
        expectEqual((["a": 1, "a": 2] as Row).description, "[a:1 a:2]")
        expectEqual(
            Row(["a": Data(repeating: 0xff, count: 300)]).description, "[a:Data(300 bytes)]")
        expectEqual(Row(["a": String(repeating: "x", count: 100)]).description.count, 106)
    }

    @Test func descriptionOfALiveRow() throws {
        try TestDatabases.makeQueue().write { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            let row = try unwrap(rows.next())
            expectEqual(row.debugDescription, "[a:1]")
            _ = try rows.next()
            expectEqual(row.description, "[a:2]")
        }
    }

    @Test func debugDescriptionShowsTheRawRow() throws {
        let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"
        let row = try fetch(sql, adapter: SuffixRowAdapter(fromIndex: 2))
        expectEqual(row.description, "[c:2 d:3]")
        expectEqual(
            row.debugDescription,
            """
            ▿ [c:2 d:3]
              unadapted: [a:0 b:1 c:2 d:3]
            """)
        expectEqual(row.unadapted.debugDescription, "[a:0 b:1 c:2 d:3]")
    }

    /// An adapter that changes nothing does not show.
    @Test func debugDescriptionOfIdenticalRows() throws {
        let sql = "SELECT 0 AS a, 1 AS b"
        let adapters: [any RowAdapter] = [
            SuffixRowAdapter(fromIndex: 0), RangeRowAdapter(0..<2), ScopeAdapter([:]),
        ]
        for adapter in adapters {
            try expectEqual(fetch(sql, adapter: adapter).debugDescription, "[a:0 b:1]")
        }
    }

    @Test func debugDescriptionShowsScopes() throws {
        let adapter = ScopeAdapter([
            "foo": SuffixRowAdapter(fromIndex: 2),
            "bar": ScopeAdapter(["baz": RangeRowAdapter(1..<2), "none": EmptyRowAdapter()]),
        ])
        let row = try fetch("SELECT 1 AS a, 'two' AS b, NULL AS c", adapter: adapter)
        expectEqual(row.description, #"[a:1 b:"two" c:NULL]"#)
        expectEqual(
            row.debugDescription,
            #"""
            ▿ [a:1 b:"two" c:NULL]
              unadapted: [a:1 b:"two" c:NULL]
              - bar: [a:1 b:"two" c:NULL]
                - baz: [b:"two"]
                - none: []
              - foo: [c:NULL]
            """#)
        expectEqual(row.copy().debugDescription, row.debugDescription)
    }

    @Test func debugDescriptionOfAdaptedAndScopedRows() throws {
        let adapter = SuffixRowAdapter(fromIndex: 1).addingScopes([
            "foo": SuffixRowAdapter(fromIndex: 2),
            "bar": ScopeAdapter(["baz": RangeRowAdapter(1..<2)]),
        ])
        let row = try fetch("SELECT 1 AS a, 'two' AS b, NULL AS c", adapter: adapter)
        expectEqual(
            row.debugDescription,
            #"""
            ▿ [b:"two" c:NULL]
              unadapted: [a:1 b:"two" c:NULL]
              - bar: [a:1 b:"two" c:NULL]
                - baz: [b:"two"]
              - foo: [c:NULL]
            """#)
        expectEqual(
            row.unscoped.debugDescription,
            #"""
            ▿ [b:"two" c:NULL]
              unadapted: [a:1 b:"two" c:NULL]
            """#)
        expectEqual(row.unadapted.debugDescription, #"[a:1 b:"two" c:NULL]"#)
    }
}
