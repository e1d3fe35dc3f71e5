/// The origin of the rows of a statement. Kept with the rows, because copies outlive the statement,
/// and errors describe the origin of copies, too.
package struct RowOrigin: Sendable {
    let sql: String

    /// The table of each column; nil if the column is computed.
    let tables: [String?]
}

/// The column names of a row, from left to right. Immutable, and shared by all rows of a statement.
@usableFromInline
package final class RowLayout: Sendable {
    @usableFromInline let names: [String]

    /// Finds columns of rows that are too wide for a linear search.
    private let indexes: [CaseInsensitiveIdentifier: Int]?

    /// Whether several names are equal, ignoring ASCII case.
    private let hasDuplicates: Bool

    /// The origin of fetched rows; nil for rows that were created from values.
    let origin: RowOrigin?

    /// Whether the columns belong to a statement, so that the values of rows come from a database.
    var isFetched: Bool { origin != nil }

    /// Whether errors show the values of rows.
    let showsValues: Bool

    /// See ``Configuration/convertsMismatchedValues``.
    let convertsMismatchedValues: Bool

    static let empty = RowLayout(names: [])

    /// - parameter showsValues: whether errors show the values of rows. True for rows that the
    ///   program created from values, and for connections with public statement arguments.
    package init(
        names: [String], origin: RowOrigin? = nil, showsValues: Bool = true,
        convertsMismatchedValues: Bool = false
    ) {
        self.names = names
        self.convertsMismatchedValues = convertsMismatchedValues
        self.origin = origin
        self.showsValues = showsValues
        var indexes: [CaseInsensitiveIdentifier: Int] = [:]
        indexes.reserveCapacity(names.count)
        for (index, name) in names.enumerated() {
            let key = CaseInsensitiveIdentifier(name)
            // The leftmost column wins.
            if indexes[key] == nil {
                indexes[key] = index
            }
        }
        hasDuplicates = indexes.count < names.count
        self.indexes = names.count > 16 ? indexes : nil
    }

    /// Returns the index of the leftmost column with the name, ignoring ASCII case.
    ///
    /// - parameter hint: the column to try first.
    func index(of name: String, hint: Int = 0) -> Int? {
        if !hasDuplicates {
            if hint < names.count, names[hint].hasSameBytes(as: name) { return hint }
            if indexes == nil, let index = names.firstIndex(where: { $0.hasSameBytes(as: name) }) {
                return index
            }
        }
        if let indexes {
            return indexes[CaseInsensitiveIdentifier(name)]
        }
        return names.firstIndex { ASCIICase.equal($0, name) }
    }
}
