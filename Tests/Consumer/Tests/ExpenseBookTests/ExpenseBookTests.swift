import Foundation
import GRDB
import Testing

@testable import ExpenseBook

/// Each test has a book of its own in memory, so that tests run in parallel.
@Suite struct ExpenseBookTests {
    @Test func storesExpensesAndTheirCategoriesOnce() async throws {
        let book = try ExpenseBook(DatabaseQueue())
        let train = try await book.add(cents: 4_250, to: "travel")
        let tram = try await book.add(cents: 320, to: "travel")

        #expect(train.id == 1)
        #expect(train.categoryId == tram.categoryId)
    }

    @Test func storesNothingIfTheAmountIsInvalid() async throws {
        let book = try ExpenseBook(DatabaseQueue())
        let error = await #expect(throws: DatabaseError.self) {
            try await book.add(cents: 0, to: "gifts")
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)

        // The transaction was rolled back, with the category that it had stored.
        let totals = try await book.totals()
        #expect(totals.isEmpty)
    }

    @Test func listsTheLatestExpensesFirst() async throws {
        let book = try await ExpenseBook.sample()
        let latest = try await book.latest(2)
        #expect(latest.map(\.expense.cents) == [620, 1_890])
        #expect(latest.map(\.category.name) == ["food", "food"])
    }

    @Test(
        arguments: [
            ("train", [1, 3]), ("zurich", [1]), ("din mar", [2]), ("\"", []), ("", []),
            ("plane", []),
        ] as [(String, Set<Int64>)])
    func findsNotes(text: String, ids: Set<Int64>) async throws {
        let book = try await ExpenseBook.sample()
        let found = try await book.search(text)
        #expect(Set(found.compactMap(\.id)) == ids)
    }

    @Test func removedExpensesAreNotFound() async throws {
        let book = try await ExpenseBook.sample()
        let removed = try await book.removeExpense(id: 1)
        let removedAgain = try await book.removeExpense(id: 1)
        let found = try await book.search("zurich")
        #expect(removed && !removedAgain && found.isEmpty)
    }

    @Test func observesTotals() async throws {
        let book = try await ExpenseBook.sample()
        var totals = book.totalChanges().makeAsyncIterator()
        let first = try await totals.next()
        #expect(first?.map(\.cents) == [4_250, 2_510])

        try await book.add(cents: 10_000, to: "food")
        let second = try await totals.next()
        #expect(second?.map(\.name) == ["food", "travel"])
    }

    @Test func exportsCSV() async throws {
        let book = try await ExpenseBook.sample()
        let lines = Lines()
        try await book.exportCSV { line in lines.append(line) }
        #expect(lines.all.count == 4)
        #expect(lines.all[2] == "2026-01-02T00:00:00Z,food,1890,\"Dinner, \"\"Da Mario\"\"\"\r\n")
    }

    /// A migration is tested on the rows of the version before it.
    @Test func addsNotesToOldFiles() async throws {
        let queue = try DatabaseQueue()
        try makeMigrator().migrate(queue, upTo: "v1: expenses")
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO category (name) VALUES ('food');
                    INSERT INTO expense (categoryId, date, cents) VALUES (1, '2025-12-31', 500);
                    """)
        }
        let book = try ExpenseBook(queue)
        let latest = try await book.latest(1)
        #expect(latest.first?.expense.note == "")
    }
}

/// Lines that a sendable closure collects.
private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func append(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}
