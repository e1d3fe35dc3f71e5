// Interpolations of record types.

extension SQLInterpolation {
    /// `SELECT * FROM \(Player.self)`: the quoted name of the table.
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `SELECT * FROM \(type)`: the quoted name of the table.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `INSERT INTO \(tableOf: player)`: the quoted name of the table of a record.
    public mutating func appendInterpolation(tableOf record: some TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// `INSERT INTO \(tableOf: player)`: the quoted name of the table of a record.
    @_disfavoredOverload
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// `SELECT \(columnsOf: Player.self) FROM player`: the selection of a record type.
    ///
    /// ```swift
    /// // SELECT "player".* FROM player
    /// let request: SQLRequest<Player> = "SELECT \(columnsOf: Player.self) FROM player"
    ///
    /// // SELECT "p".* FROM player p
    /// let request: SQLRequest<Player> = """
    ///     SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p
    ///     """
    /// ```
    public mutating func appendInterpolation(
        columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil
    ) {
        append(
            fragment: RecordSelection(
                table: .init(recordType.databaseTableName),
                alias: tableAlias ?? recordType.databaseTableName,
                selection: recordType.sqlSelection))
    }
}
