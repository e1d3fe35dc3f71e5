import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Failure: Error, Equatable {
    var rowID: Int64
}

/// The formula of SQLite's documentation, in Swift.
private let swiftBM25 = FTS5AuxiliaryFunction("swiftBM25", ranking: bm25Score)

private func bm25Score(_ match: FTS5MatchContext) throws -> Double {
    let statistics = try match.auxiliaryData { try BM25Statistics(match) }
    var frequencies = [Double](repeating: 0, count: statistics.weights.count)
    try match.forEachInstance { instance in
        frequencies[instance.phrase] += try match.argument(at: instance.column) ?? 1
    }
    let length = try Double(match.tokenCount()) / statistics.averageLength
    var score = 0.0
    for (weight, frequency) in zip(statistics.weights, frequencies) {
        score += weight * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length))
    }
    return -score
}

private struct BM25Statistics {
    var weights: [Double]
    var averageLength: Double

    init(_ match: FTS5MatchContext) throws {
        let rowCount = try Double(match.rowCount())
        averageLength = try Double(match.totalTokenCount()) / rowCount
        weights = try (0..<match.phraseCount).map { phrase in
            let count = try Double(match.rowCount(ofPhrase: phrase))
            return max(1e-6, log((rowCount - count + 0.5) / (count + 0.5)))
        }
    }
}

/// All that a context tells, as text.
private let describe = FTS5AuxiliaryFunction(
    "describe",
    function: { match in
        var lines = [
            """
            row \(match.rowID) of \(try match.rowCount()), columns \(match.columnCount), \
            tokens \(try match.tokenCount()) of \(try match.totalTokenCount())
            """
        ]
        for column in 0..<match.columnCount {
            lines.append(
                """
                column \(column): "\(try match.text(ofColumn: column))" \
                \(try match.tokenCount(ofColumn: column)) of \
                \(try match.totalTokenCount(ofColumn: column)) \
                \(try match.locale(ofColumn: column) ?? "-")
                """)
        }
        for phrase in 0..<match.phraseCount {
            let tokens = try (0..<match.tokenCount(ofPhrase: phrase)).map {
                try match.token(at: $0, ofPhrase: phrase)
            }
            var instances: [String] = []
            try match.forEachInstance(ofPhrase: phrase) {
                instances.append("\($0.column).\($0.offset)")
            }
            lines.append(
                """
                phrase \(phrase): \(tokens) in columns \(try match.columns(ofPhrase: phrase)) at \
                \(instances), in \(try match.rowCount(ofPhrase: phrase)) rows
                """)
        }
        for (index, instance) in try match.instances().enumerated() {
            try expectEqual(match.instance(at: index), instance)
            lines.append(
                """
                instance \(index): phrase \(instance.phrase) \(instance.column).\(instance.offset) \
                \(try match.token(at: 0, ofInstance: index))
                """)
        }
        return lines.joined(separator: "\n")
    })

