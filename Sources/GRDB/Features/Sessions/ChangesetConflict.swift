/// A change of a changeset that can't be applied as it is, because the database is not the one that the
/// change was recorded in.
///
/// ```swift
/// try db.apply(changeset) { conflict in
///     switch conflict.kind {
///     case .data, .conflict: .replace  // The changeset wins
///     case .notFound: .omit            // Already deleted
///     case .constraint, .foreignKey: .abort
///     }
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/session/c_changeset_conflict.html>
public struct ChangesetConflict: Sendable {
    /// What the database holds instead of what a change expects.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// An update or a deletion has found the row of its primary key, but with other values than
        /// those that it changes. Patchsets, which lack the former values, don't have this conflict.
        case data

        /// An update or a deletion has not found the row of its primary key.
        case notFound

        /// An insertion has found another row with its primary key.
        case conflict

        /// A change would violate a constraint: `UNIQUE`, `CHECK`, `NOT NULL`…
        case constraint

        /// All changes are applied, and foreign keys are violated. There is no ``change``.
        case foreignKey
    }

    /// What to do about a conflict.
    public enum Resolution: Sendable, Hashable, CaseIterable {
        /// Skips the change. For ``Kind/foreignKey``, continues despite the violations.
        case omit

        /// Applies the change nevertheless: updates or deletes the row with other values, or deletes the
        /// row that an insertion has found. For ``Kind/data`` and ``Kind/conflict``.
        case replace

        /// Undoes all changes.
        case abort
    }

    /// What the database holds instead of what the change expects.
    public let kind: Kind

    /// The change; nil if the conflict is one of ``Kind/foreignKey``.
    public let change: Changeset.Change?

    /// The row that the database holds, one value per column of the change, for ``Kind/data`` and
    /// ``Kind/conflict``; otherwise nil.
    public let conflictingValues: [DatabaseValue]?

    /// The number of violated foreign keys; 0 unless the conflict is one of ``Kind/foreignKey``.
    public let foreignKeyViolationCount: Int

    /// Whether ``Resolution/replace`` is an answer.
    public var canReplace: Bool { kind == .data || kind == .conflict }

    /// The value of a column of the row that the database holds; nil if there is no such row or column.
    /// Names are compared without ASCII case.
    public func conflictingValue(forColumn name: String) -> DatabaseValue? {
        change?.index(ofColumn: name).flatMap { conflictingValues?[$0] }
    }
}

extension ChangesetConflict: CustomStringConvertible {
    public var description: String {
        guard let change else { return "\(kind): \(foreignKeyViolationCount) violations" }
        return "\(kind): \(change)"
    }
}

/// A changeset was not applied, because a conflict was answered with
/// ``ChangesetConflict/Resolution/abort``.
public struct ChangesetConflictError: Error, Sendable, CustomStringConvertible {
    /// The conflict.
    public let conflict: ChangesetConflict

    public var description: String { "The changeset was not applied. \(conflict)" }
}

/// How ``Database/apply(_:options:onConflict:)`` works.
public struct ChangesetApplyOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Undoes the changes. Patchsets can't be inverted.
    public static let inverted = ChangesetApplyOptions(rawValue: 1)

    /// Ignores conflicts of changes that have no effect: a deletion of a row that is not there, an
    /// update to the values that the row has, an insertion of a row that is there.
    public static let ignoringNoops = ChangesetApplyOptions(rawValue: 2)

    /// Opens no savepoint inside of a transaction. After an error, the changes stay that were applied
    /// before: undo the transaction. Outside of a transaction, it has no effect.
    public static let withoutSavepoint = ChangesetApplyOptions(rawValue: 4)

    /// Treats foreign keys as if they were declared with `NO ACTION`: rows that were deleted by `ON
    /// DELETE CASCADE`, say, are changes of the changeset, too.
    public static let withoutForeignKeyActions = ChangesetApplyOptions(rawValue: 8)

    /// Leaves the changes of tables out that are missing or have other columns, instead of throwing an
    /// error. See ``ChangesetApplication/mismatchedTables``.
    public static let skippingMismatchedTables = ChangesetApplyOptions(rawValue: 16)
}

/// What has become of a changeset that was applied.
public struct ChangesetApplication: Sendable {
    /// A conflict, and what was done about it.
    public struct ResolvedConflict: Sendable {
        /// The conflict.
        public let conflict: ChangesetConflict

        /// The answer. It is not ``ChangesetConflict/Resolution/abort``.
        public let resolution: ChangesetConflict.Resolution
    }

    /// A table whose changes were left out.
    public struct MismatchedTable: Sendable {
        /// What is different.
        public enum Reason: Sendable, Hashable {
            /// The database has no such table.
            case missing
            /// The table has fewer columns than the changes.
            case columnCount(expected: Int, found: Int)
            /// The table has another primary key.
            case primaryKey
        }

        /// The name of the table.
        public let tableName: String

        /// What is different.
        public let reason: Reason

        /// The number of changes that were left out.
        public let changeCount: Int
    }

    /// The number of changes that were applied, those included that change nothing.
    public internal(set) var appliedCount = 0

    /// The number of changes that the filter has left out.
    public internal(set) var filteredCount = 0

    /// Of those, the ones whose table fits.
    var filteredApplicableCount = 0

    /// The conflicts, in their order, with what was done about them.
    public internal(set) var conflicts: [ResolvedConflict] = []

    /// The tables that the changes did not fit. See
    /// ``ChangesetApplyOptions/skippingMismatchedTables``.
    public internal(set) var mismatchedTables: [MismatchedTable] = []

    /// How conflicts were resolved, for ``Changeset/rebased(on:)``. Empty for patchsets.
    public internal(set) var resolutions = ConflictResolutions()

    /// The number of changes that were left out because of a conflict.
    public var omittedCount: Int { conflicts.count { $0.isOmission } }

    /// Whether all changes were applied.
    public var isComplete: Bool {
        filteredCount == 0 && mismatchedTables.isEmpty && omittedCount == 0
    }
}

extension ChangesetApplication.ResolvedConflict {
    /// Whether a change was left out.
    var isOmission: Bool { resolution == .omit && conflict.kind != .foreignKey }
}
