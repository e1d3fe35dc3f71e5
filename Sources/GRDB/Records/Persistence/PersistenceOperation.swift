/// An operation on the row of a record, which identifies a plan among the plans of its record type.
struct PersistenceOperation {
    enum Verb: UInt8 {
        case insert
        case update
        case upsert
        case delete
        case exists
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
        let number: UInt8 =
            switch conflictResolution {
            case .abort: 0
            case .fail: 1
            case .ignore: 2
            case .replace: 3
            case .rollback: 4
            }
        code = verb.rawValue << 3 | number
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
    var needsKey: Bool {
        switch verb {
        case .insert, .upsert: false
        case .update, .delete, .exists: true
        }
    }

    /// The columns that an update sets; nil for all.
    var updatedColumns: [String]? { verb == .update ? details?.columns : nil }

    /// Whether an update sets a column, if the record does.
    func updates(_ column: String) -> Bool {
        updatedColumns?.contains { ASCIICase.equal($0, column) } ?? true
    }

    /// Whether the statement stores columns of the record, so that callbacks receive them.
    var storesColumns: Bool {
        switch verb {
        case .insert, .upsert, .update: true
        case .delete, .exists: false
        }
    }
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
    /// Nil for the conflict resolution of the record type.
    var conflictResolution: Database.ConflictResolution?

    /// Additional assignments, which replace the values that the record sets.
    var assignments: [ColumnAssignment] = []

    var userInfo: [CodingUserInfoKey: Any] = [:]

    /// Whether only the conflict resolution was chosen.
    var isPlain: Bool { assignments.isEmpty && userInfo.isEmpty }
}
