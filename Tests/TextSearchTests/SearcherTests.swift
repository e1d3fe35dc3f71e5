import Foundation
import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct SearcherTests {
    private func makeIndex(_ texts: [String: String]) throws -> TestIndex {
        let files = try TestIndex()
        for (name, text) in texts { try files.folder.write(name, text) }
        try files.update()
        return files
    }

    @Test func namesAreFoundByTheirParts() throws {
        let files = try makeIndex([
            "camel": "databaseWillChange()", "snake": "database_will_change",
            "plain": "the database will change", "lower": "databasewillchange",
            "other": "change the database, will you",
        ])
        let phrase: Set = ["camel", "snake", "plain"]
        expectEqual(Set(try files.search("\"will change\"")), phrase)
        expectEqual(Set(try files.search("database_will_change")), phrase)
        expectEqual(Set(try files.search("databaseWillChange")), phrase.union(["lower"]))
        expectEqual(Set(try files.search("DatabaseWillCh*")), phrase.union(["lower"]))
        expectEqual(Set(try files.search("databasewillchange")), ["camel", "lower"])
        expectEqual(Set(try files.search("database will")), phrase.union(["other"]))
        expectTrue(Set(try files.search("database -camel -plain")).isSuperset(of: ["snake"]))
    }

    @Test func caseAndAccentsMakeNoDifference() throws {
        let files = try makeIndex(["a": "Le Café d'Été"])
        try expectEqual(files.search("CAFE ete"), ["a"])
        try expectEqual(files.search("cafe\u{301}"), ["a"])
    }

    @Test func exclusionsAndPrefixes() throws {
        let files = try makeIndex(["a": "alpha beta", "b": "alpha gamma", "c": "alphabet"])
        expectEqual(Set(try files.search("alpha -gamma")), ["a"])
        expectEqual(Set(try files.search("alpha*")), ["a", "b", "c"])
        try expectEqual(files.search("\"alpha ga\"*"), ["b"])
        try expectEqual(files.search("-gamma"), ["a", "c"])
        try expectEqual(files.search("-gamma -alphabet"), ["a"])
        try expectEqual(files.search("-alpha*"), [])
        // Nothing to exclude: a dash, and punctuation.
        try expectEqual(files.search("- -\"!\""), [])
    }

    @Test func searchesInAFolderFindItsFilesOnly() throws {
        let files = try makeIndex(["one/a": "word", "one/b": "other", "one2/a": "word", "c": "x"])
        func search(_ query: String, in folder: String) throws -> [String] {
            let searcher = Searcher(
                index: files.index, limit: 10, isRaw: false, folder: files.folder[folder])
            let results = try unwrap(searcher.search(query))
            expectEqual(results.count, results.best.count)
            return results.best.map { $0.path.dropping(files.folder.path + "/") }
        }
        try expectEqual(search("word", in: "one"), ["one/a"])
        try expectEqual(search("-word", in: "one"), ["one/b"])
        try expectEqual(search("a", in: "one2"), ["one2/a"])
        try expectEqual(search("word", in: "none"), [])
    }

    @Test func checkoutsHaveDemosOfTheirOwn() {
        let one = DemoCommand.databaseName(root: "/home/someone/GRDB")
        expectEqual(one, DemoCommand.databaseName(root: "/home/someone/GRDB"))
        #expect(one != DemoCommand.databaseName(root: "/home/someone/GRDB2"))
        expectTrue(one.hasPrefix("demo-") && one.hasSuffix(".sqlite"))
    }

    @Test func synonymsAreFound() throws {
        let files = try makeIndex(["a": "erase it", "b": "unicode", "c": "removeRow"])
        try files.index.replaceSynonyms(
            SynonymList(groups: [["delete", "erase", "remove"], ["utf8", "unicode"]]))
        expectEqual(Set(try files.search("delete")), ["a", "c"])
        try expectEqual(files.search("deleteRow"), ["c"])
        // The synonyms of a whole name that has parts.
        try expectEqual(files.search("utf8"), ["b"])
        // No one said that prefixes have synonyms.
        try expectEqual(files.search("delete*"), [])
        try files.index.replaceSynonyms(SynonymList())
        try expectEqual(files.search("delete"), [])
    }

    @Test func theTitleWeighsMoreThanTheBody() throws {
        let files = try makeIndex([
            "tokenizer.txt": "nothing to see here, but for some other words",
            "body.txt": "a tokenizer is a tokenizer, but for some other words",
            "other.txt": "other words", "more.txt": "other words", "rest.txt": "other words",
        ])
        try expectEqual(files.search("tokenizer"), ["tokenizer.txt", "body.txt"])
        let title = try files.results("tokenizer")[0]
        expectEqual(title.titleMatches, [0..<9])
        expectTrue(title.snippet.lines.isEmpty)
    }

    @Test func ofEqualsTheOneThatMatchesSoonerIsFirst() throws {
        let files = try makeIndex([
            "a": "one two word", "b": "word one two", "c": "one word two",
            // All the same: as they came.
            "d": "one word two", "e": "other",
        ])
        try expectEqual(files.search("word"), ["b", "c", "d", "a"])
        expectEqual(Set(try files.results("word").map(\.score)).count, 1)
    }

    @Test func matchesInTitlesAreMarked() throws {
        let files = try makeIndex(["é-alpha-alphaBeta.txt": "beta", "gamma": "alpha é"])
        func titleMatches(_ query: String, isRaw: Bool = false) throws -> [[Range<Int>]] {
            try files.results(query, isRaw: isRaw).map(\.titleMatches)
        }
        try expectEqual(titleMatches("alpha"), [[3..<8, 9..<18], []])
        try expectEqual(titleMatches("alpha beta"), [[3..<8, 9..<18]])
        try expectEqual(titleMatches("E txt"), [[0..<2, 19..<22]])
        try expectEqual(titleMatches("gam*"), [[0..<5]])
        try expectEqual(titleMatches("body : beta", isRaw: true), [[]])
    }

    @Test func rawQueriesHaveTheSyntaxOfFTS5() throws {
        let files = try makeIndex(["alpha": "beta", "beta": "gamma alpha"])
        try expectEqual(files.search("title : alpha", isRaw: true), ["alpha"])
        try expectEqual(files.search("body : (alpha OR beta) NOT gamma", isRaw: true), ["alpha"])
    }

    @Test func queriesWithoutAWordFindNothing() throws {
        let files = try makeIndex(["a": "b"])
        try expectNil(
            Searcher(index: files.index, limit: 1, isRaw: false).search(" -- \"\" *"))
    }

    // MARK: - Snippets

    private func lines(_ text: String, _ query: String, width: Int = 60) throws -> [String] {
        let files = try makeIndex(["file": text])
        let searcher = Searcher(index: files.index, limit: 1, isRaw: false, width: { _ in width })
        let result = try unwrap(searcher.search(query)?.best.first)
        return result.snippet.lines.map { line in
            "\(line.number): "
                + line.pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
        }
    }

    @Test func linesAreCountedFromOne() throws {
        try expectEqual(
            lines("word\n\nno\r\n  a Word,  \r\nlast words word", "word"),
            ["1: [word]", "4: a [Word],", "5: last words [word]"])
    }

    @Test func theLinesWithMostTermsAreShown() throws {
        let text = "one\none\ntwo\none two\none\n"
        try expectEqual(lines(text, "one two"), ["1: [one]", "2: [one]", "4: [one] [two]"])
    }

    @Test func namesAreHighlightedAsAWhole() throws {
        try expectEqual(
            lines("x databaseWillChange, willChange", "\"will change\""),
            ["1: x [databaseWillChange], [willChange]"])
        try expectEqual(lines("SQLite", "sqlite"), ["1: [SQLite]"])
    }

    @Test func phrasesMayGoOnInTheNextLine() throws {
        try expectEqual(lines("one\ntwo", "\"one two\""), ["1: [one]"])
    }

    @Test func longLinesAreCutAroundTheMatch() throws {
        let text =
            String(repeating: "é ", count: 5000) + "needle " + String(repeating: "x", count: 9999)
        let line = try lines(text, "needle", width: 40)[0]
        expectTrue(line.hasPrefix("1: …"))
        expectTrue(line.contains(" [needle] x"))
        expectTrue(line.hasSuffix("x…"))
        #expect(line.count < 60)
    }

    @Test func controlCharactersAreNotPrinted() throws {
        try expectEqual(
            lines("a\u{1b}[31m\tword\u{7}\u{202e}", "word"),
            ["1: a\u{fffd}[31m    [word]\u{fffd}\u{fffd}"])
    }

    /// `highlight()` of FTS5 needs minutes for this.
    ///
    /// What counts is the work of this thread. A time limit would count from when all tests begin,
    /// and end before the test has got a thread.
    @Test func manyMatchesTakeNoLonger() throws {
        let text = String(repeating: "word other\n", count: 50_000)
        let start = secondsOfWork
        try expectEqual(lines(text, "word").count, 3)
        #expect(secondsOfWork - start < 60)
    }

    /// How long the current thread has run.
    private var secondsOfWork: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// What FTS5 finds and what is highlighted must not differ.
    @Test func whatIsFoundIsHighlighted() throws {
        let words = ["alpha", "Beta", "alphaBeta", "beta_gamma", "GAMMA", "utf8", "é", "x"]
        var generator = SplitMix64(seed: 3)
        let files = try TestIndex()
        for number in 0..<40 {
            let text = (0..<Int.random(in: 1...12, using: &generator))
                .map { _ in words.randomElement(using: &generator)! }
                .joined(separator: Bool.random(using: &generator) ? " " : "\n")
            try files.folder.write("0\(number)", text)
        }
        try files.update()
        try files.index.replaceSynonyms(SynonymList(groups: [["gamma", "alpha"], ["x", "utf8"]]))
        for _ in 0..<100 {
            let phrase = (0..<Int.random(in: 1...3, using: &generator))
                .map { _ in words.randomElement(using: &generator)! }
                .joined(separator: " ")
            let suffix = Bool.random(using: &generator) ? "*" : ""
            let found = try files.results("\"\(phrase)\"\(suffix)")
            for result in found {
                expectTrue(
                    !result.snippet.lines.isEmpty,
                    "\(phrase)\(suffix) is not highlighted in \(result.path)")
            }
            // The other way: a file in which nothing is found has nothing to highlight.
            let paths = Set(found.map(\.path))
            try files.index.queue.read { db in
                let tokenizer = try IdentifierTokenizer(db: db, arguments: [])
                let pattern = try SearchPattern(
                    words: "\"\(phrase)\"\(suffix)", tokenizer: tokenizer)
                let matcher = PhraseMatcher(pattern.phrases)
                let rows = try Row.fetchAll(db, sql: "SELECT path, body FROM file")
                for row in rows where !paths.contains(row[0]) {
                    var body: String = row[1]
                    let matches = try body.withUTF8 {
                        try matcher.matches(in: $0, tokenizer: tokenizer)
                    }
                    expectTrue(matches.isEmpty, "\(phrase)\(suffix) is highlighted in \(body)")
                }
            }
        }
    }
}
