// Changes that no statement declares: changes by C code that uses the connection, such as a function,
// a virtual table, or code of the app. The authorizer detects the statements that such code compiles.
// From the first such statement on, the hooks remain installed while there are observers.

extension ObservationBroker {
    /// Called when a statement that changes a table is being compiled by code other than `Statement`.
    func noteUndeclaredChange() {
        // The statements compiled by `sqlite3changeset_apply()` are declared. Functions that it calls
        // through triggers run within another statement.
        if let applied = appliedStatementCount, raw.runningStatementCount <= applied { return }
        if hasUndeclaredChanges { return }
        hasUndeclaredChanges = true
        updateWatch(expiresStatements: false)
        // Statements without observers may perform more changes than they declare.
        if isActive { interestsDidChange() }
    }

    /// Whether a DELETE that is being compiled must delete row by row.
    ///
    /// - parameter isDeclared: whether this is the first compilation of a `Statement`.
    func observesDeletes(from table: String, isDeclared: Bool) -> Bool {
        if watchesUndeclaredChanges, !isDeclared { return true }
        return deletions.compile(deletionFrom: table)
    }

    /// Returns the observers of a change, after asking them.
    func observations(
        of names: TableNames, _ rawKind: CInt, known: ContiguousArray<TransactionObservation>
    ) -> ContiguousArray<TransactionObservation> {
        guard let kind = DatabaseEvent.Kind(rawValue: rawKind),
            !Database.isReservedTableName(names.tableName)
        else { return [] }
        let schema = names.databaseName
        let updated = { (table: String) in
            DatabaseEventKind.update(
                tableName: table, columnNames: self.raw.columnsOfTable(schema, table))
        }
        var kinds: [DatabaseEventKind]
        switch kind {
        case .insert: kinds = [.insert(tableName: names.tableName)]
        case .delete: kinds = [.delete(tableName: names.tableName)]
        case .update: kinds = [updated(names.tableName)]
        }
        // The changes of the virtual table's rows are unknown.
        for table in names.virtualTableNames {
            kinds += [.insert(tableName: table), .delete(tableName: table), updated(table)]
        }
        var result: ContiguousArray<TransactionObservation> = []
        for observation in observations.elements where observation.isListening {
            if known.contains(where: { $0 === observation }) {
                result.append(observation)
                continue
            }
            guard observation.retainObserver() else { continue }
            if kinds.contains(where: { observation.observes($0, replaces: true) }) {
                result.append(observation)
            }
            observation.releaseObserver()
        }
        return result
    }

    func virtualTables(
        keepingContentIn table: String, _ schema: UnsafePointer<CChar>
    ) -> [String] {
        raw.virtualTable(keepingContentIn: table, String(cString: schema)).map { [$0] } ?? []
    }

    /// Notifies observers of a change that the running statement does not declare.
    ///
    /// - parameter audience: the audience of the running statement, if any.
    /// - parameter known: observers that accepted the change when its statement declared it.
    func receiveUndeclared(
        _ change: some RawRowChange, _ audience: ChangeAudience?,
        known: ContiguousArray<TransactionObservation>
    ) {
        let routes = audience?.undeclaredRoutes ?? undeclaredRoutes
        let route = routes.route(of: change, self, known: known)
        notifying { change.deliver(along: route, by: self) }
    }
}
