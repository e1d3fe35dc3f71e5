/// An operation on the row of a record, which identifies a plan among the plans of its record type.
@usableFromInline
struct PersistenceOperation {
    @usableFromInline
    enum Verb: UInt8 {
        case insert
        case update
        case upsert
        case delete
        case exists

        static let count = 5
    }

    let verb: Verb
    let conflictResolution: Database.ConflictResolution

    /// Details that few operations have. A class, so that comparing other operations is cheap.
    var details: Details?

    /// The verb and the conflict resolution in one number.
    private let code: UInt8

    final class Details {
        /// The columns to update, nil for all; or the conflict target of an upsert.
        let columns: [String]?
        /// Whether an upsert overwrites the inserted columns.
        let overwritesColumns: Bool
        /// The selection of `RETURNING`, and the type of the records decoded from it.
        let returned: (type: ObjectIdentifier, selection: [any SQLSelectable])?

        init(
            columns: [String]? = nil, overwritesColumns: Bool = true,
            returned: (type: ObjectIdentifier, selection: [any SQLSelectable])? = nil
        ) {
            self.columns = columns
            self.overwritesColumns = overwritesColumns
            self.returned = returned
        }
    }

    init(
        _ verb: Verb, onConflict conflictResolution: Database.ConflictResolution = .abort,
        _ details: Details? = nil
    ) {
        self.verb = verb
        self.conflictResolution = conflictResolution
        self.details = details
        code = Self.code(verb, conflictResolution)
    }

    @inline(__always)
    static func code(
        _ verb: Verb, _ conflictResolution: Database.ConflictResolution
    ) -> UInt8 {
        let number: UInt8 =
            switch conflictResolution {
            case .abort: 0
            case .fail: 1
            case .ignore: 2
            case .replace: 3
            case .rollback: 4
            }
        return verb.rawValue << 3 | number
    }

    /// Whether the operation has this code, and no details but the columns of an update.
    @inline(__always)
    func isPlain(_ code: UInt8, updating columns: [String]?) -> Bool {
        guard code == self.code else { return false }
        guard let columns else { return details == nil }
        return details.map { $0.returned == nil && $0.columns?.hasSameBytes(as: columns) == true }
            ?? false
    }

    /// Whether the operations are known to have the same statement, given the same columns.
    @inline(__always)
    func isSame(as other: PersistenceOperation) -> Bool {
        code == other.code
            && (details == nil && other.details == nil || hasSameDetails(as: other))
    }

    @inline(never)
    private func hasSameDetails(as other: PersistenceOperation) -> Bool {
        guard let details, let otherDetails = other.details else { return false }
        if details === otherDetails { return true }
        switch (details.columns, otherDetails.columns) {
        case (nil, nil): break
        case (let columns?, let others?) where columns.hasSameBytes(as: others): break
        default: return false
        }
        if details.overwritesColumns != otherDetails.overwritesColumns { return false }
        switch (details.returned, otherDetails.returned) {
        case (nil, nil):
            return true
        case (let returned?, let other?):
            return returned.type == other.type
                && (returned.selection.isIdentical(to: other.selection)
                    || returned.selection.isEqual(to: other.selection))
        default:
            return false
        }
    }

    /// Whether the statement finds its row by the primary key of the record.
    var needsKey: Bool { verb != .insert && verb != .upsert }

    /// The columns that an update sets; nil for all.
    var updatedColumns: [String]? { verb == .update ? details?.columns : nil }

    /// Whether an update sets a column, if the record does.
    func updates(_ column: String) -> Bool {
        updatedColumns?.contains { ASCIICase.equal($0, column) } ?? true
    }

    /// Whether the statement stores columns of the record, so that callbacks receive them.
    var storesColumns: Bool { verb != .delete && verb != .exists }
}

/// The outcome of an operation on the row of a record.
struct RowOutcome {
    /// Whether a row was inserted, updated or deleted, or exists.
    var hasRow: Bool

