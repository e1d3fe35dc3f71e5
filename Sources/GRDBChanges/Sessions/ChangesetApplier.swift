import GRDB
import _GRDBSystem

/// Applies one changeset to a database.
final class ChangesetApplier {
    private let database: Database
    private let options: ChangesetApplyOptions
    private let filter: ((Changeset.Change) throws -> Bool)?
    private let onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution

    private var result = ChangesetApplication()

    /// A table whose changes are applied.
    private struct Target {
        let header: ChangesetHeader
        let columnNames: [String]
    }

    /// The target tables, by their names in the changeset.
    private var targets: [CaseInsensitiveIdentifier: Target] = [:]

    /// The table of the latest change. A cache, because changes are grouped by table.
    private var latestTarget: Target?

    /// The number of changes in matching tables.
    private var changeCount = 0

    /// The possible effects of the changes, including triggers and foreign key actions.
    private var kinds: [DatabaseEventKind] = []
    private var replacesRows = false

    // The state while the C function runs.

    /// The error of a closure, which aborts the C function.
    private var error: (any Error)?

    /// Whether a change, or a closure, has ended the transaction.
    private var hasEndedTransaction = false

    /// The savepoints that SQLite has opened and not released.
    private var savepoints: [String] = []

    /// The number of violations of foreign keys before the changes. They are none of their conflicts.
    private var formerViolationCount = 0

    /// The number of violations of immediate foreign keys, read before SQLite resets it.
    private var violationCount: Int64 = 0

    init(
        database: Database, options: ChangesetApplyOptions,
        filter: ((Changeset.Change) throws -> Bool)?,
        onConflict: @escaping (ChangesetConflict) throws -> ChangesetConflict.Resolution
    ) {
        self.database = database
        self.options = options
        self.filter = filter
        self.onConflict = onConflict
    }

    // MARK: - Tables

    /// Compares the tables of the changeset with the tables of the database.
    ///
    /// - parameter forEachChange: calls a closure with each change.
    func prepare(
        _ summaries: [ChangesetScanner.TableSummary],
        forEachChange: ((Changeset.Change) throws -> Void) throws -> Void
    ) throws {
        let isInverted = options.contains(.inverted)
        if isInverted, summaries.contains(where: \.header.isPatchset) {
            throw Changeset.patchsetError("inverted")
        }
        for summary in summaries where summary.changeCount > 0 {
            let header = summary.header
            let table = try ChangesetSchema.table(header.tableName, schema: "main", in: database)
            let mismatch = table.map { $0.mismatch(header) } ?? .missing
            if let mismatch {
                result.mismatchedTables.append(
                    ChangesetApplication.MismatchedTable(
                        tableName: header.tableName,
                        reason: .init(mismatch, expectedColumnCount: header.columnCount),
                        changeCount: summary.changeCount))
            } else if let table {
                let names = Array(table.columnNames.prefix(header.columnCount))
                targets[CaseInsensitiveIdentifier(header.tableName)] = Target(
                    header: header, columnNames: names)
                changeCount += summary.changeCount
                guard database.broker.isActive else { continue }
                let effects = try ChangesetEffects(
                    header, columnNames: names, changedColumns: summary.changedColumns,
                    in: database)
                kinds += effects.kinds
                replacesRows = replacesRows || effects.replacesRows
            }
        }
        try checkMismatches(forEachChange)
    }

    /// Throws if changes of mismatched tables would be left out without consent: neither by option,
    /// nor by the filter.
    private func checkMismatches(
        _ forEachChange: ((Changeset.Change) throws -> Void) throws -> Void
    ) throws {
        if options.contains(.skippingMismatchedTables) { return }
        guard let first = result.mismatchedTables.first else { return }
        guard let filter else { throw first.error }
        // Tables whose changes are all filtered out need not exist.
        let tables = Dictionary(
            result.mismatchedTables.map { (CaseInsensitiveIdentifier($0.tableName), $0) },
            uniquingKeysWith: { first, _ in first })
        try forEachChange { change in
            guard let table = tables[CaseInsensitiveIdentifier(change.tableName)] else { return }
            var change = change
            change.isInverted = options.contains(.inverted)
            if try callingOut({ try filter(change) }) { throw table.error }
        }
        for table in result.mismatchedTables { result.filteredCount += table.changeCount }
        result.mismatchedTables = []
    }

    // MARK: - Applying

    func apply(_ source: RawChangesetSource) throws -> ChangesetApplication {
        let run = {
            try self.run(source)
            return Database.TransactionCompletion.commit
        }
        if database.raw.isInAutocommitMode {
            try database.inTransaction(nil, run)
        } else if options.contains(.withoutSavepoint) {
            _ = try run()
        } else {
            try database.inSavepoint(run)
        }
        result.appliedCount = changeCount - result.filteredApplicableCount - result.omittedCount
        return result
    }

