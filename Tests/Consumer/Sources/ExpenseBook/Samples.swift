import Foundation
import GRDB

extension ExpenseBook {
    /// A book in memory with a few expenses, for previews and tests.
    public static func sample() async throws -> ExpenseBook {
        let book = try ExpenseBook(DatabaseQueue())
        let day: TimeInterval = 86_400
        let start = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
        try await book.add(cents: 4_250, to: "travel", note: "Train to Zürich", date: start)
        try await book.add(
            cents: 1_890, to: "food", note: "Dinner, \"Da Mario\"", date: start + day)
        try await book.add(
            cents: 620, to: "food", note: "Coffee at the trains", date: start + 2 * day)
        return book
    }
}