@Suite(.databases)
struct FTS5AuxiliaryFunctionTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ functions: [FTS5AuxiliaryFunction]
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            for function in functions {
                try db.add(auxiliaryFunction: function)
            }
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title, body, locale = 1);
                    INSERT INTO book(rowid, title, body) VALUES
                        (1, 'Moby Dick', 'call me Ishmael, said the white whale'),
                        (2, 'The whale', 'a whale of a whaler'),
                        (3, 'Nothing', fts5_locale('tr_TR', 'no fish here, but a whale'));
                    """)
        }
        return writer
    }

    /// 10,000 documents, of which some match often, some seldom, some not at all.
    @Test(arguments: DatabaseKind.allCases)
    func aRankingInSwiftEqualsBM25(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, [swiftBM25])
        try writer.write { (db: Database) throws in
            try db.execute(sql: "CREATE VIRTUAL TABLE doc USING fts5(title, body)")
            var generator = SplitMix64(seed: 5)
            let words =
                (0..<200).map { "word\($0)" } + ["rare", "frequent", "frequent", "frequent"]
            let statement = try db.makeStatement(sql: "INSERT INTO doc VALUES (?, ?)")
            func text(_ range: ClosedRange<Int>) -> String {
                (0..<Int.random(in: range, using: &generator))
                    .map { _ in words.randomElement(using: &generator)! }.joined(separator: " ")
            }
            for _ in 0..<10_000 {
                try statement.execute(values: text(0...8), text(0...40))
            }
        }
        try writer.read { (db: Database) throws in
            for (pattern, arguments) in [
                ("rare", ""), ("frequent", ""), ("frequent rare", ", 10.0"),
                ("word1 OR \"word2 word3\" OR word4*", ", 10.0, 0.5"), ("frequent NOT rare", ", 0"),
                ("title : (rare OR word7)", ", '3', 2, 7"),
                ("NEAR(word1 word2, 5) OR word9", ""),
            ] {
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT bm25(doc\(arguments)) AS c, swiftBM25(doc\(arguments)) AS swift
                        FROM doc WHERE doc MATCH ?
                        """, arguments: [pattern])
                #expect(rows.count > 10)
                for row in rows {
                    #expect(abs(row["c"] as Double - row["swift"] as Double) <= 1e-9)
                }
                // As the rank of the query
                let ranked = try Int64.fetchAll(
                    db,
                    sql: """
                        SELECT rowid FROM doc WHERE doc MATCH ? AND rank MATCH ?
                        ORDER BY rank, rowid
                        """, arguments: [pattern, "swiftBM25(\(arguments.dropFirst(2)))"])
                let expected = try Int64.fetchAll(
                    db,
                    sql: """
                        SELECT rowid FROM doc WHERE doc MATCH ?
                        ORDER BY bm25(doc\(arguments)), rowid
                        """, arguments: [pattern])
                expectEqual(ranked, expected)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func contextsTellEverything(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind, [describe])
        try writer.read { (db: Database) throws in
            let texts = try String.fetchAll(
                db,
                sql: """
                    SELECT describe(book) FROM book
                    WHERE book MATCH '"white whale" OR whale* OR fish' ORDER BY rowid
                    """)
            expectEqual(
                texts,
                [
                    """
                    row 1 of 3, columns 2, tokens 9 of 23
                    column 0: "Moby Dick" 2 of 5 -
                    column 1: "call me Ishmael, said the white whale" 7 of 18 -
                    phrase 0: ["white", "whale"] in columns [1] at ["1.5"], in 1 rows
                    phrase 1: ["whale"] in columns [1] at ["1.6"], in 3 rows
                    phrase 2: ["fish"] in columns [] at [], in 1 rows
                    instance 0: phrase 0 1.5 white
                    instance 1: phrase 1 1.6 whale
                    """,
                    """
                    row 2 of 3, columns 2, tokens 7 of 23
                    column 0: "The whale" 2 of 5 -
                    column 1: "a whale of a whaler" 5 of 18 -
                    phrase 0: ["white", "whale"] in columns [] at [], in 1 rows
                    phrase 1: ["whale"] in columns [0, 1] at ["0.1", "1.1", "1.4"], in 3 rows
                    phrase 2: ["fish"] in columns [] at [], in 1 rows
                    instance 0: phrase 1 0.1 whale
                    instance 1: phrase 1 1.1 whale
                    instance 2: phrase 1 1.4 whaler
                    """,
                    """
                    row 3 of 3, columns 2, tokens 7 of 23
                    column 0: "Nothing" 1 of 5 -
                    column 1: "no fish here, but a whale" 6 of 18 tr_TR
                    phrase 0: ["white", "whale"] in columns [] at [], in 1 rows
                    phrase 1: ["whale"] in columns [1] at ["1.5"], in 3 rows
                    phrase 2: ["fish"] in columns [1] at ["1.1"], in 1 rows
                    instance 0: phrase 2 1.1 fish
                    instance 1: phrase 1 1.5 whale
                    """,
                ])
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func phrasesAreQueried(kind: DatabaseKind) throws {
        let function = FTS5AuxiliaryFunction(
            "phraseRows",
            function: { match in
                var rows: [String] = []
                try match.queryPhrase(0) { row in
                    // The outer context stays valid.
                    expectEqual(match.phraseCount, 2)
                    expectEqual(row.phraseCount, 1)
                    expectEqual(row.argumentCount, 0)
                    expectError(DatabaseError.self) { try row.auxiliaryData { 1 } }
                    rows.append("\(row.rowID):\(try row.instanceCount())")
                    return rows.count < 2
                }
                return rows.joined(separator: " ")
            })
        let failing = FTS5AuxiliaryFunction(
            "failingRows",
            function: { match in
                try match.queryPhrase(0) { row in
                    if row.rowID == 2 { throw Failure(rowID: 2) }
                    return true
                }
                return nil
            })
        let writer = try makeWriter(kind, [function, failing])
        try writer.read { (db: Database) throws in
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT phraseRows(book) FROM book('whale AND fish')"),
                ["1:1 2:2"])
            expectError(Failure(rowID: 2)) {
                try Row.fetchAll(db, sql: "SELECT failingRows(book) FROM book('whale')")
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func textsAreTokenized(kind: DatabaseKind) throws {
        let function = FTS5AuxiliaryFunction(
            "marked",
            function: { match in
                let text = try match.text(ofColumn: 1)
                return try match.tokenize(text).map {
                    expectEqual(
                        String(decoding: Array(text.utf8)[$0.range], as: UTF8.self).lowercased(),
                        $0.token)
                    return $0.token
                }.joined(separator: "|")
            })
        let writer = try makeWriter(kind, [function])
        try writer.read { (db: Database) throws in
            try expectEqual(
                String.fetchOne(db, sql: "SELECT marked(book) FROM book('ishmael')"),
                "call|me|ishmael|said|the|white|whale")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func argumentsAndResults(kind: DatabaseKind) throws {
        let function = FTS5AuxiliaryFunction(
            "sum",
            function: { match in
                expectEqual(match.argumentCount, match.arguments.count)
                try expectEqual(match.argument(at: -1), nil)
                try expectEqual(match.argument(at: match.argumentCount), nil)
                if match.argumentCount == 0 { return nil }
                return try (0..<match.argumentCount).map { try match.argument(at: $0)! }
                    .reduce(0, +)
            })
        let echo = FTS5AuxiliaryFunction("echo", function: { $0.arguments.first })
        let writer = try makeWriter(kind, [function, echo])
        try writer.read { (db: Database) throws in
            try expectEqual(
                Row.fetchOne(
                    db,
                    sql: """
                        SELECT sum(book) AS a, sum(book, 1, '2', 3.5) AS b, echo(book, 'é') AS c,
                            echo(book, x'00ff') AS d, echo(book, NULL) AS e, echo(book, 12) AS f
                        FROM book('ishmael')
                        """),
                ["a": nil, "b": 6.5, "c": "é", "d": Data([0, 255]), "e": nil, "f": 12])
        }
    }

    /// Out of range is an error, never a crash.
    @Test(arguments: DatabaseKind.allCases)
    func numbersOutOfRange(kind: DatabaseKind) throws {
        let function = FTS5AuxiliaryFunction(
            "explore",
            function: { match in
                for number in [-1, -2, 3, Int(Int32.max), Int.max, Int.min, 1 << 32] {
                    for (body, what) in [
                        ({ _ = try match.totalTokenCount(ofColumn: number) }, "column"),
                        ({ _ = try match.tokenCount(ofPhrase: number) }, "phrase"),
                        ({ _ = try match.token(at: number, ofPhrase: 0) }, "token"),
                        ({ _ = try match.token(at: 0, ofPhrase: number) }, "token"),
                        ({ _ = try match.tokenCount(ofColumn: number) }, "column"),
                        ({ _ = try match.text(ofColumn: number) }, "column"),
                        ({ _ = try match.locale(ofColumn: number) }, "column"),
                        ({ _ = try match.instance(at: number) }, "instance"),
                        ({ _ = try match.token(at: 0, ofInstance: number) }, "token"),
                        ({ _ = try match.token(at: number, ofInstance: 0) }, "token"),
                        ({ try match.forEachInstance(ofPhrase: number) { _ in } }, "phrase"),
                        ({ _ = try match.columns(ofPhrase: number) }, "phrase"),
                        ({ _ = try match.rowCount(ofPhrase: number) }, "phrase"),
                        ({ try match.queryPhrase(number) { _ in true } }, "phrase"),
                    ] as [(() throws -> Void, String)] {
                        let error = expectError(DatabaseError.self) { try body() }
                        expectEqual(error?.resultCode, .SQLITE_RANGE)
                        expectEqual(
                            error?.message?.hasPrefix(
                                "auxiliary function explore: there is no \(what) "), true)
                    }
                }
                return 1
            })
        let writer = try makeWriter(kind, [function])
        try writer.read { (db: Database) throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT explore(book) FROM book('moby')"), 1)
        }
    }

    @Test(
        arguments: DatabaseKind.allCases,
        [
            "SELECT failing(book) FROM book('whale')",
            "SELECT * FROM book('whale') ORDER BY failing(book)",
            "SELECT * FROM book('whale') WHERE rank MATCH 'failing()' ORDER BY rank",
            "SELECT rank FROM book('whale') WHERE rank MATCH 'failing()'",
            "INSERT INTO other SELECT failing(book) FROM book('whale')",
        ])
    func errorsAreThrown(kind: DatabaseKind, sql: String) throws {
        let function = FTS5AuxiliaryFunction("failing") { match in
            if match.rowID == 2 { throw Failure(rowID: match.rowID) }
            return 1
        }
        let writer = try makeWriter(kind, [function])
        try writer.write { (db: Database) throws in
            try db.execute(sql: "CREATE TABLE other(a)")
            for _ in 1...2 {
                expectError(Failure(rowID: 2)) { try db.execute(sql: sql) }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other"), 0)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book('whale')"), 3)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func databaseErrorsKnowTheStatement(kind: DatabaseKind) throws {
        let function = FTS5AuxiliaryFunction(
            "failing",
            ranking: { _ in
                throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "refused")
            })
        let writer = try makeWriter(kind, [function])
        try writer.write { (db: Database) throws in
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT failing(book) FROM book('whale')")
            }
            expectEqual(
                error?.description,
                """
                SQLite error 19: refused \
                - while executing `SELECT failing(book) FROM book('whale')`
                """)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func auxiliaryDataBelongsToTheQuery(kind: DatabaseKind) throws {
        let living = Counter()
        let made = Counter()
        final class Data {
            let living: Counter
            var count = 0

            init(_ living: Counter) {
                self.living = living
                living.add(1)
            }

            deinit {
                living.add(-1)
            }
        }
        let count = FTS5AuxiliaryFunction(
            "count2",
            function: { match in
                let data = try match.auxiliaryData {
                    made.add(1)
                    return Data(living)
                }
                data.count += 1
                return data.count
            })
        let wrong = FTS5AuxiliaryFunction(
            "wrong",
            function: { match in
                let number = try match.auxiliaryData { 1 }
                expectError(DatabaseError.self) { try match.auxiliaryData { "a" } }
                return number
            })
        let writer = try makeWriter(kind, [count, wrong])
        try writer.read { (db: Database) throws in
            for _ in 1...2 {
                try expectEqual(
                    Int.fetchAll(db, sql: "SELECT count2(book) FROM book('whale')"),
                    [1, 2, 3])
                expectEqual(living.value, 0)
            }
            expectEqual(made.value, 2)
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT wrong(book) FROM book('whale')"),
                [1, 1, 1])
        }
    }

    /// A context that outlives its call is an error, also while another call is under way.
    @Test(arguments: DatabaseKind.allCases)
    func contextsEndWithTheirCalls(kind: DatabaseKind) throws {
        final class Keeper: @unchecked Sendable {
            var context: FTS5MatchContext?
        }
        let keeper = Keeper()
        @Sendable func expectMisuse(_ context: FTS5MatchContext) {
            for body in [
                { _ = try context.rowCount() }, { _ = try context.instances() },
                { _ = try context.text(ofColumn: 0) }, { _ = try context.argument(at: 0) },
                { try context.queryPhrase(0) { _ in true } },
                { _ = try context.auxiliaryData { 1 } }, { _ = try context.tokenize("a") },
            ] as [() throws -> Void] {
                let error = expectError(DatabaseError.self) { try body() }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
                expectEqual(
                    error?.message,
                    """
                    auxiliary function keep: the context of a match was used after the call \
                    that it belongs to
                    """)
            }
            expectEqual(context.rowID, 0)
            expectEqual(context.columnCount, 0)
            expectEqual(context.phraseCount, 0)
            expectEqual(context.arguments, [])
            expectEqual(context.argumentCount, 0)
        }
        let keep = FTS5AuxiliaryFunction(
            "keep",
            function: { match in
                if let context = keeper.context { expectMisuse(context) }
                keeper.context = match
                return match.rowID
            })
        let writer = try makeWriter(kind, [keep])
        try writer.writeWithoutTransaction { (db: Database) throws in
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT keep(book, 1) FROM book('whale')"),
                [1, 2, 3])
            expectMisuse(keeper.context!)
        }
        let error = expectError(DatabaseError.self) { try keeper.context!.rowCount() }
        expectEqual(error?.resultCode, .SQLITE_MISUSE)
        keeper.context = nil
    }

    /// The function of a query that runs inside of a call of the same function.
    @Test(arguments: DatabaseKind.allCases)
    func nestedCalls(kind: DatabaseKind) throws {
        final class Box: @unchecked Sendable { weak var db: Database? }
        let box = Box()
        let function = FTS5AuxiliaryFunction(
            "nested",
            function: { match in
                if match.argumentCount > 0 { return match.rowID }
                let rows = try Int64.fetchAll(
                    box.db!, sql: "SELECT nested(book, 1) FROM book('fish')")
                expectEqual(rows, [3])
                return try match.instanceCount()
            })
        let writer = try makeWriter(kind, [function])
        try writer.writeWithoutTransaction { (db: Database) throws in
            box.db = db
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT nested(book) FROM book('whale')"),
                [1, 2, 1])
        }
    }

    @Test func names() throws {
        let writer = try makeWriter(.queue, [])
        try writer.writeWithoutTransaction { (db: Database) throws in
            for name in ["bm25\0x", String(repeating: "x", count: 256)] {
                let error = expectError(DatabaseError.self) {
                    try db.add(auxiliaryFunction: FTS5AuxiliaryFunction(name) { _ in 1 })
                }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
            }
            // Replaces a function of SQLite, also in statements that were compiled.
            let sql = "SELECT bm25(book) FROM book('moby')"
            #expect(try Double.fetchOne(db, sql: sql)! < 0)
            try db.add(auxiliaryFunction: FTS5AuxiliaryFunction("BM25") { _ in 12 })
            try expectEqual(Double.fetchOne(db, sql: sql), 12)
            let quoted = FTS5AuxiliaryFunction("my \"rank\"") { _ in 13 }
            try db.add(auxiliaryFunction: quoted)
            try expectEqual(
                Double.fetchOne(
                    db,
                    Table("book").matching(FTS5Pattern(matchingAnyTokenIn: "moby"))
                        .select(quoted(1, "a"))),
                13)
        }
        let db = try writer.unsafeRead { $0 }
        expectError(DatabaseError.self) {
            try db.add(auxiliaryFunction: FTS5AuxiliaryFunction("late") { _ in 1 })
        }
    }

    /// SQLite frees the functions with their connection.
    @Test(arguments: DatabaseKind.allCases)
    func functionsAreFreed(kind: DatabaseKind) throws {
        weak var weakObject: AnyObject?
        do {
            final class Captured: Sendable {}
            let object = Captured()
            weakObject = object
            let writer = try makeWriter(
                kind,
                [
                    FTS5AuxiliaryFunction("capturing") { [object] _ in
                        _ = object; return 1
                    }
                ])
            try writer.close()
        }
        expectNil(weakObject)
    }

    /// Contentless tables, and those that know less of positions.
    @Test(
        arguments: DatabaseKind.allCases,
        ["content=''", "detail=column", "detail=none", "columnsize=0", "content='', detail=none"])
    func otherTables(kind: DatabaseKind, option: String) throws {
        let function = FTS5AuxiliaryFunction(
            "look",
            function: { match in
                "\(match.rowID) \(match.phraseCount) \(try match.instanceCount()) "
                    + "\(try match.columns(ofPhrase: 0)) \(try match.text(ofColumn: 0))"
            })
        let writer = try makeWriter(kind, [function])
        try writer.write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(a, b, \(option));
                    INSERT INTO t(rowid, a, b) VALUES (7, 'one two', 'two three two');
                    """)
            let text = option.contains("content") ? "" : "one two"
            let result = try String.fetchOne(db, sql: "SELECT look(t) FROM t('two')")
            if option.contains("none") {
                // Nobody knows in which columns.
                expectEqual(result?.hasPrefix("7 1 "), true)
            } else {
                expectEqual(result, "7 1 3 [0, 1] \(text)")
            }
        }
    }
}
