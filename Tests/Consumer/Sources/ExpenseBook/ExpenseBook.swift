import Foundation
import GRDB

/// The database of the app. Its methods are what the app does: each one is a single access, which
/// commits all of its changes or none.
public final class ExpenseBook: Sendable {
    private let writer: any DatabaseWriter

    /// Opens the book of a connection, and brings its schema up to date.
    ///
    /// Apps pass a pool or a queue on a file, tests and previews `DatabaseQueue()`.
    public init(_ writer: any DatabaseWriter) throws {
        self.writer = writer
        try makeMigrator().migrate(writer)
    }

    /// Opens the book in a file, which is created if it does not exist.
    public convenience init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        try self.init(DatabaseQueue(path: path, configuration: configuration))
    }

    /// Stores an expense, and its category if it is a new one.
    @discardableResult
    public func add(
        cents: Int, to categoryName: String, note: String = "", date: Date = Date()
    ) async throws -> Expense {
        try await writer.write { db in
            let category =
                try Category.filter { $0.name == categoryName }.fetchOne(db)
                ?? Category(name: categoryName).inserted(db)
            guard let categoryId = category.id else {
                throw RecordError.recordNotFound(
                    databaseTableName: Category.databaseTableName,
                    key: ["name": categoryName.databaseValue])
            }
            return try Expense(categoryId: categoryId, date: date, cents: cents, note: note)
                .inserted(db)
        }
    }

    /// Removes an expense. Returns false if there is none with this id.
    public func removeExpense(id: Int64) async throws -> Bool {
        try await writer.write { db in try Expense.deleteOne(db, key: id) }
    }

    /// The latest expenses with their categories.
    public func latest(_ count: Int) async throws -> [ExpenseInfo] {
        try await writer.read { db in
            // SELECT "expense".*, "category".* FROM "expense" JOIN "category" …
            // ORDER BY "expense"."date" DESC, "expense"."id" DESC LIMIT …
            try Expense
                .including(required: Expense.category)
                .newestFirst()
                .limit(count)
                .asRequest(of: ExpenseInfo.self)
                .fetchAll(db)
        }
    }

    /// The expenses with words that begin with the words of a text, the best matches first. The text may
    /// be anything that a user types.
    public func search(_ text: String) async throws -> [Expense] {
        guard let pattern = FTS5Pattern(matchingAllPrefixesIn: text) else { return [] }
        return try await writer.read { db in
            try Expense
                .joining(required: Expense.index.matching(pattern).order(Column.rank))
                .fetchAll(db)
        }
    }

    /// What the expenses of each category add up to, the largest sum first.
    public func totals() async throws -> [CategoryTotal] {
        try await writer.read(Self.fetchTotals)
    }

    /// The totals now, and after each transaction that changes them.
    public func totalChanges() -> AsyncValueObservation<[CategoryTotal]> {
        ValueObservation.tracking(Self.fetchTotals).removeDuplicates().values(in: writer)
    }

    /// Calls a function with each expense, the oldest first, and never has more than one in memory.
    public func forEachExpense(_ body: @escaping @Sendable (ExpenseInfo) throws -> Void)
        async throws
    {
        try await writer.read { db in
            let expenses =
                try Expense
                .including(required: Expense.category)
                .order { [$0.date, $0.id] }
                .asRequest(of: ExpenseInfo.self)
                .fetchCursor(db)
            while let info = try expenses.next() { try body(info) }
        }
    }

    private static func fetchTotals(_ db: Database) throws -> [CategoryTotal] {
        // SELECT "category"."name", SUM("expense"."cents") AS "cents" FROM "category"
        // LEFT JOIN "expense" ON "expense"."categoryId" = "category"."id"
        // GROUP BY "category"."id" HAVING COUNT(DISTINCT "expense"."id") > 0
        // ORDER BY "cents" DESC, "category"."name"
        try Category
            .select { [$0.name] }
            .annotated(with: Category.expenses.sum(Expense.Columns.cents).forKey("cents"))
            .having(Category.expenses.isEmpty == false)  // the sum of no rows is NULL
            .order { [Column("cents").detached.desc, $0.name] }
            .asRequest(of: CategoryTotal.self)
            .fetchAll(db)
    }
}
