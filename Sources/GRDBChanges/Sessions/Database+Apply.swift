import GRDB
public import _GRDBSystem

extension Database {
    /// Applies the changes of a changeset, or of a patchset, to the tables of the main schema.
    ///
    /// ```swift
    /// let application = try db.apply(changeset) { conflict in
    ///     conflict.canReplace ? .replace : .omit
    /// }
    /// if !application.isComplete {
    ///     print("\(application.omittedCount) changes were left out")
    /// }
    /// ```
    ///
    /// All changes are applied, or none: an error undoes the changes that were already applied.
    /// Transaction observers and database observations are notified of the changes, including those
    /// of triggers and foreign key actions. Immediate foreign keys are checked after all changes
    /// were applied, so the order of the changes does not matter.
    ///
    /// The triggers and foreign key actions of this database run, as in `sqlite3changeset_apply()`: the
    /// changes are new to this database, whose indexes, totals and dependent rows must follow, and the
    /// database that recorded them may have other triggers. A changeset also contains what triggers and
    /// foreign key actions changed when it was recorded. To avoid these changes being made twice, exclude them by
    /// ``Changeset/Change/isIndirect``, or use ``ChangesetApplyOptions/withoutForeignKeyActions``.
    /// ``UndoHistory`` runs neither.
    ///
    /// The closure may read the database, which includes the changes applied so far. Its attempts
    /// to write fail with the code `SQLITE_READONLY`, and to commit with `SQLITE_MISUSE`. This method
    /// rethrows its errors.
    ///
    /// - parameter changeset: the changes.
    /// - parameter options: options of the application.
    /// - parameter onConflict: returns the resolution of a conflict. By default, the first conflict
    ///   throws a ``ChangesetConflictError``.
    /// - returns: the numbers of applied and skipped changes, and the conflicts.
    /// - throws: a ``ChangesetConflictError`` if a conflict is resolved with
    ///   ``ChangesetConflict/Resolution/abort``; the error of a closure, an SQL function or an
    ///   observer; a ``/GRDB/DatabaseError`` of code `SQLITE_SCHEMA` if a table is missing or has
    ///   different columns (see ``ChangesetApplyOptions/skippingMismatchedTables``),
    ///   `SQLITE_READONLY` in a read-only access, `SQLITE_MISUSE` if a patchset is inverted, or if
    ///   a conflict that does not allow it is resolved with
    ///   ``ChangesetConflict/Resolution/replace``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changeset_apply.html>
    @discardableResult
    public func apply(
        _ changeset: Changeset,
        options: ChangesetApplyOptions = [],
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws -> ChangesetApplication {
        try apply(changeset, filter: nil, options: options, onConflict: onConflict)
    }

    /// Applies the changes of a changeset, or of a patchset, that a closure selects.
    ///
    /// ```swift
    /// try db.apply(changeset, filter: { $0.tableName == "player" }) { conflict in
    ///     .omit
    /// }
    /// ```
    ///
    /// Otherwise, this method works like ``apply(_:options:onConflict:)``.
    ///
    /// - parameter changeset: the changes.
    /// - parameter filter: returns whether to apply a change. It may read the database.
    /// - parameter options: options of the application.
    /// - parameter onConflict: returns the resolution of a conflict. By default, the first conflict
    ///   throws a ``ChangesetConflictError``.
    /// - returns: the numbers of applied and skipped changes, and the conflicts.
    /// - throws: the errors of ``apply(_:options:onConflict:)``. A table need not exist if the
    ///   filter excludes all its changes.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changeset_apply.html>
    @discardableResult
    public func apply(
        _ changeset: Changeset,
        filter: (Changeset.Change) throws -> Bool,
        options: ChangesetApplyOptions = [],
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws -> ChangesetApplication {
        try withoutActuallyEscaping(filter) { filter in
            try apply(changeset, filter: .some(filter), options: options, onConflict: onConflict)
        }
    }

    private func apply(
        _ changeset: Changeset,
        filter: ((Changeset.Change) throws -> Bool)?,
        options: ChangesetApplyOptions,
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution
    ) throws -> ChangesetApplication {
        try checkApplication()
        let summaries = changeset.summaries
        return try withoutActuallyEscaping(onConflict) { onConflict in
            let applier = ChangesetApplier(
                database: self, options: options, filter: filter, onConflict: onConflict)
            try applier.prepare(summaries) { visit in
                for change in changeset { try visit(change) }
            }
            return try changeset.data.withUnsafeBytes { bytes in
                try applier.apply(.bytes(bytes))
            }
        }
    }

    // MARK: - Files

    /// Applies a changeset, or a patchset, from a file, in pieces.
    ///
    /// The file is read twice: nothing is applied unless the whole file is valid. Otherwise, this
    /// method works like ``apply(_:options:onConflict:)``.
    ///
    /// - parameter url: the URL of a file written by a session or a builder.
    /// - parameter options: options of the application.
    /// - parameter onConflict: returns the resolution of a conflict. By default, the first conflict
    ///   throws a ``ChangesetConflictError``.
    /// - returns: the numbers of applied and skipped changes, and the conflicts.
    /// - throws: the errors of ``apply(_:options:onConflict:)``; a ``/GRDB/DatabaseError`` of code
    ///   `SQLITE_CORRUPT` if the file is not a changeset; the error of the file system.
    @discardableResult
    public func apply(
        contentsOf url: URL,
        options: ChangesetApplyOptions = [],
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws -> ChangesetApplication {
        try apply(contentsOf: url, filter: nil, options: options, onConflict: onConflict)
    }

    /// Applies the changes of a file that a closure selects.
    ///
    /// Otherwise, this method works like ``apply(contentsOf:options:onConflict:)``.
    ///
    /// - parameter url: the URL of a file written by a session or a builder.
    /// - parameter filter: returns whether to apply a change. It may read the database.
    /// - parameter options: options of the application.
    /// - parameter onConflict: returns the resolution of a conflict. By default, the first conflict
    ///   throws a ``ChangesetConflictError``.
    /// - returns: the numbers of applied and skipped changes, and the conflicts.
    /// - throws: the errors of ``apply(contentsOf:options:onConflict:)``. A table need not exist if
    ///   the filter excludes all its changes.
    @discardableResult
    public func apply(
        contentsOf url: URL,
        filter: (Changeset.Change) throws -> Bool,
        options: ChangesetApplyOptions = [],
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws -> ChangesetApplication {
        try withoutActuallyEscaping(filter) { filter in
            try apply(
                contentsOf: url, filter: .some(filter), options: options, onConflict: onConflict)
        }
    }

    private func apply(
        contentsOf url: URL,
        filter: ((Changeset.Change) throws -> Bool)?,
        options: ChangesetApplyOptions,
        onConflict: (ChangesetConflict) throws -> ChangesetConflict.Resolution
    ) throws -> ChangesetApplication {
        try checkApplication()
        let summaries = try ChangesetFile.scan(url).tables
        return try withoutActuallyEscaping(onConflict) { onConflict in
            let applier = ChangesetApplier(
                database: self, options: options, filter: filter, onConflict: onConflict)
            try applier.prepare(summaries) { visit in
                _ = try ChangesetFile.scan(url, visit)
            }
            let reader = try ChangesetFileReader(url)
            defer { reader.close() }
            return try applier.apply(.stream(RawChangesetInput { try reader.read($0) }))
        }
    }

    private func checkApplication() throws {
        try checkAccess()
        if isReadOnly {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
        }
    }
}
