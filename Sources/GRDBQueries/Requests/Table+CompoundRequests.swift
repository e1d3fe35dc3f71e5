import GRDB

// Compound requests of whole tables. See ``CompoundRequest``.

extension Table {
    /// Returns a request for the rows of both operands, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" UNION SELECT * FROM "coach" WHERE "isRetired"
    /// Table("player").union(Table("coach").filter(Column("isRetired")))
    /// ```
    public func union(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        all().union(other)
    }

    /// Returns a request for the rows of both operands, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" UNION SELECT * FROM "coach"
    /// Table("player").union(Table("coach"))
    /// ```
    public func union<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        all().union(other.all())
    }

    /// Returns a request for all rows of both operands.
    ///
    /// ```swift
    /// // SELECT * FROM "player" UNION ALL SELECT * FROM "coach" WHERE "isRetired"
    /// Table("player").unionAll(Table("coach").filter(Column("isRetired")))
    /// ```
    public func unionAll(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        all().unionAll(other)
    }

    /// Returns a request for all rows of both operands.
    ///
    /// ```swift
    /// // SELECT * FROM "player" UNION ALL SELECT * FROM "coach"
    /// Table("player").unionAll(Table("coach"))
    /// ```
    public func unionAll<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        all().unionAll(other.all())
    }

    /// Returns a request for the rows that both operands contain, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" INTERSECT SELECT * FROM "coach" WHERE "isRetired"
    /// Table("player").intersect(Table("coach").filter(Column("isRetired")))
    /// ```
    public func intersect(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        all().intersect(other)
    }

    /// Returns a request for the rows that both operands contain, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" INTERSECT SELECT * FROM "coach"
    /// Table("player").intersect(Table("coach"))
    /// ```
    public func intersect<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        all().intersect(other.all())
    }

    /// Returns a request for the rows that only the first operand contains, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" EXCEPT SELECT * FROM "coach" WHERE "isRetired"
    /// Table("player").except(Table("coach").filter(Column("isRetired")))
    /// ```
    public func except(_ other: some SQLSubqueryable) -> CompoundRequest<RowDecoder> {
        all().except(other)
    }

    /// Returns a request for the rows that only the first operand contains, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" EXCEPT SELECT * FROM "coach"
    /// Table("player").except(Table("coach"))
    /// ```
    public func except<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        all().except(other.all())
    }
}

extension FetchRequest where Self: Sendable {
    /// Returns a request for the rows of both operands, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isRetired" UNION SELECT * FROM "coach"
    /// Table("player").filter(Column("isRetired")).union(Table("coach"))
    /// ```
    public func union<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        union(other.all())
    }

    /// Returns a request for all rows of both operands.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isRetired" UNION ALL SELECT * FROM "coach"
    /// Table("player").filter(Column("isRetired")).unionAll(Table("coach"))
    /// ```
    public func unionAll<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        unionAll(other.all())
    }

    /// Returns a request for the rows that both operands contain, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isRetired" INTERSECT SELECT * FROM "coach"
    /// Table("player").filter(Column("isRetired")).intersect(Table("coach"))
    /// ```
    public func intersect<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        intersect(other.all())
    }

    /// Returns a request for the rows that only the first operand contains, without duplicates.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isRetired" EXCEPT SELECT * FROM "coach"
    /// Table("player").filter(Column("isRetired")).except(Table("coach"))
    /// ```
    public func except<T>(_ other: Table<T>) -> CompoundRequest<RowDecoder> {
        except(other.all())
    }
}
