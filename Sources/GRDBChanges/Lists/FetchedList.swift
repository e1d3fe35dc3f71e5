import GRDB

/// A fetched list, indexed for comparison with other lists.
///
/// `@unchecked Sendable`: the class is immutable, identities are built from sendable values, and
/// fetched rows are only used on the queue of the observation.
final class FetchedList<Element: Sendable>: @unchecked Sendable {
    /// The content that is compared to find changed elements.
    enum Content {
        /// The rows that the elements were decoded from.
        case rows([Row])
        /// The elements themselves.
        case values(isEqual: @Sendable (Element, Element) -> Bool)
    }

    let elements: [Element]
    let content: Content
    /// The index of each identity.
    let indexes: [AnyHashable: Int]
    private let identities: [AnyHashable]

    /// - throws: a ``ListIdentityError`` when two elements have the same identity.
    init(_ elements: [Element], _ content: Content, identities: [AnyHashable]) throws {
        var indexes: [AnyHashable: Int] = [:]
        indexes.reserveCapacity(identities.count)
        for (index, identity) in identities.enumerated() {
            if let first = indexes.updateValue(index, forKey: identity) {
                throw ListIdentityError.duplicate(identity, first, index)
            }
        }
        self.elements = elements
        self.content = content
        self.identities = identities
        self.indexes = indexes
    }

    private init() {
        elements = []
        content = .rows([])
        identities = []
        indexes = [:]
    }

    /// The list before the first fetch.
    static var empty: FetchedList { FetchedList() }

    /// Returns, for each element, its index in a former list, or nil if the element is new.
    func indexes(in old: FetchedList) -> [Int?] {
        identities.map { old.indexes[$0] }
    }

    /// Returns whether the content of an element has changed since a former list.
    func isChanged(at index: Int, from old: FetchedList, at oldIndex: Int) -> Bool {
        switch (content, old.content) {
        case (.rows(let rows), .rows(let oldRows)): rows[index] != oldRows[oldIndex]
        case (.values(let isEqual), _): !isEqual(old.elements[oldIndex], elements[index])
        case (.rows, .values): true
        }
    }

    /// Returns the columns of an element that have changed since a former list.
    func columnChanges(
        at index: Int, from old: FetchedList, at oldIndex: Int
    ) -> [ListColumnChange] {
        guard case .rows(let rows) = content, case .rows(let oldRows) = old.content else {
            return []
        }
        return ListColumnChange.changes(from: oldRows[oldIndex], to: rows[index])
    }
}

/// A request that fetches the elements of a list.
struct ListRequest<Element: Sendable>: Sendable {
    let fetch: @Sendable (Database) throws -> FetchedList<Element>
}

extension ListRequest where Element: FetchableRecord {
    /// Creates a request for records, identified by a function.
    init(
        _ request: some FetchRequest<Element> & Sendable,
        id: @escaping @Sendable (Element) -> some Hashable & Sendable
    ) {
        fetch = { db in
            let rows = try Row.fetchAll(db, request)
            let elements = try rows.map { try Element(row: $0) }
            return try FetchedList(
                elements, .rows(rows), identities: elements.map { AnyHashable(id($0)) })
        }
    }
}

extension ListRequest where Element: FetchableRecord & TableRecord {
    /// Creates a request for records, identified by their primary key.
    init(_ request: some FetchRequest<Element> & Sendable) {
        fetch = { db in
            let rows = try Row.fetchAll(db, request)
            let identities = try Self.primaryKeys(of: rows, db)
            let elements = try rows.map { try Element(row: $0) }
            return try FetchedList(elements, .rows(rows), identities: identities)
        }
    }

    private static func primaryKeys(of rows: [Row], _ db: Database) throws -> [AnyHashable] {
        guard let firstRow = rows.first else { return [] }
        let table = Element.databaseTableName
        let columns = try db.primaryKey(table).columns
        for column in columns where !firstRow.hasColumn(column) {
            throw ListIdentityError.missingColumn(column, table)
        }
        return try rows.enumerated().map { index, row in
            let key = columns.map { row[$0] as DatabaseValue }
            if let column = key.firstIndex(where: \.isNull) {
                throw ListIdentityError.null(columns[column], table, index)
            }
            return key.count == 1 ? AnyHashable(key[0]) : AnyHashable(key)
        }
    }
}

extension ListRequest where Element: Equatable {
    /// Creates a request that fetches the elements with a closure.
    init(
        id: @escaping @Sendable (Element) -> some Hashable & Sendable,
        _ fetch: @escaping @Sendable (Database) throws -> [Element]
    ) {
        self.fetch = { db in
            let elements = try fetch(db)
            return try FetchedList(
                elements, .values(isEqual: { $0 == $1 }),
                identities: elements.map { AnyHashable(id($0)) })
        }
    }
}
