/// Knows the tables whose deleted rows observers want to see one by one.
///
/// `DELETE` without `WHERE` is compiled to clear the table at once, which calls no hook, or to delete
/// row by row. The latter takes much longer, and only serves tables that are observed. When a table
/// turns out to be, statements that were compiled before must be compiled again.
struct ObservedDeletions {
    private var observed: Set<CaseInsensitiveIdentifier> = []

    /// The tables for which a `DELETE` may have been compiled that calls no hook.
    private var unobservable: Set<CaseInsensitiveIdentifier> = []

    /// Notes that observers are interested in some change of a table.
    ///
    /// - returns: whether statements must be compiled again.
    mutating func observe(_ table: String) -> Bool {
        guard observed.insert(CaseInsensitiveIdentifier(table)).inserted,
            unobservable.contains(where: { isObserved($0.rawValue) })
        else { return false }
        unobservable = []
        return true
    }

    /// Notes that nobody observes any more.
    mutating func forgetObservedTables() {
        if !observed.isEmpty { observed = [] }
    }

    /// Notes that a `DELETE` is compiled.
    ///
    /// - returns: whether it must delete row by row.
    mutating func compile(deletionFrom table: String) -> Bool {
        if isObserved(table) { return true }
        unobservable.insert(CaseInsensitiveIdentifier(table))
        return false
    }

    /// Whether a table is observed, or keeps content of a virtual table that is: `document_content` is
    /// one of `document`.
    private func isObserved(_ table: String) -> Bool {
        if observed.isEmpty { return false }
        if observed.contains(CaseInsensitiveIdentifier(table)) { return true }
        return table.utf8.indices.contains { index in
            table.utf8[index] == UInt8(ascii: "_")
                && observed.contains(CaseInsensitiveIdentifier(String(table[..<index])))
        }
    }
}
