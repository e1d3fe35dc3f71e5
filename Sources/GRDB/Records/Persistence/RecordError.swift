/// An error of the methods that expect a row and find none.
///
/// It is thrown by update methods that find no row to update, and by `find` methods:
///
/// ```swift
/// do {
///     try player.update(db)
/// } catch let RecordError.recordNotFound(databaseTableName: table, key: key) {
///     print("Key \(key) was not found in table \(table).")
/// }
/// ```
public enum RecordError: Error, Sendable {
    /// The table has no row for this key.
    ///
    /// - parameters:
    ///     - databaseTableName: the table of the record.
    ///     - key: the values of the primary or unique key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            // Dictionaries have no order.
            let columns = key.ordered { $0.key < $1.key }.map {
                "\($0.key):\($0.value.messageText)"
            }
            return "Key not found in table \(table): [\(columns.joined(separator: " "))]"
        }
    }
}

/// The former name of ``RecordError``.
@available(*, deprecated, renamed: "RecordError")
public typealias PersistenceError = RecordError