    /// The rowid returned by `RETURNING`.
    var rowID: Int64?
}

/// The options chosen by the caller of a persistence method.
struct PersistenceOptions {
    /// What the caller gets from the `RETURNING` clause.
    enum Returned {
        case nothing

        /// The result of a closure that executes the statement.
        case result(of: (Statement) throws -> Void, selection: [SQLSelection])

        /// The row, decoded as a type.
        case row(type: Any.Type, selection: [any SQLSelectable], decode: (Row) throws -> Void)
    }

    /// Nil for the conflict resolution of the record type.
    var conflictResolution: Database.ConflictResolution?

    /// Whether an insertion updates the row that it conflicts with.
    var isUpsert = false

    /// The columns to update, nil for all; or the conflict target of an upsert.
    var columns: [String]?

    /// Whether an upsert overwrites the inserted columns.
    var overwritesColumns = true

    /// Additional assignments, which replace the values that the record sets.
    var assignments: [ColumnAssignment] = []

    var userInfo: [CodingUserInfoKey: Any] = [:]

    var returned = Returned.nothing

    /// Whether records can be bound to the statement of a plan.
    var isPlain: Bool {
        guard case .nothing = returned else { return false }
        return assignments.isEmpty && userInfo.isEmpty
    }

    /// Whether the statement can be that of a plan. A caller who receives the statement might keep it.
    var usesPlans: Bool {
        if case .result = returned { false } else { assignments.isEmpty }
    }

    /// The selection of `RETURNING`.
    var returnedSelection: [SQLSelection] {
        switch returned {
        case .nothing: []
        case .result(_, let selection): selection
        case .row(_, let selection, _): selection.map(\.sqlSelection)
        }
    }

    /// Returns the operation with these options on a record of a type.
    func operation(
        _ verb: PersistenceOperation.Verb, of recordType: (some MutablePersistableRecord).Type
    ) -> PersistenceOperation {
        let policy = recordType.persistenceConflictPolicy
        let conflictResolution: Database.ConflictResolution =
            switch verb {
            case .insert: self.conflictResolution ?? policy.conflictResolutionForInsert
            case .update: self.conflictResolution ?? policy.conflictResolutionForUpdate
            case .upsert, .delete, .exists: .abort
            }
        var details: PersistenceOperation.Details?
        if case .row(let type, let selection, _) = returned {
            details = .init(
                columns: columns, overwritesColumns: overwritesColumns,
                returned: (ObjectIdentifier(type), selection))
        } else if let columns {
            details = .init(columns: columns)
        }
        return PersistenceOperation(verb, onConflict: conflictResolution, details)
    }
}

// MARK: - RETURNING

extension PersistenceOptions {
    /// Performs an operation that returns a row, and returns a record built from the row.
    ///
    /// - parameter selection: the selected columns; nil for those of the record type.
    func fetching<Record: FetchableRecord & TableRecord>(
        _ type: Record.Type, selection: [any SQLSelectable]? = nil,
        _ operation: (PersistenceOptions) throws -> Void
    ) throws -> Record {
        var record: Record?
        var options = self
        options.returned = .row(type: type, selection: selection ?? type.databaseSelection) {
            record = try Record(row: $0)
        }
        try operation(options)
        // The operation has thrown an error if there was no row.
        return record!
    }

    /// Performs an operation whose statement is executed by a closure, and returns the result of the
    /// closure.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the selection is empty, or if the
    ///   closure does not execute its statement.
    func fetching<Value>(
        _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> Value,
        _ operation: (PersistenceOptions) throws -> Void
    ) throws -> Value {
        if selection.isEmpty {
            throw DatabaseError(misuse: "The selection of returned columns is empty")
        }
        return try withoutActuallyEscaping(fetch) { fetch in
            var value: Value?
            var options = self
            options.returned = .result(
                of: { value = try fetch($0) }, selection: selection.map(\.sqlSelection))
            try operation(options)
            return value!
        }
    }
}
