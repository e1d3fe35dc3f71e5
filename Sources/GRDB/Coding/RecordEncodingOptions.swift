import Foundation

/// What a record type says about the encoding of its columns.
final class RecordEncodingOptions {
    private let recordType: any EncodableRecord.Type
    let userInfo: [CodingUserInfoKey: Any]
    private let extraUserInfo: Bool
    private let columnStrategy: DatabaseColumnEncodingStrategy

    /// - parameter userInfo: added to the user info of the type.
    init(recordType: any EncodableRecord.Type, userInfo: [CodingUserInfoKey: Any]) {
        self.recordType = recordType
        extraUserInfo = !userInfo.isEmpty
        self.userInfo = recordType.databaseEncodingUserInfo.merging(userInfo) { $1 }
        columnStrategy = recordType.databaseColumnEncodingStrategy
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
