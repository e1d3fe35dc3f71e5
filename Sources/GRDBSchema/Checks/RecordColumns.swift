import GRDB

/// The columns of a record type, and the values that it stores there.
struct RecordColumns {
    /// The names of the columns, in order.
    var names: [String] = []

    /// The values of each column that aren't NULL. Empty if the record type is only fetched.
    var values: [String: [DatabaseValue]] = [:]

    /// The columns that may be NULL.
    var nullable: Set<String> = []

    /// Whether records of the type are stored.
    var areStored: Bool

    init(values samples: [[String: DatabaseValue]]) {
        areStored = true
        for (name, value) in samples.joined() {
            if value.isNull {
                nullable.insert(name)
            } else {
                values[name, default: []].append(value)
            }
        }
        names = Set(samples.flatMap(\.keys)).sorted()
    }

    init(decodedNames: [String]) {
        areStored = false
        names = decodedNames
    }

    /// The columns of a record type; nil if it is neither fetched nor stored.
    ///
    /// - throws: an error if the type can't be examined without samples.
    init?<Record: TableRecord>(
        of type: Record.Type, samples: [Record], tableColumns: [String]
    ) throws {
        let isStored = type is any EncodableRecord.Type
        if isStored, !samples.isEmpty {
            self.init(
                values: try samples.map {
                    try ($0 as? any EncodableRecord)?.databaseDictionary ?? [:]
                })
            return
        }
        guard isStored || type is any FetchableRecord.Type else { return nil }
        guard let decodable = type as? any Decodable.Type else { throw NoSamples() }
        let probes = try [true, false].map {
            try RecordProbe.record(decodable, fillsOptionals: $0)
        }
        if isStored {
            self.init(
                values: try probes.map {
                    try ($0.record as? any EncodableRecord)?.databaseDictionary ?? [:]
                })
        } else {
            let strategy = (type as? any FetchableRecord.Type)?.databaseColumnDecodingStrategy
            self.init(decodedNames: probes[0].keys.map { Self.column($0, strategy, tableColumns) })
        }
    }

    /// The column that is decoded for a coding key; the name of the key if there is none.
    private static func column(
        _ key: String, _ strategy: DatabaseColumnDecodingStrategy?, _ tableColumns: [String]
    ) -> String {
        let column: String? =
            switch strategy {
            case .custom(let codingKey): tableColumns.first { codingKey($0).stringValue == key }
            case .convertFromSnakeCase: tableColumns.first { SnakeCase.camelCased($0) == key }
            case .useDefaultKeys, nil: nil
            }
        guard let column else { return key }
        return column
    }

    /// The error of a record type that is not `Decodable`.
    struct NoSamples: Error, CustomStringConvertible {
        var description: String { "the type is not Decodable" }
    }
}