    private func run(_ source: RawChangesetSource) throws {
        let raw = database.raw
        try database.checkTransaction()
        do throws(RawFailure) { try raw.checkState() } catch { throw DatabaseError(error) }
        if database.suspension != nil {
            try database.checkSuspension(isReadonly: false, effect: nil)
        }
        // SQLite sets and resets `PRAGMA defer_foreign_keys`, which also resets the count of
        // deferred violations.
        let violations = raw.deferredForeignKeyViolations
        formerViolationCount = raw.openForeignKeyViolations
        let outerError = raw.callbackError
        raw.callbackError = nil
        let hadFailedWithinChange = raw.hasFailedWithinChange
        raw.hasFailedWithinChange = false
        defer { raw.hasFailedWithinChange = hadFailedWithinChange }

        let (code, resolutions) = perform(source)
        result.resolutions = ConflictResolutions(resolutions)
        let failure = code == RawStatement.ok ? nil : raw.failure(code)
        if violations != nil { raw.deferredForeignKeyViolations = violationCount }

        let callbackError = raw.callbackError
        raw.callbackError = outerError
        if let error = errorToThrow(source, failure, callbackError) {
            endSavepoints()
            if raw.hasFailedWithinChange, options.contains(.withoutSavepoint) {
                database.rollbackReason = "\(error)"
            }
            throw error
        }
    }

    /// Calls the C function that applies the changes.
    private func perform(_ source: RawChangesetSource) -> (CInt, RawBytes) {
        let raw = database.raw
        let application = RawChangesetApplication(
            filter: filter == nil ? nil : { [unowned self] in includes($0) },
            resolve: { [unowned self] in resolve($0, $1) })
        var flags: RawChangesetApplication.Flags = .noSavepoint
        if options.contains(.inverted) { flags.insert(.invert) }
        if options.contains(.ignoringNoops) { flags.insert(.ignoreNoop) }
        if options.contains(.withoutForeignKeyActions) { flags.insert(.foreignKeyNoAction) }

        // After a rollback of the transaction, for example by `ON CONFLICT ROLLBACK`, SQLite would
        // apply the rest of the changeset, and commit each change.
        let didRollback = raw.hooks.didRollback
        let wasQueryOnly = raw.isQueryOnly
        raw.hooks.didRollback = { [unowned self] in
            didRollback?()
            transactionDidEnd()
        }
        database.callbacks.didAuthorize = { [unowned self] in note($0) }
        defer {
            database.callbacks.didAuthorize = nil
            raw.hooks.didRollback = didRollback
            if hasEndedTransaction { raw.setQueryOnly(wasQueryOnly) }
        }
        var resolutions = RawBytes(start: nil, count: 0)
        let code = database.broker.perform(kinds, replaces: replacesRows) {
            let (code, bytes) = application.apply(source, to: raw, flags: flags)
            resolutions = bytes
            return code
        }
        return (code, resolutions)
    }

    /// Prevents further changes by making the connection query-only.
    private func transactionDidEnd() {
        hasEndedTransaction = true
        database.raw.setQueryOnly(true)
    }

    private func errorToThrow(
        _ source: RawChangesetSource, _ failure: RawFailure?, _ callbackError: (any Error)?
    ) -> (any Error)? {
        if database.raw.isInAutocommitMode {
            database.clearSchemaCache()
            database.transactionDidEnd()
            let observerError =
                database.broker.hasCompletion ? database.broker.notifyCompletion() : nil
            // After a constraint has rolled back the transaction, SQLite fails at the next change,
            // because the connection is query-only: ignore that failure. All other failures caused
            // the rollback.
            let reason = failure.flatMap { failure -> (any Error)? in
                switch ResultCode(rawValue: failure.code).primaryResultCode {
                case .SQLITE_READONLY, .SQLITE_CONSTRAINT, .SQLITE_ABORT, .SQLITE_ERROR: return nil
                default: return database.error(failure)
                }
            }
            return observerError ?? error ?? callbackError ?? reason
                ?? DatabaseError(
                    resultCode: .SQLITE_ABORT,
                    message: "Transaction was aborted by a change of the changeset")
        }
        if let error { return error }
        guard let failure else { return nil }
        if let callbackError { return callbackError }
        if case .stream(let input) = source, let error = input.error { return error }
        return database.error(failure)
    }

    /// Tracks the savepoints and pragmas that SQLite runs internally while it applies changes.
    private func note(_ authorization: RawAuthorization) {
        guard let argument1 = authorization.argument1, let argument2 = authorization.argument2
        else { return }
        switch authorization.action {
        case RawAuthorization.savepoint:
            let name = String(cString: argument2)
            switch String(cString: argument1) {
            case "BEGIN":
                savepoints.append(name)
                database.broker.didOpenSavepoint(name)
            case "RELEASE":
                _ = savepoints.popLast()
                database.broker.didReleaseSavepoint(name)
            default:
                database.broker.didRollBackSavepoint(name)
            }
        case RawAuthorization.pragma
        where String(cString: argument1) == "defer_foreign_keys"
            && String(cString: argument2) == "0":
            violationCount = database.raw.immediateForeignKeyViolations
        default:
            break
        }
    }

