import GRDB

// Inserting and updating rows from any `Encodable` value.

extension Table {
    /// Inserts a row from an `Encodable` value.
    ///
    /// ```swift
    /// struct User: Encodable {
    ///     var email: String
    ///     var name: String?
    /// }
    ///
    /// // INSERT INTO "user" ("email", "name") VALUES ('alice@example.com', NULL)
    /// let user = User(email: "alice@example.com", name: nil)
    /// let id = try Table("user").insert(db, from: user)
    /// ```
    ///
    /// Columns have the names of coding keys. An ``/GRDB/EncodableRecord`` is encoded as in persistence
    /// methods.
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - value: a value that encodes itself in a keyed container.
    ///     - conflictResolution: what to do when a constraint is violated; nil for the policy of the
    ///       record type of the table.
    ///     - userInfo: contextual information for `encode(to:)`.
    ///     - otherAssignments: additional assignments, which replace the columns that the value
    ///       encodes.
    /// - returns: the rowid of the row; 0 if it was ignored because of a conflict.
    /// - throws: a ``/GRDB/DatabaseError``, or the error of `encode(to:)`.
    @discardableResult
    public func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from value: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
        _ otherAssignments: [ColumnAssignment] = []
    ) throws -> Int64 {
        try insert(
            db, onConflict: conflictResolution,
            columnAssignments(of: value, userInfo, otherAssignments))
    }

    /// Updates all rows from an `Encodable` value.
    ///
    /// ```swift
    /// // UPDATE "user" SET "email" = 'alice@example.com', "name" = NULL
    /// try Table("user").updateAll(db, from: User(email: "alice@example.com", name: nil))
    /// ```
    ///
    /// - returns: the number of updated rows.
    /// - throws: a ``/GRDB/DatabaseError``, or the error of `encode(to:)`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from value: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
        _ otherAssignments: [ColumnAssignment] = []
    ) throws -> Int {
        try all().updateAll(
            db, onConflict: conflictResolution, from: value, userInfo: userInfo, otherAssignments)
    }
}

extension QueryInterfaceRequest {
    /// Updates the rows from an `Encodable` value.
    ///
    /// ```swift
    /// struct Score: Encodable {
    ///     var score: Int
    ///     var bonus: Int
    /// }
    ///
    /// // UPDATE "player" SET "score" = 100, "bonus" = 10 WHERE "id" = 1
    /// try Player.filter(id: 1).updateAll(db, from: Score(score: 100, bonus: 10))
    /// ```
    ///
    /// All rows of the request get the same values.
    ///
    /// - parameters:
    ///     - db: a connection that can write.
    ///     - value: a value that encodes itself in a keyed container.
    ///     - conflictResolution: what to do when a constraint is violated; nil for the policy of the
    ///       record type of the request.
    ///     - userInfo: contextual information for `encode(to:)`.
    ///     - otherAssignments: additional assignments, which replace the columns that the value
    ///       encodes.
    /// - returns: the number of updated rows.
    /// - throws: a ``/GRDB/DatabaseError``, or the error of `encode(to:)`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from value: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
        _ otherAssignments: [ColumnAssignment] = []
    ) throws -> Int {
        try updateAll(
            db, onConflict: conflictResolution,
            columnAssignments(of: value, userInfo, otherAssignments))
    }
}

/// Returns `otherAssignments`, and the assignments of all other columns of a value.
private func columnAssignments(
    of value: some Encodable, _ userInfo: [CodingUserInfoKey: Any],
    _ otherAssignments: [ColumnAssignment]
) throws -> [ColumnAssignment] {
    let container =
        if let record = value as? any EncodableRecord {
            try record.encodedContainer(userInfo: userInfo)
        } else {
            try PlainRecord(value: value).encodedContainer(userInfo: userInfo)
        }
    let others = Set(otherAssignments.map { CaseInsensitiveIdentifier($0.columnName) })
    return
        container
        .filter { !others.contains(CaseInsensitiveIdentifier($0.0)) }
        .map { Column($0.0).set(to: $0.1) } + otherAssignments
}

/// Encodes any value like a record.
private struct PlainRecord<Value: Encodable>: EncodableRecord, Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
