import _GRDBSystem

/// The options of a record type for encoding its columns.
///
/// User info and strategies may depend on a variable, and differ from one record to the next. They
/// are read from the type for each record; only column names are cached.
final class RecordEncodingOptions {
    let recordType: any EncodableRecord.Type

    @exclusivity(unchecked)
    private(set) var userInfo: [CodingUserInfoKey: Any]

    private let extraUserInfo: Bool
    private let columnStrategy: DatabaseColumnEncodingStrategy

    /// - parameter userInfo: added to the user info of the type.
    init(recordType: any EncodableRecord.Type, userInfo: [CodingUserInfoKey: Any]) {
        self.recordType = recordType
        extraUserInfo = !userInfo.isEmpty
        self.userInfo = recordType.databaseEncodingUserInfo.adding(userInfo)
        columnStrategy = recordType.databaseColumnEncodingStrategy
    }

    /// Updates the user info from the record type, before another record is encoded.
    ///
    /// - returns: false if the column names of the type may have changed.
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

    /// Whether an encoder is the default encoder of the record type, without user info that may
    /// change.
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

    func jsonEncoder(for column: String) -> JSONEncoder {
        let encoder = recordType.databaseJSONEncoder(for: column)
        return extraUserInfo ? encoder.addingUserInfo(userInfo) : encoder
    }
}
