import GRDB

/// A change that can't be applied because the database differs from the one in which the change was
/// recorded.
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
    /// The kinds of conflicts.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// An update or a deletion has found the row with its primary key, but with different
        /// former values. Patchsets don't cause this conflict, because they lack former values.
        case data

        /// An update or a deletion has not found the row with its primary key.
        case notFound

        /// An insertion has found another row with its primary key.
        case conflict

        /// A change would violate a constraint, such as `UNIQUE`, `CHECK` or `NOT NULL`.
        case constraint

        /// The changes have violated foreign keys, after all of them were applied. Violations that
        /// were open before are no conflict. The conflict has no ``change``.
        case foreignKey
    }

    /// The ways to resolve a conflict.
    public enum Resolution: Sendable, Hashable, CaseIterable {
        /// Skips the change. For ``Kind/foreignKey``, continues despite the violations.
        case omit

        /// Applies the change anyway: updates or deletes the row despite its different values, or
        /// deletes the existing row before the insertion. Only for ``Kind/data`` and
        /// ``Kind/conflict``.
        case replace

        /// Undoes all changes.
        case abort
    }

    /// The kind of the conflict.
    public let kind: Kind

    /// The change; nil if the kind is ``Kind/foreignKey``.
    public let change: Changeset.Change?

    /// The existing row, with one value per column of the change; nil unless the kind is
    /// ``Kind/data`` or ``Kind/conflict``.
    public let conflictingValues: [DatabaseValue]?

    /// The number of violated foreign keys; 0 unless the kind is ``Kind/foreignKey``.
    public let foreignKeyViolationCount: Int

    /// Whether the conflict can be resolved with ``Resolution/replace``.
    public var canReplace: Bool { kind == .data || kind == .conflict }

    /// Returns the value of a column of the existing row; nil if there is no such row or column.
    /// Names are compared ignoring ASCII case.
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

/// The error of a changeset that was not applied, because a conflict was resolved with
/// ``ChangesetConflict/Resolution/abort``.
public struct ChangesetConflictError: Error, Sendable, CustomStringConvertible {
    /// The conflict.
    public let conflict: ChangesetConflict

    public var description: String { "The changeset was not applied. \(conflict)" }
}

/// Options of ``GRDB/Database/apply(_:options:onConflict:)``.
public struct ChangesetApplyOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Undoes the changes. Patchsets can't be inverted.
    public static let inverted = ChangesetApplyOptions(rawValue: 1)

    /// Ignores conflicts of changes that would have no effect: deleting a missing row, updating a
    /// row to its current values, or inserting a row that already exists.
    public static let ignoringNoops = ChangesetApplyOptions(rawValue: 2)

    /// Opens no savepoint inside a transaction. After an error, the changes applied before the
    /// error remain: roll back the transaction. The option has no effect outside of a transaction.
    public static let withoutSavepoint = ChangesetApplyOptions(rawValue: 4)

    /// Treats foreign keys as if they were declared with `NO ACTION`. Use it when the changeset
    /// includes the effects of foreign key actions, such as rows deleted by `ON DELETE CASCADE`.
    public static let withoutForeignKeyActions = ChangesetApplyOptions(rawValue: 8)

    /// Skips the changes of tables that are missing or have different columns, instead of throwing
    /// an error. See ``ChangesetApplication/mismatchedTables``.
    public static let skippingMismatchedTables = ChangesetApplyOptions(rawValue: 16)
}

/// The result of applying a changeset.
public struct ChangesetApplication: Sendable {
    /// A conflict and its resolution.
    public struct ResolvedConflict: Sendable {
        /// The conflict.
        public let conflict: ChangesetConflict

        /// The resolution. It is never ``ChangesetConflict/Resolution/abort``.
        public let resolution: ChangesetConflict.Resolution
    }

    /// A table whose changes were skipped.
    public struct MismatchedTable: Sendable {
        /// The reason of the mismatch.
        public enum Reason: Sendable, Hashable {
            /// The database has no such table.
            case missing
            /// The table has fewer columns than the changes.
            case columnCount(expected: Int, found: Int)
            /// The table has a different primary key.
            case primaryKey
        }

        /// The name of the table.
        public let tableName: String

        /// The reason of the mismatch.
        public let reason: Reason

        /// The number of changes that were skipped.
        public let changeCount: Int
    }

    /// The number of applied changes, including changes without effect.
    public internal(set) var appliedCount = 0

    /// The number of changes that the filter has excluded.
    public internal(set) var filteredCount = 0

    /// The number of excluded changes whose table matches.
    var filteredApplicableCount = 0

    /// The conflicts and their resolutions, in order.
    public internal(set) var conflicts: [ResolvedConflict] = []

    /// The tables that don't match the changeset. See
    /// ``ChangesetApplyOptions/skippingMismatchedTables``.
    public internal(set) var mismatchedTables: [MismatchedTable] = []

    /// The conflict resolutions, for ``Changeset/rebased(on:)``. Empty for patchsets.
    public internal(set) var resolutions = ConflictResolutions()

    /// The number of changes that were omitted because of a conflict.
    public var omittedCount: Int { conflicts.count { $0.isOmission } }

    /// Whether all changes were applied.
    public var isComplete: Bool {
        filteredCount == 0 && mismatchedTables.isEmpty && omittedCount == 0
    }
}

extension ChangesetApplication.ResolvedConflict {
    /// Whether a change was omitted.
    var isOmission: Bool { resolution == .omit && conflict.kind != .foreignKey }
}
