// Associations from a table without a record type to the tables of record types.

extension Table {
    /// Creates an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// let author = Table("book").belongsTo(Author.self)
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(
            from: relation.tableName, to: destination.all().relation, key: key, using: foreignKey)
    }

    /// Creates an association to the row whose foreign key refers to this table.
    ///
    /// ```swift
    /// let profile = Table("author").hasOne(Profile.self)
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(
            from: relation.tableName, to: destination.all().relation, key: key, using: foreignKey)
    }

    /// Creates an association to the rows whose foreign key refers to this table.
    ///
    /// ```swift
    /// let books = Table("author").hasMany(Book.self)
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(
            from: relation.tableName, to: destination.all().relation, key: key, using: foreignKey)
    }
}
