extension SQLSpecificExpressible {
    /// Returns an expression that is compared and sorted with a collation.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com' COLLATE NOCASE
    /// Player.filter { $0.email.collating(.nocase) == "arthur@example.com" }
    ///
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE
    /// Player.order(\.name.collating(.nocase))
    /// ```
    ///
    /// The collation of an operation applies to its operands:
    ///
    /// ```swift
    /// // "name" = 'Arthur' COLLATE NOCASE
    /// (Column("name") == "Arthur").collating(.nocase)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/datatype3.html#collation>
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        sqlExpression.collated(collation.rawValue)
    }

    /// Returns an expression that is compared and sorted with a collation.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE swiftLocalizedStandardCompare
    /// Player.order(\.name.collating(.localizedStandardCompare))
    /// ```
    ///
    /// The collation of an operation applies to its operands.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        sqlExpression.collated(collation.name)
    }
}

extension SQLExpression {
    fileprivate func collated(_ collation: String) -> SQLExpression {
        if let node = node.mapCollatedOperands({ $0.collated(collation) }) {
            return SQLExpression(node)
        }
        return SQLExpression(Collated(operand: self, collation: collation.quotedIfNeeded))
    }
}
