import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The databases in which patterns are checked, and texts tokenized, without one of the application.
struct FullTextSandboxTests {
    /// No database is taken for one with other columns, more of which are used than are kept.
    @Test func columnsAreThoseThatAreAllowed() throws {
        func isValid(_ rawPattern: String, _ columns: [String]) -> Bool {
            (try? FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns)) != nil
        }
        let lists = (0..<20).map { number in (0...number).map { "column\($0)" } }
        for _ in 0..<2 {
            for (number, columns) in lists.enumerated() {
                expectTrue(isValid("column\(number): foo", columns))
                expectTrue(!isValid("column\(number + 1): foo", columns))
            }
        }
        // In another order, and of other letters
        expectTrue(isValid("b: foo", ["a", "b"]))
        expectTrue(isValid("a: foo", ["b", "a"]))
        expectTrue(isValid("B: foo", ["a", "b"]))
        expectTrue(isValid("é: foo", ["é"]))
        expectTrue(!isValid("É: foo", ["é"]))
    }

    @Test(arguments: ["content", "a", "document", "rank", "\"\""])
    func patternsWithoutAllowedColumns(_ column: String) throws {
        let error = expectError(DatabaseError.self) {
            try FTS5Pattern(rawPattern: "\(column): foo")
        }
        let name = column == "\"\"" ? "" : column
        expectEqual(error?.message, "no such column: \(name)")
        expectEqual(FTS5Pattern.fromDatabaseValue("\(column): foo".databaseValue), nil)
    }

    /// An error leaves a database as it was.
    @Test func errorsAreNotRemembered() throws {
        for _ in 0..<3 {
            for columns in [["rank"], ["a", "A"], ["a"]] {
                let error = expectError(DatabaseError.self) {
                    try FTS5Pattern(rawPattern: "AND", allowedColumns: columns)
                }
                expectEqual(error?.sql, nil)
                let message =
                    columns == ["a"]
                    ? "fts5: syntax error near \"AND\""
                    : columns == ["rank"] ? "reserved fts5 column name: rank" : nil
                if let message { expectEqual(error?.message, message) }
            }
            _ = try FTS5Pattern(rawPattern: "a: foo", allowedColumns: ["a"])
            expectError(DatabaseError.self) { try FTS3Pattern(rawPattern: "AND") }
            _ = try FTS3Pattern(rawPattern: "foo")
            expectError(DatabaseError.self) {
                try FTS3.tokenize(
                    "foo", withTokenizer: FTS3TokenizerDescriptor(components: ["nope"]))
            }
            try expectEqual(FTS3.tokenize("Foo bars", withTokenizer: .porter), ["foo", "bar"])
            try expectEqual(FTS3.tokenize("Foo bars"), ["foo", "bars"])
        }
    }

    /// SQLite logs what is wrong with a pattern, in the middle of the check.
    @Test func loggersMayMakePatterns() async {
        await #expect(processExitsWith: .success) {
            let patterns = Counter()
            Database.logError = { _, _ in
                let pattern = try? FTS5Pattern(rawPattern: "foo OR bar")
                let fts3Pattern = try? FTS3Pattern(rawPattern: "foo OR bar")
                let tokens = try? FTS3.tokenize("foo bar")
                if pattern != nil, fts3Pattern != nil, tokens == ["foo", "bar"] {
                    patterns.add(1)
                }
            }
            for _ in 0..<3 {
                precondition((try? FTS5Pattern(rawPattern: "AND")) == nil)
                precondition((try? FTS3Pattern(rawPattern: "AND")) == nil)
            }
            precondition(patterns.value >= 3)
        }
    }

    @Test func manyThreads() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<50 {
                        let column = "column\((task + number) % 9)"
                        _ = try FTS5Pattern(
                            rawPattern: "\(column): foo", allowedColumns: [column])
                        expectError(DatabaseError.self) {
                            try FTS5Pattern(rawPattern: "other: foo", allowedColumns: [column])
                        }
                        _ = try FTS3Pattern(rawPattern: "foo")
                        let tokens = try FTS3.tokenize("Foo bars", withTokenizer: .porter)
                        expectEqual(tokens, ["foo", "bar"])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A child opens databases of its own.
    @Test func forkedChildrenMakePatterns() async {
        await #expect(processExitsWith: .success) {
            typealias Fork = @convention(c) () -> pid_t
            // Not by its name, which Swift does not let through.
            let fork = unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "fork")!, to: Fork.self)
            func makesPatterns() -> Bool {
                guard (try? FTS5Pattern(rawPattern: "a: foo", allowedColumns: ["a"])) != nil,
                    (try? FTS5Pattern(rawPattern: "AND")) == nil,
                    (try? FTS3Pattern(rawPattern: "foo")) != nil
                else { return false }
                return (try? FTS3.tokenize("Foo")) == ["foo"]
            }
            precondition(makesPatterns())
            let pid = fork()
            if pid == 0 { _exit(makesPatterns() && makesPatterns() ? 0 : 1) }
            var status: CInt = 0
            waitpid(pid, &status, 0)
            precondition(status == 0)
            precondition(makesPatterns())
        }
    }
}
