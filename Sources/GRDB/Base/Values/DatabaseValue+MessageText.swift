import Foundation

// Values in the messages of errors. Descriptions show the size of blobs only, which does not identify
// a key.

extension DatabaseValue {
    /// Longer blobs are shown as their size. Digests of 256 bits are shown.
    private static let longestShownBlob = 32

    /// The value in the message of an error: short blobs as SQL literals, blobs of 16 bytes as UUIDs,
    /// other values as in ``description``.
    var messageText: String {
        guard case .blob(let bytes) = storage, bytes.count <= Self.longestShownBlob else {
            return description
        }
        return UUID.fromDatabaseValue(self)?.uuidString ?? sqlLiteral
    }
}
