extension EncodableRecord where Self: Encodable {
    /// Encodes the record, with its `Encodable` implementation.
    ///
    /// The name of a coding key must not change, because the column of a key is cached. If column
    /// names depend on a variable, use ``DatabaseColumnEncodingStrategy/custom(_:)``.
    ///
    /// - throws: the error of `encode(to:)`, or an `EncodingError` when a value has no
    ///   representation in the database.
    // Inlinable, so that callers that know the type call its encoding directly.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = container.beginEncoding(Self.self)
        defer { encoder.end() }
        try encode(to: encoder)
        try encoder.finish()
    }
}
