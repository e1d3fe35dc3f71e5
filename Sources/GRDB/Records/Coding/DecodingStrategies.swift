import _GRDBSystem

/// The strategies that the decoder of a row was created with. If the record type later returns
/// different strategies, because they depend on a variable, the decoder must be discarded.
struct DecodingStrategies {
    private var stepCount = 0
    private var hasUserInfo = false
    private let columnStrategy: DatabaseColumnDecodingStrategy
    private var dateStrategies: [(column: String, strategy: DatabaseDateDecodingStrategy)] = []
    private var dataStrategies: [(column: String, strategy: DatabaseDataDecodingStrategy)] = []

    init(_ type: any FetchableRecord.Type) {
        columnStrategy = type.databaseColumnDecodingStrategy
    }

    private static let typesWithoutStrategy: [ObjectIdentifier] = [
        ObjectIdentifier(UUID.self), ObjectIdentifier(Decimal.self), ObjectIdentifier(URL.self),
    ]

    /// Adds the strategies of columns that the decoder has read since the last call.
    mutating func add(_ type: any FetchableRecord.Type, from decoder: RowDecoder) {
        guard decoder.state.pointee.steps.count != stepCount else { return }
        hasUserInfo = !decoder.userInfo.isEmpty
        for position in stepCount..<decoder.state.pointee.steps.count {
            let step = decoder.state.pointee.steps[position]
            // Primitive types have no strategy. Other types may contain a date or data.
            guard let valueType = step.type, step.place.index >= 0,
                !Self.typesWithoutStrategy.contains(valueType)
            else { continue }
            let column = decoder.layout.names[step.place.index]
            if valueType != ObjectIdentifier(Data.self) {
                dateStrategies.append((column, type.databaseDateDecodingStrategy(for: column)))
            }
            if valueType != ObjectIdentifier(Date.self) {
                dataStrategies.append((column, type.databaseDataDecodingStrategy(for: column)))
            }
        }
        stepCount = decoder.state.pointee.steps.count
    }

    /// Whether the type still returns the same strategies. User info can't be compared: a type with
    /// user info is never current.
    func areCurrent(for type: any FetchableRecord.Type) -> Bool {
        !hasUserInfo && type.databaseDecodingUserInfo.isEmpty
            && columnStrategy.isSame(as: type.databaseColumnDecodingStrategy)
            && dateStrategies.allSatisfy { column, strategy in
                strategy.isSame(as: type.databaseDateDecodingStrategy(for: column))
            }
            && dataStrategies.allSatisfy { column, strategy in
                strategy.isSame(as: type.databaseDataDecodingStrategy(for: column))
            }
    }
}

extension Row {
    /// Records the strategies that the decoder of the row relies on.
    func noteStrategies(
        of type: any FetchableRecord.Type, in strategies: inout DecodingStrategies?
    ) {
        guard let decodingCache else { return }
        let decoder = unsafeDowncast(decodingCache, to: RowDecoder.self)
        if strategies == nil { strategies = DecodingStrategies(type) }
        strategies?.add(type, from: decoder)
    }
}

// Functions can't be compared: they count as different.

extension DatabaseColumnDecodingStrategy {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.useDefaultKeys, .useDefaultKeys), (.convertFromSnakeCase, .convertFromSnakeCase):
            true
        default:
            false
        }
    }
}

extension DatabaseDataDecodingStrategy {
    fileprivate func isSame(as other: Self) -> Bool {
        if case (.deferredToData, .deferredToData) = (self, other) { true } else { false }
    }
}

extension DatabaseDateDecodingStrategy {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.deferredToDate, .deferredToDate),
            (.timeIntervalSinceReferenceDate, .timeIntervalSinceReferenceDate),
            (.timeIntervalSince1970, .timeIntervalSince1970),
            (.millisecondsSince1970, .millisecondsSince1970), (.iso8601, .iso8601):
            true
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        case (.formatted(let formatter), .formatted(let other)):
            formatter === other
        #endif
        default:
            false
        }
    }
}
