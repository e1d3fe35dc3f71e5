/// Tracks the tables whose deleted rows must be reported one by one.
///
/// SQLite compiles `DELETE` without `WHERE` in one of two ways: to clear the table at once, which calls
/// no hook, or to delete row by row, which takes much longer and is only needed for observed tables.
/// When a table becomes observed, statements compiled before must be recompiled.
struct ObservedDeletions {
    private var observed: Set<CaseInsensitiveIdentifier> = []

    /// The tables for which a `DELETE` that calls no hook may have been compiled.
    private var unobservable: Set<CaseInsensitiveIdentifier> = []

    /// Records that a table is observed.
    ///
    /// - returns: whether statements must be recompiled.
    mutating func observe(_ table: String) -> Bool {
        guard observed.insert(CaseInsensitiveIdentifier(table)).inserted,
            unobservable.contains(where: { isObserved($0.rawValue) })
        else { return false }
        unobservable = []
        return true
    }

    /// Records that there are no observers any more.
    mutating func forgetObservedTables() {
        if !observed.isEmpty { observed = [] }
    }

    /// Records that a `DELETE` is compiled.
    ///
    /// - returns: whether it must delete row by row.
    mutating func compile(deletionFrom table: String) -> Bool {
        if isObserved(table) { return true }
        unobservable.insert(CaseInsensitiveIdentifier(table))
        return false
    }

    /// Whether a table is observed, or stores content of an observed virtual table: `document_content`
    /// belongs to `document`.
    private func isObserved(_ table: String) -> Bool {
        if observed.isEmpty { return false }
        if observed.contains(CaseInsensitiveIdentifier(table)) { return true }
        return table.utf8.indices.contains { index in
            table.utf8[index] == UInt8(ascii: "_")
                && observed.contains(CaseInsensitiveIdentifier(String(table[..<index])))
        }
    }
}
