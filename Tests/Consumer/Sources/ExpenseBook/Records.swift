import Foundation
import GRDB

/// A group of expenses, such as "travel".
public struct Category: Codable, Equatable, Identifiable, Sendable {
    public private(set) var id: Int64?
    public var name: String

    public init(name: String) {
        self.name = name
    }
}

/// One payment.
public struct Expense: Codable, Equatable, Identifiable, Sendable {
    public private(set) var id: Int64?
    public var categoryId: Int64
    public var date: Date
    /// The amount in cents: SQL can add integers, and no cent is lost.
    public var cents: Int
    public var note: String

    public init(categoryId: Int64, date: Date, cents: Int, note: String) {
        self.categoryId = categoryId
        self.date = date
        self.cents = cents
        self.note = note
    }
}

/// What a list of expenses shows.
public struct ExpenseInfo: Decodable, Equatable, FetchableRecord, Sendable {
    public var expense: Expense
    public var category: Category
}

/// What the expenses of a category add up to.
public struct CategoryTotal: Decodable, Equatable, FetchableRecord, Sendable {
    public var name: String
    public var cents: Int
}

extension Category: FetchableRecord, MutablePersistableRecord {
    static let expenses = hasMany(Expense.self)

    public enum Columns {
        static let name = Column(CodingKeys.name)
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Expense: FetchableRecord, MutablePersistableRecord {
    static let category = belongsTo(Category.self)
    static let index = hasOne(ExpenseIndex.self, using: ForeignKey(["rowid"], to: ["id"]))

    public enum Columns {
        static let id = Column(CodingKeys.id)
        static let date = Column(CodingKeys.date)
        static let cents = Column(CodingKeys.cents)
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The full-text index of the notes.
struct ExpenseIndex: TableRecord {
    static let databaseTableName = "expense_ft"
}

extension DerivableRequest<Expense> {
    func newestFirst() -> Self {
        order { [$0.date.desc, $0.id.desc] }
    }
}
