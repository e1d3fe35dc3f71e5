// A command-line tool over ExpenseBook. Without arguments, it checks itself on a temporary file.

import Checks
import ExpenseBook
import Foundation

@main
struct Expenses {
    static let usage = """
        usage: Expenses FILE add CENTS CATEGORY [NOTE…]
               Expenses FILE list | totals | csv
               Expenses FILE search WORD…
               Expenses FILE remove ID
        """

    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.isEmpty else { return try await checkItself() }
        guard arguments.count >= 2 else { return print(usage) }
        let book = try ExpenseBook(path: arguments.removeFirst())
        try await run(arguments.removeFirst(), arguments, book)
    }

    static func run(_ command: String, _ arguments: [String], _ book: ExpenseBook) async throws {
        switch command {
        case "add" where arguments.count >= 2:
            guard let cents = Int(arguments[0]) else { return print(usage) }
            let note = arguments.dropFirst(2).joined(separator: " ")
            let expense = try await book.add(cents: cents, to: arguments[1], note: note)
            print("added \(expense.id ?? 0)")
        case "list":
            for info in try await book.latest(20) {
                print(
                    info.expense.id ?? 0, info.category.name, info.expense.cents, info.expense.note)
            }
        case "totals":
            for total in try await book.totals() { print(total.name, total.cents) }
        case "csv":
            try await book.exportCSV { line in print(line, terminator: "") }
        case "search":
            for expense in try await book.search(arguments.joined(separator: " ")) {
                print(expense.id ?? 0, expense.cents, expense.note)
            }
        case "remove" where arguments.count == 1:
            guard let id = Int64(arguments[0]) else { return print(usage) }
            print(try await book.removeExpense(id: id) ? "removed" : "there is no such expense")
        default:
            print(usage)
        }
    }

    static func checkItself() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("expenses-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("expenses.sqlite").path

        var book = try ExpenseBook(path: path)
        try await book.add(cents: 300, to: "food", note: "Two espressi")
        try await book.add(cents: 900, to: "travel", note: "Tram")
        book = try ExpenseBook(path: path)  // the first one closes with its last reference
        let found = try await book.search("espress")
        check(found.map(\.cents) == [300], "expenses of a file are found again")
        let totals = try await book.totals()
        check(totals.map(\.name) == ["travel", "food"], "categories are sorted by their totals")
    }
}
