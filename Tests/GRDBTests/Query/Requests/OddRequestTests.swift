import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Odd names, many values, deep nesting, and tables of other schemas.
@Suite(.databases) struct OddRequestTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    // MARK: - Names

    @Test func oddNames() throws {
        let name = #"select "from" [t]; -- é"#
        let key = #"order "by""#
        let other = "a'b?c"
        let table = Table(name)
        try dbQueue.write { db in
            try db.create(table: name) { t in
                t.primaryKey(key, .integer)
                t.column(other, .integer)
            }
            for number in 1...3 {
                try db.execute(
                    literal: "INSERT INTO \(table) VALUES (\(number), \(number * 10))")
            }
            let alias = TableAlias<Row>(name: #"x"y"#)
            let request = table.aliased(alias)
                .filter(Column(other) > 10 && alias[key] != nil)
                .filter(table.filter(Column(other) < alias[other]).exists())
                .group(Column(key)).having(max(Column(other)) > 0)
                .order(Column(other).desc).withStableOrder()
                .select(Column(key).forKey(#"k"k"#), Column(other))
            try expectEqual(
                request.fetchAll(db),
                [[#"k"k"#: 3, other: 30], [#"k"k"#: 2, other: 20]])
            try expectEqual(request.fetchCount(db), 2)
            try expectEqual(table.filter(key: 2).fetchOne(db)?[other], 20)
            try expectEqual(table.filter(keys: [[key: 2], [key: 3]]).fetchCount(db), 2)
            try expectEqual(table.selectPrimaryKey(as: Int.self).fetchAll(db), [1, 2, 3])
            try expectEqual(
                table.order(Column(key)).limit(2).updateAll(db, Column(other) += 1),
                2)
            try expectEqual(table.order(Column(key).desc).limit(1).deleteAll(db), 1)
            try expectEqual(Int.fetchAll(db, table.select(Column(other))), [11, 21])
            try expectEqual(
                table.select(.allColumns(excluding: [key])).fetchAll(db),
                [[other: 11], [other: 21]])
            let cte = CommonTableExpression(
                named: #"c"t"e"#, columns: [#"1"2"#], request: table.select(Column(other)))
            try expectEqual(cte.all().with(cte).fetchAll(db), [[#"1"2"#: 11], [#"1"2"#: 21]])
            try expectEqual(
                table.with(cte).filter(cte.contains(Column(other))).fetchCount(db),
                2)
        }
    }

    /// A column may have the name of the rowid.
    @Test func columnsNamedLikeTheRowID() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE mark (id INTEGER PRIMARY KEY, rowid TEXT);
                    INSERT INTO mark VALUES (1, 5), (2, 5);
                    """)
            let request = Table("mark").filter(Column.rowID == "5")
            try expectEqual(request.fetchCount(db), 2)
            try expectSQL(of: db, #"SELECT * FROM "mark" WHERE "rowid" = '5' LIMIT 1"#) {
                _ = try request.fetchOne(db)
            }
            let region = try Table("mark").filter(Column.rowID == 5).databaseRegion(db)
            expectEqual("\(region)", "mark(id,rowid)")
        }
    }

    /// Columns may have all names of the rowid. Then only a primary key tells the rows.
    @Test func hiddenRowIDs() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE keyless (rowid TEXT, _rowid_ TEXT, oid TEXT);
                    INSERT INTO keyless VALUES ('a', 'a', 'a'), ('a', 'a', 'a');
                    CREATE TABLE loose (rowid TEXT PRIMARY KEY, _rowid_ TEXT, oid TEXT);
                    INSERT INTO loose VALUES (NULL, 'a', 'a'), (NULL, 'a', 'a');
                    CREATE TABLE keyed (
                      rowid TEXT NOT NULL, _rowid_ TEXT, oid INT NOT NULL, PRIMARY KEY (rowid, oid));
                    INSERT INTO keyed VALUES ('a', 'a', 1), ('a', 'a', 2);
                    """)
            for name in ["keyless", "loose"] {
                expectError(
                    """
                    SQLite error 21: Can't identify the rows of the table \(name): its columns hide \
                    the rowid, and it has no primary key without NULL
                    """
                ) { try Table(name).limit(1).deleteAll(db) }
                try expectEqual(Table(name).fetchCount(db), 2)
                try expectEqual(Table(name).deleteAll(db), 2)
            }
            let keyed = Table("keyed").order(Column("oid"))
            try expectEqual(keyed.limit(1).updateAll(db, Column("_rowid_").set(to: "b")), 1)
            try expectEqual(keyed.limit(1).deleteAll(db), 1)
            try expectEqual(keyed.fetchAll(db), [["rowid": "a", "_rowid_": "a", "oid": 2]])
        }
    }

    // MARK: - Many values

    @Test(arguments: [5, 999, 30_000]) func manyValues(count: Int) throws {
        try dbQueue.write { db in
            let numbers = Array(-count..<3)
            try expectEqual(Parcel.filter(numbers.contains(id)).fetchCount(db), 2)
            try expectEqual(Parcel.filter(!numbers.contains(id)).fetchCount(db), 1)
            let labels = numbers.map { "label \($0)" } + ["alpha"]
            try expectEqual(Parcel.filter(labels.contains(label)).fetchCount(db), 1)
            let reals = numbers.map { Double($0) + 0.5 }
            try expectEqual(Parcel.filter(reals.contains(weight)).fetchCount(db), 2)
            try expectEqual(Parcel.filter(ids: numbers.map(Int64.init)).fetchCount(db), 2)
            try expectEqual(Parcel.fetchAll(db, keys: numbers).map(\.id), [1, 2])
            // NULL is in no list, and nothing is known to be out of a list with NULL.
            let optionals: [Int?] = numbers + [nil]
            try expectEqual(Parcel.filter(optionals.contains(id)).fetchCount(db), 2)
            try expectEqual(Parcel.filter(!optionals.contains(id)).fetchCount(db), 0)
            try expectEqual(Parcel.filter(ids: numbers.map(Int64.init)).deleteAll(db), 2)
        }
    }

    @Test func manyUniqueKeys() throws {
        try dbQueue.write { db in
            let keys = (1...3000).map { ["email": "e\($0)"] }
            try expectEqual(Courier.filter(keys: keys).fetchCount(db), 3)
            try expectEqual(Courier.filter(keys: keys).deleteAll(db), 3)
        }
    }

    @Test func manyKeysOfOneColumn() throws {
        try dbQueue.write { db in
            let keys = (0..<40_000).map { ["id": $0] }
            try expectSQL(
                of: db,
                #"SELECT COUNT(*) FROM "parcel" WHERE "id" IN (SELECT +value FROM carray(NULL))"#
            ) {
                try expectEqual(Parcel.filter(keys: keys).fetchCount(db), 3)
            }
            try expectEqual(
                Parcel.filter(keys: keys.map { $0["id"] == 2 ? ["id": nil] : $0 as [String: Int?] })
                    .fetchCount(db),
                2)
            try db.execute(sql: "UPDATE courier SET email = NULL WHERE email = 'e2'")
            let emails: [[String: String?]] = (1...200).map { ["email": $0 == 2 ? nil : "e\($0)"] }
            try expectEqual(Courier.filter(keys: emails).fetchCount(db), 3)
            let unknown = (0..<200).map { ["stars": $0] }
            expectError(
                "SQLite error 21: table courier has no unique index on columns stars"
            ) { try Courier.filter(keys: unknown).fetchCount(db) }
        }
    }

    // MARK: - Deep nesting

    @Test func longConditions() throws {
        try dbQueue.write { db in
            let conditions = (0..<3000).map { id != -$0 - 1 }
            try expectEqual(Parcel.filter(conditions.joined(operator: .and)).fetchCount(db), 3)
            let choices = (0..<3000).map { id == $0 }
            try expectEqual(Parcel.filter(choices.joined(operator: .or)).fetchCount(db), 3)
            var request = Parcel.all()
            for condition in conditions {
                request = request.filter(condition)
            }
            try expectEqual(request.fetchCount(db), 3)
        }
    }

    @Test func deepExpressions() throws {
        try dbQueue.write { db in
            var expression: SQLExpression = id.sqlExpression
            for _ in 0..<300 {
                expression = (expression + 1) - 1
            }
            try expectEqual(Int.fetchAll(db, Parcel.select(expression)), [1, 2, 3])
            var negated: SQLExpression = id.sqlExpression
            for _ in 0..<201 {
                negated = !negated
            }
            try expectEqual(Int.fetchAll(db, Parcel.select(negated)), [0, 0, 0])
        }
    }

    @Test func deepSubqueries() throws {
        try dbQueue.write { db in
            var request = Parcel.filter(width == 10)
            for _ in 0..<30 {
                request = Parcel.filter(request.select(id).contains(id))
            }
            try expectEqual(request.fetchOne(db)?.id, 2)
            // Each query refers to the one around it, which has the same name.
            let outer = TableAlias<Parcel>()
            let middle = TableAlias<Parcel>()
            let inner = TableAlias<Parcel>()
            let nested = Parcel.aliased(outer).filter(
                Parcel.aliased(middle).filter(
                    middle[id] > outer[id]
                        && Parcel.aliased(inner).filter(
                            inner[id] > middle[id] && inner[id] > outer[id]
                        ).exists()
                ).exists())
            try expectEqual(nested.fetchAll(db).map(\.id), [1])
            try expectEqual(nested.fetchCount(db), 1)
            try expectEqual(nested.isEmpty(db), false)
            try expectEqual(nested.deleteAll(db), 1)
        }
    }

    @Test func commonTablesInSubqueriesOfJoins() throws {
        let stars = CommonTableExpression(
            named: "stars", columns: ["number"], request: Courier.select(Column("stars")))
        let big = CommonTableExpression(
            named: "big", request: Courier.filter(Column("stars") > 1))
        let association = Parcel.association(
            to: stars,
            on: { parcel, stars in
                parcel[Column("id")] == stars["number"]
                    && big.all().with(big).select(Column("id")).contains(stars["number"])
            })
        let request = Parcel.with(stars).joining(required: association).order(id)
        try dbQueue.write { db in
            try expectEqual(request.fetchAll(db).map(\.id), [2, 3])
            try expectEqual(request.fetchCount(db), 2)
            try expectEqual(request.deleteAll(db), 2)
        }
    }

    // MARK: - Values

    @Test func unusualNumbers() throws {
        // NaN is NULL for SQLite.
        try expect(weight == Double.nan, #""weight" = ? [nan]"#, "NULL | NULL | NULL")
        try dbQueue.write { db in
            try expectEqual(Parcel.filter(weight < Double.infinity).fetchCount(db), 2)
            try expectEqual(Parcel.filter(weight > -Double.infinity).fetchCount(db), 2)
            try expectEqual(
                Parcel.filter((-Double.infinity...0).contains(weight)).fetchCount(db), 1)
            try expectEqual(Parcel.filter(id < Int64.max && id > Int64.min).fetchCount(db), 3)
            try expectEqual(Parcel.filter(width == "").fetchCount(db), 0)
            try expectEqual(Parcel.filter(label == "alpha\0").fetchCount(db), 0)
            try expectEqual(Parcel.filter(label != "alpha\0").fetchCount(db), 2)
        }
    }

    // MARK: - Comparisons of columns

    /// Columns are expressions before all: comparing two of them is no Boolean.
    @Test func comparedColumnsAreExpressions() throws {
        try expect(
            [width == height, height == depth].joined(operator: .or),
            #"("width" = "height") OR ("height" = "depth")"#)
        try expect(
            (width == height) + (height == depth), #"("width" = "height") + ("height" = "depth")"#,
            "0 | 0 | NULL")
        try expect(
            max(width, height == depth), #"MAX("width", "height" = "depth")"#, "1 | 10 | NULL")
        try expect(
            width ?? (height == depth), #"IFNULL("width", "height" = "depth")"#, "1 | 10 | NULL")
        try expect(
            [1, 2].contains(width == height), #"("width" = "height") IN (?, ?) [1, 2]"#,
            "0 | 0 | NULL")
        try expectWrite(
            "1", #"UPDATE "parcel" SET "height" = "width" = "depth" WHERE "id" = 1"#,
            "parcel: (1, 1, 0, 3) (2, 10, 20, 7) (3, NULL, NULL, NULL)"
        ) {
            try Parcel.filter(id == 1).updateAll($0, height.set(to: width == depth))
        }
    }

    // MARK: - Schemas

    @Test func attachedSchemas() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS aux;
                    CREATE TABLE aux.parcel (code TEXT PRIMARY KEY, weight);
                    INSERT INTO aux.parcel VALUES ('A', 1), ('B', 2), ('C', 3);
                    CREATE VIEW aux.heavy AS SELECT * FROM aux.parcel WHERE weight > 1;
                    """)
            let table = Table("parcel", in: "aux")
            let code = Column("code")
            func codes(_ request: QueryInterfaceRequest<Row>) throws -> [String] {
                try String.fetchAll(db, request.select(code))
            }
            try expectSQL(
                of: db,
                """
                SELECT "code" FROM "aux"."parcel" WHERE "code" = 'B'
                SELECT "code" FROM "aux"."parcel" WHERE "code" = 'B'
                SELECT "code" FROM "aux"."parcel" WHERE "code" IN ('A', 'C')
                SELECT "code" FROM "aux"."parcel" ORDER BY "weight" DESC, "code"
                SELECT "code" FROM "aux"."parcel" ORDER BY "code" DESC
                SELECT "code" FROM "aux"."parcel" GROUP BY "rowid"
                SELECT COUNT(*) FROM "aux"."parcel"
                SELECT EXISTS (SELECT * FROM "aux"."parcel")
                SELECT "weight" FROM "aux"."parcel" WHERE "code" = 'A'
                SELECT "code" FROM "aux"."heavy" ORDER BY 1
                """
            ) {
                try expectEqual(codes(table.filter(key: "B")), ["B"])
                try expectEqual(codes(table.filter(key: ["code": "B"])), ["B"])
                try expectEqual(codes(table.filter(keys: ["A", "C"])), ["A", "C"])
                try expectEqual(codes(table.order(weight.desc).withStableOrder()), ["C", "B", "A"])
                try expectEqual(codes(table.orderByPrimaryKey().reversed()), ["C", "B", "A"])
                try expectEqual(codes(table.all().groupByPrimaryKey()).count, 3)
                try expectEqual(table.fetchCount(db), 3)
                try expectTrue(!table.all().isEmpty(db))
                // The key of this table, not that of main.
                try expectEqual(Int.fetchOne(db, table.filter(key: "A").select(weight)), 1)
                try expectEqual(
                    codes(Table("heavy", in: "aux").all().withStableOrder()),
                    ["B", "C"])
            }
            expectError(DatabaseError.self) { try codes(table.filter(key: ["id": 1])) }
            try expectEqual(
                codes(table.filter(Table("parcel").select(Column("id")).contains(weight))).count,
                3)
            try expectEqual(codes(table.select(.allColumns(excluding: ["weight"]))).count, 3)
            try expectEqual(
                Row.fetchOne(db, table.select(.allColumns(excluding: ["weight"]))),
                ["code": "A"])
            try expectSQL(
                of: db,
                """
                UPDATE "aux"."parcel" SET "weight" = "weight" * 2 WHERE "rowid" IN \
                (SELECT "rowid" FROM "aux"."parcel" ORDER BY "weight" DESC LIMIT 1)
                DELETE FROM "aux"."parcel" WHERE "code" = 'B'
                """
            ) {
                try expectEqual(table.order(weight.desc).limit(1).updateAll(db, weight *= 2), 1)
                try expectEqual(table.filter(key: "B").deleteAll(db), 1)
            }
            try expectEqual(Int.fetchAll(db, table.select(weight)), [1, 6])
            try expectEqual(Parcel.fetchCount(db), 3)
        }
    }

    /// Expects some SQL, apart from that which reads the schema.
    private func expectSQL(
        of db: Database, _ sql: String, line: Int = #line,
        _ body: () throws -> Void
    ) rethrows {
        let statements = try TestDatabases.sql(of: body)
            .filter { !$0.hasPrefix("PRAGMA") && !$0.contains("_master") }
        GRDBTestSupport.expectSQL(statements.joined(separator: "\n"), equals: sql, line: line)
    }
}
