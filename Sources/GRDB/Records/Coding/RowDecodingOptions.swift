import _GRDBSystem

/// The options of a record type for decoding its rows.
final class RowDecodingOptions {
    /// The type that provides strategies; nil for the default strategies.
    let recordType: (any FetchableRecord.Type)?
    let userInfo: [CodingUserInfoKey: Any]
    private let extraUserInfo: Bool

    /// - parameter userInfo: added to the user info of the type.
    init(recordType: (any FetchableRecord.Type)?, userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.recordType = recordType
        extraUserInfo = !userInfo.isEmpty
        let typeUserInfo = recordType?.databaseDecodingUserInfo ?? [:]
        self.userInfo = userInfo.isEmpty ? typeUserInfo : typeUserInfo.adding(userInfo)
    }

    func dateStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        recordType?.databaseDateDecodingStrategy(for: column) ?? .deferredToDate
    }

    func dataStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        recordType?.databaseDataDecodingStrategy(for: column) ?? .deferredToData
    }

    func jsonDecoder(for column: String) -> JSONDecoder {
        if let recordType {
            let decoder = recordType.databaseJSONDecoder(for: column)
            return extraUserInfo ? decoder.addingUserInfo(userInfo) : decoder
        }
        let decoder = DatabaseValue.databaseJSONDecoder()
        decoder.setUserInfo(userInfo)
        return decoder
    }

    /// The indexes of columns by coding key; nil when keys are the column names.
    func columnsByKey(in layout: RowLayout) -> [ExactText: Int]? {
        let key: (String) -> String
        switch recordType?.databaseColumnDecodingStrategy ?? .useDefaultKeys {
        case .useDefaultKeys: return nil
        case .convertFromSnakeCase: key = { SnakeCase.camelCased($0) }
        case .custom(let codingKey): key = { codingKey($0).stringValue }
        }
        return Dictionary(
            layout.names.enumerated().map { (ExactText(key($0.element)), $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }
}
