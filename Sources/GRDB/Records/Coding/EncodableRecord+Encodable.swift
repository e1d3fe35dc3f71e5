extension EncodableRecord where Self: Encodable {
    /// Encodes the record, with its `Encodable` implementation.
    ///
    /// The name of a coding key must always be the same: it is not asked for again when the column
    /// of the key is known. For columns that depend on a variable, there is
    /// ``DatabaseColumnEncodingStrategy/custom(_:)``.
    ///
    /// - throws: the error of `encode(to:)`, or an `EncodingError` when a value has no
    ///   representation in the database.
    // Inlined where the type is known, whose own encoding is then called without a detour.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = container.beginEncoding(Self.self)
        defer { encoder.end() }
        try encode(to: encoder)
        try encoder.finish()
    }
}
