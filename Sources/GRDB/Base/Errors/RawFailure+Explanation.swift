extension RawFailure {
    /// The message of SQLite, with advice for the query if the message alone is not sufficient.
    var explainedMessage: String? {
        guard let message else { return nil }
        // Full-text functions find their table through a cursor on it, to which the first argument
        // refers. `MATCH` is an operator, whose errors are different.
        if message.hasPrefix("unable to use function "),
            message.hasSuffix(" in the requested context"),
            message != "unable to use function MATCH in the requested context"
        {
            return """
                \(message): a full-text function needs its table as first argument, in a SELECT \
                with a MATCH of this table, and neither GROUP BY nor aggregate or window functions
                """
        }
        if message.hasPrefix("no such cursor: ") {
            return
                "\(message): the first argument of a full-text function is the table, not a column"
        }
        return message
    }
}
