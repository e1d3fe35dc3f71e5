extension String {
    /// The string as a quoted SQL identifier.
    ///
    /// ```swift
    /// "a \"b\"".quotedDatabaseIdentifier // "a ""b"""
    /// ```
    public var quotedDatabaseIdentifier: String {
        if !utf8.contains(0x22) { return "\"\(self)\"" }
        return "\"" + replacingQuotes() + "\""
    }

    private func replacingQuotes() -> String {
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count + 2)
        for byte in utf8 {
            result.append(byte)
            if byte == 0x22 { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The quoted name of a table, after the quoted name of its schema, if there is one.
    package func qualified(in schemaName: String?) -> String {
        guard let schemaName else { return quotedDatabaseIdentifier }
        return "\(schemaName.quotedDatabaseIdentifier).\(quotedDatabaseIdentifier)"
    }
}
