/// The changes held back until the end of the outermost savepoint.
struct HeldChanges {
    /// Changes in order, stored compactly: most transactions with savepoints have many changes of few
    /// kinds.
    struct Batch {
        struct Change {
            let rowID: Int64
            /// The index of the route.
            let route: Int32
            /// The index of the preupdate event, or -1 for a change that has already happened.
            let preUpdate: Int32
        }

        fileprivate(set) var changes: ContiguousArray<Change> = []
        fileprivate(set) var routes: ContiguousArray<ChangeRoute> = []
        fileprivate(set) var preUpdates: ContiguousArray<PreUpdateCopy> = []

        /// Returns the index of a route, which usually equals that of the previous change.
        fileprivate mutating func index(of route: ChangeRoute) -> Int32 {
            if let last = changes.last, routes[Int(last.route)] === route { return last.route }
            return indexAnywhere(of: route)
        }

        private mutating func indexAnywhere(of route: ChangeRoute) -> Int32 {
            if let index = routes.firstIndex(where: { $0 === route }) { return Int32(index) }
            routes.append(route)
            return Int32(routes.count - 1)
        }
    }

    /// An open savepoint, and the number of held changes when it began.
    private struct Savepoint {
        var name: CaseInsensitiveIdentifier
        var changeCount: Int
    }

    private var savepoints: [Savepoint] = []
    private var batch = Batch()

    var hasSavepoints: Bool { !savepoints.isEmpty }

    var count: Int { batch.changes.count }

    var isEmpty: Bool { savepoints.isEmpty && batch.changes.isEmpty }

    mutating func append(_ route: ChangeRoute, rowID: Int64) {
        let index = batch.index(of: route)
        batch.changes.append(Batch.Change(rowID: rowID, route: index, preUpdate: -1))
    }

    mutating func append(_ route: ChangeRoute, _ preUpdate: PreUpdateCopy) {
        let index = batch.index(of: route)
        batch.changes.append(
            Batch.Change(rowID: 0, route: index, preUpdate: Int32(batch.preUpdates.count)))
        batch.preUpdates.append(preUpdate)
    }

    /// Removes and returns all changes.
    mutating func removeChanges() -> Batch {
        defer { batch = Batch() }
        return batch
    }

    /// Removes all changes except the first ones.
    mutating func removeChanges(after count: Int) {
        guard batch.changes.count > count else { return }
        if count == 0 {
            batch = Batch()
            return
        }
        if let first = batch.changes[count...].first(where: { $0.preUpdate >= 0 }) {
            batch.preUpdates.removeSubrange(Int(first.preUpdate)...)
        }
        batch.changes.removeSubrange(count...)
    }

    // MARK: - Savepoints

    mutating func begin(_ name: String) {
        savepoints.append(
            Savepoint(name: CaseInsensitiveIdentifier(name), changeCount: count))
    }

    /// - returns: whether the outermost savepoint was released.
    mutating func release(_ name: String) -> Bool {
        guard let index = lastIndex(name) else { return false }
        savepoints.removeSubrange(index...)
        return savepoints.isEmpty
    }

    mutating func rollback(to name: String) {
        guard let index = lastIndex(name) else { return }
        // The savepoint itself remains open. The savepoints inside it are closed.
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
