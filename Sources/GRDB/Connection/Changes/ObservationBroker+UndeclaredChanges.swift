// Changes that no statement has declared: those of C code that calls SQLite on the connection, be it a
// function, a virtual table, or code of the app. The authorizer meets the statements that such code
// compiles. From the first one on, the hooks stay installed while there are observers.

extension ObservationBroker {
    /// A statement that changes a table is being compiled, and no `Statement` compiles it.
    func noteUndeclaredChange() {
        // Those that `sqlite3changeset_apply()` compiles were declared. Functions that it calls by way of
        // triggers run within a statement.
        if let applied = appliedStatementCount, raw.runningStatementCount <= applied { return }
        if hasUndeclaredChanges { return }
        hasUndeclaredChanges = true
        updateWatch(expiresStatements: false)
        // Statements that nobody was interested in may do more than they declare.
        if isActive { interestsDidChange() }
    }

    /// Whether a DELETE that is being compiled must delete row by row.
    ///
    /// - parameter isDeclared: whether a `Statement` is compiled for the first time.
    func observesDeletes(from table: String, isDeclared: Bool) -> Bool {
        if watchesUndeclaredChanges, !isDeclared { return true }
        return observesDeletes(from: table)
    }

    /// The observers of a change, who are asked about it.
    func observations(
        of names: TableNames, _ rawKind: CInt, known: ContiguousArray<TransactionObservation>
    ) -> ContiguousArray<TransactionObservation> {
        guard let kind = DatabaseEvent.Kind(rawValue: rawKind),
            !Database.isSQLiteInternalTable(names.tableName)
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
        // What happened to the rows of a virtual table is not known.
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

    // MARK: - Changes

    /// - parameter plan: what observers want to know of the statement that is running, if any.
    func undeclaredRowDidChange(_ update: RawUpdate, _ plan: ChangePlan?, declared: ChangeRoute?) {
        let routes = plan?.undeclaredRoutes ?? undeclaredRoutes
        let route = routes.route(of: update, self, known: declared?.observations ?? [])
        guard !route.observations.isEmpty, let kind = route.eventKind else { return }
        countEvent()
        if held.hasSavepoints {
            held.append(route, rowID: update.rowID)
            return
        }
        let event = DatabaseEvent(kind: kind, names: route.names, rowID: update.rowID)
        notifying {
            route.observations.forEachUncounted { observation in
                guard observation.isListening, observation.retainObserver() else { return }
                called = .passUnretained(observation)
                observation.wasTold = true
                observation.databaseDidChange(with: event)
                observation.releaseObserver()
            }
        }
    }

    /// - parameter plan: what observers want to know of the statement that is running, if any.
    func undeclaredRowWillChange(
        _ update: RawPreUpdate, _ plan: ChangePlan?, declared: ChangeRoute?
    ) {
        let routes = plan?.undeclaredRoutes ?? undeclaredRoutes
        let route = routes.route(of: update, self, known: declared?.observations ?? [])
        guard route.observations.contains(where: { $0.isListening && $0.wantsPreUpdates }),
            let event = DatabasePreUpdateEvent(update, route, ordinal: eventOrdinal &+ 1)
        else { return }
        countEvent()
        if held.hasSavepoints {
            held.append(route, PreUpdateCopy(of: event))
            return
        }
        notifying {
            route.observations.forEachUncounted { observation in
                guard observation.isListening, observation.wantsPreUpdates,
                    observation.retainObserver()
                else { return }
                called = .passUnretained(observation)
                observation.wasTold = true
                observation.databaseWillChange(with: event)
                observation.releaseObserver()
            }
        }
    }
}