    /// Rolls back the savepoints that an error has left open, unless an enclosing savepoint of
    /// `apply` does it.
    private func endSavepoints() {
        guard options.contains(.withoutSavepoint), !database.raw.isInAutocommitMode else { return }
        for name in savepoints.reversed() {
            try? database.execute(sql: "ROLLBACK TO \(name); RELEASE \(name)")
        }
    }

    // MARK: - Callbacks

    /// Calls a closure of the app, which can't change the database.
    private func callingOut<Result>(_ body: () throws -> Result) rethrows -> Result {
        let monitor = database.callbacks.didAuthorize
        database.callbacks.didAuthorize = nil
        database.beginReadOnly()
        database.heldTransaction = .init()
        defer {
            if database.heldTransaction?.isRolledBack == true {
                database.rollbackReason =
                    "a closure has rolled back changes while a changeset was applied"
                hasEndedTransaction = true
            }
            database.heldTransaction = nil
            database.endReadOnly()
            database.callbacks.didAuthorize = monitor
            if database.raw.isInAutocommitMode { transactionDidEnd() }
        }
        return try body()
    }

    private func includes(_ change: RawAppliedChange) -> Bool {
        guard error == nil, let filter else { return false }
        do {
            let change = makeChange(change)
            if try callingOut({ try filter(change) }) { return true }
            result.filteredApplicableCount += 1
            result.filteredCount += 1
        } catch {
            self.error = error
        }
        return false
    }

    private func resolve(_ code: CInt, _ change: RawAppliedChange) -> CInt {
        guard error == nil, !hasEndedTransaction else { return RawChangesetApplication.abort }
        do {
            let conflict = makeConflict(code, change)
            // SQLite also reports violations that were open before.
            if conflict.kind == .foreignKey, conflict.foreignKeyViolationCount <= 0 {
                return RawChangesetApplication.omit
            }
            let resolution = try callingOut { try onConflict(conflict) }
            switch resolution {
            case .abort:
                throw ChangesetConflictError(conflict: conflict)
            case .replace where !conflict.canReplace:
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "A conflict of the kind \(conflict.kind) can't be answered with replace")
            case .replace, .omit:
                result.conflicts.append(.init(conflict: conflict, resolution: resolution))
                return resolution == .omit
                    ? RawChangesetApplication.omit : RawChangesetApplication.replace
            }
        } catch {
            self.error = error
            return RawChangesetApplication.abort
        }
    }

    private func makeConflict(_ code: CInt, _ change: RawAppliedChange) -> ChangesetConflict {
        let kind: ChangesetConflict.Kind =
            switch code {
            case RawChangesetApplication.data: .data
            case RawChangesetApplication.notFound: .notFound
            case RawChangesetApplication.conflict: .conflict
            case RawChangesetApplication.constraint: .constraint
            default: .foreignKey
            }
        if kind == .foreignKey {
            return ChangesetConflict(
                kind: kind, change: nil, conflictingValues: nil,
                foreignKeyViolationCount: database.raw.openForeignKeyViolations
                    - formerViolationCount)
        }
        let value = makeChange(change)
        var row: [DatabaseValue]?
        if kind == .data || kind == .conflict {
            row = (0..<value.columnCount).map { index in
                change.conflictingValue(at: index).map { DatabaseValue(rawValue: $0) } ?? .null
            }
        }
        return ChangesetConflict(
            kind: kind, change: value, conflictingValues: row, foreignKeyViolationCount: 0)
    }

    private func makeChange(_ change: RawAppliedChange) -> Changeset.Change {
        let target = target(change.table)
        return Changeset.Change(
            header: target.header, bytes: Data(change.bytes), columnNames: target.columnNames,
            isInverted: options.contains(.inverted))
    }

    private func target(_ table: UnsafePointer<CChar>) -> Target {
        let name = String(cString: table)
        if let latestTarget, latestTarget.header.tableName.hasSameBytes(as: name) {
            return latestTarget
        }
        let target = targets[CaseInsensitiveIdentifier(name)]!
        latestTarget = target
        return target
    }
}

extension ChangesetApplication.MismatchedTable {
    fileprivate var error: DatabaseError {
        let message =
            switch reason {
            case .missing: "no such table: \(tableName)"
            case .columnCount(let expected, let found):
                "The table \(tableName) has \(found) columns; the changeset has \(expected)"
            case .primaryKey: "The table \(tableName) has another primary key than the changeset"
            }
        return DatabaseError(resultCode: .SQLITE_SCHEMA, message: message)
    }
}

extension ChangesetApplication.MismatchedTable.Reason {
    init(_ mismatch: ChangesetSchema.Mismatch, expectedColumnCount: Int) {
        self =
            switch mismatch {
            case .missing: .missing
            case .columnCount(let found): .columnCount(expected: expectedColumnCount, found: found)
            case .primaryKey: .primaryKey
            }
    }
}
