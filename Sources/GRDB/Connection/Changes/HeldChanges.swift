/// The changes that wait for the end of the outermost savepoint.
struct HeldChanges {
    struct Change {
        let route: ChangeRoute
        let rowID: Int64
        /// For a change that was about to happen, what the row was.
        let preUpdate: PreUpdateCopy?
    }

    /// An open savepoint, and the number of changes that were on hold when it began.
    private struct Savepoint {
        var name: CaseInsensitiveIdentifier
        var changeCount: Int
    }

    private var savepoints: [Savepoint] = []
    private var changes: ContiguousArray<Change> = []

    @inline(__always)
    var hasSavepoints: Bool { !savepoints.isEmpty }

    @inline(__always)
    var count: Int { changes.count }

    var isEmpty: Bool { savepoints.isEmpty && changes.isEmpty }

    mutating func append(_ route: ChangeRoute, rowID: Int64, preUpdate: PreUpdateCopy?) {
        changes.append(Change(route: route, rowID: rowID, preUpdate: preUpdate))
    }

    /// Hands out all changes.
    mutating func removeChanges() -> ContiguousArray<Change> {
        defer { changes = [] }
        return changes
    }

    /// Forgets the changes that are later than others.
    mutating func removeChanges(after count: Int) {
        if changes.count > count { changes.removeSubrange(count...) }
    }

    // MARK: - Savepoints

    mutating func begin(_ name: String) {
        savepoints.append(
            Savepoint(name: CaseInsensitiveIdentifier(name), changeCount: changes.count))
    }

    /// - returns: whether the outermost savepoint was released.
    mutating func release(_ name: String) -> Bool {
        guard let index = lastIndex(name) else { return false }
        savepoints.removeSubrange(index...)
        return savepoints.isEmpty
    }

    mutating func rollback(to name: String) {
        guard let index = lastIndex(name) else { return }
        // The savepoint remains open, those inside of it don't.
        savepoints.removeSubrange((index + 1)...)
        removeChanges(after: savepoints[index].changeCount)
    }

    mutating func endSavepoints() {
        savepoints = []
    }

    private func lastIndex(_ name: String) -> Int? {
        let name = CaseInsensitiveIdentifier(name)
        return savepoints.lastIndex { $0.name == name }
    }
}
