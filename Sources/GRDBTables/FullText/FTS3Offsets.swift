import GRDB

/// The result of the `offsets` function: the positions of the terms of a pattern in a row of an
/// FTS3 or FTS4 table.
///
/// ```swift
/// // SELECT offsets("book") FROM "book" WHERE "book" MATCH 'moby dick'
/// let offsets = try Book.matching(pattern)
///     .select(FTS3.offsets(), as: FTS3Offsets.self)
///     .fetchAll(db)
/// for term in offsets[0].terms {
///     print(term.column, term.term, term.utf8Range)
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_offsets_function>
public struct FTS3Offsets: Hashable, Sendable, DatabaseValueConvertible {
    /// An occurrence of a term of the pattern.
    public struct Term: Hashable, Sendable {
        /// The number of the column.
        public var column: Int
        /// The number of the term in the pattern.
        public var term: Int
        /// The range of the term in the UTF-8 bytes of the column's text.
        public var utf8Range: Range<Int>

        /// Creates an occurrence.
        ///
        /// - parameter column: the number of the column.
        /// - parameter term: the number of the term in the pattern.
        /// - parameter utf8Range: the range of the term in the UTF-8 bytes of the column's text.
        public init(column: Int, term: Int, utf8Range: Range<Int>) {
            self.column = column
            self.term = term
            self.utf8Range = utf8Range
        }
    }

    /// The occurrences in the order of the function: by column, then by position.
    public var terms: [Term]

    /// Creates a list of occurrences.
    ///
    /// - parameter terms: the occurrences.
    public init(terms: [Term]) {
        self.terms = terms
    }

    public var databaseValue: DatabaseValue {
        terms.map { "\($0.column) \($0.term) \($0.utf8Range.lowerBound) \($0.utf8Range.count)" }
            .joined(separator: " ").databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Offsets? {
        guard let text = String.fromDatabaseValue(dbValue) else { return nil }
        var terms: [Term] = []
        var numbers: [Int] = []
        for word in text.split(separator: " ") {
            guard let number = Int(word), number >= 0 else { return nil }
            numbers.append(number)
            guard numbers.count == 4 else { continue }
            let (end, isTooLarge) = numbers[2].addingReportingOverflow(numbers[3])
            if isTooLarge { return nil }
            terms.append(Term(column: numbers[0], term: numbers[1], utf8Range: numbers[2]..<end))
            numbers.removeAll()
        }
        return numbers.isEmpty ? FTS3Offsets(terms: terms) : nil
    }
}
