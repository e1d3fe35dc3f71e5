extension String {
    /// The string as a quoted SQL identifier.
    ///
    /// ```swift
    /// "a \"b\"".quotedDatabaseIdentifier // "a ""b"""
    /// ```
    public var quotedDatabaseIdentifier: String {
        utf8.contains(0x22) ? quoted(by: 0x22) : "\"\(self)\""
    }

    /// The string in quotes, with its own quotes doubled. Compares bytes, because a quote and a combining
    /// character are a single Swift character.
    func quoted(by quote: UInt8) -> String {
        var result = [quote]
        result.reserveCapacity(utf8.count + 2)
        for byte in utf8 {
            result.append(byte)
            if byte == quote { result.append(byte) }
        }
        result.append(quote)
        return String(decoding: result, as: UTF8.self)
    }

    /// The quoted name of a table, after the quoted name of its schema, if there is one.
    package func qualified(in schemaName: String?) -> String {
        guard let schemaName else { return quotedDatabaseIdentifier }
        return "\(schemaName.quotedDatabaseIdentifier).\(quotedDatabaseIdentifier)"
    }
}
