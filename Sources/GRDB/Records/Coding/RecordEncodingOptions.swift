import Foundation

/// What a record type says about the encoding of its columns.
///
/// User info and strategies may depend on a variable, and differ from one record to the next. So
/// the type is asked for each record, and only the names of columns are kept.
final class RecordEncodingOptions {
    private let recordType: any EncodableRecord.Type

    @exclusivity(unchecked)
    private(set) var userInfo: [CodingUserInfoKey: Any]

    private let extraUserInfo: Bool
    private let columnStrategy: DatabaseColumnEncodingStrategy

    /// - parameter userInfo: added to the user info of the type.
    init(recordType: any EncodableRecord.Type, userInfo: [CodingUserInfoKey: Any]) {
        self.recordType = recordType
        extraUserInfo = !userInfo.isEmpty
        self.userInfo = recordType.databaseEncodingUserInfo.merging(userInfo) { $1 }
        columnStrategy = recordType.databaseColumnEncodingStrategy
    }

    /// Asks the record type for its user info, because another record is about to be encoded.
    ///
    /// - returns: false if the type may now have other names for its columns.
    func update() -> Bool {
        let userInfo = recordType.databaseEncodingUserInfo
        if !userInfo.isEmpty || !self.userInfo.isEmpty {
            self.userInfo = userInfo
        }
        switch (columnStrategy, recordType.databaseColumnEncodingStrategy) {
        case (.useDefaultKeys, .useDefaultKeys), (.convertToSnakeCase, .convertToSnakeCase):
            return true
        default:
            // Functions can't be compared, and may return another name each time.
            return false
        }
    }

    /// Whether an encoder is the default one of the record type, and knows nothing that may change.
    func isFixed(_ encoder: JSONEncoder) -> Bool {
        guard userInfo.isEmpty, let encoder = encoder as? DefaultJSONEncoder else { return false }
        return encoder.recordType == ObjectIdentifier(recordType)
    }

    /// Whether columns have the names of coding keys.
    var usesDefaultKeys: Bool {
        if case .useDefaultKeys = columnStrategy { true } else { false }
    }

    func column(for key: some CodingKey) -> String {
        switch columnStrategy {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.snakeCased(key.stringValue)
        case .custom(let column): column(key)
        }
    }

    func dateStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        recordType.databaseDateEncodingStrategy(for: column)
    }

    func dataStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        recordType.databaseDataEncodingStrategy(for: column)
    }

    func uuidStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        recordType.databaseUUIDEncodingStrategy(for: column)
    }

    func jsonEncoder(for column: String) -> JSONEncoder {
        let encoder = recordType.databaseJSONEncoder(for: column)
        return extraUserInfo ? encoder.addingUserInfo(userInfo) : encoder
    }
}
