import _GRDBSystem

// The text of values in error messages. Descriptions contain only the size of blobs, which does not
// identify a key.

extension DatabaseValue {
    /// Longer blobs are replaced with their size. Digests of 256 bits are included.
    private static let longestShownBlob = 32

    /// The value in an error message: short blobs as SQL literals, blobs of 16 bytes as UUIDs,
    /// other values as in ``description``.
    var messageText: String {
        guard case .blob(let bytes) = storage, bytes.count <= Self.longestShownBlob else {
            return description
        }
        return UUID.fromDatabaseValue(self)?.uuidString ?? sqlLiteral
    }
}
