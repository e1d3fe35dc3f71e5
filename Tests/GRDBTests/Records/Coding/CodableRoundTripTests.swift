import Foundation
import GRDB
import GRDBTestSupport
import Testing

// Random values of a shape that holds what Codable can: what comes back from the database is what
// went in, as with JSON.

private enum Suit: String, Codable, CaseIterable {
    case clubs, diamonds, hearts, spades
}

private enum Level: Int, Codable, CaseIterable, DatabaseValueConvertible {
    case low, middle, high
}

private enum Event: Codable, Equatable {
    case started
    case moved(x: Int, y: Double?)
    case said(String)
}

private struct Leaf: Codable, Equatable {
    var number: Int?
    var text: String
    var date: Date
    var data: Data
    var uuid: UUID
}

private struct Branch: Codable, Equatable {
    var leaf: Leaf?
    var leaves: [Leaf]
    var byName: [String: Int]
    var suits: Set<Suit>
    var nested: [[Double?]]
}

/// Written and read as a single value.
private struct Tag<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct Shape: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var bool: Bool
    var int8: Int8?
    var uint16: UInt16
    var int: Int?
    var float: Float
    var double: Double?
    var string: String?
    var data: Data?
    var date: Date?
    var uuid: UUID
    var decimal: Decimal?
    var url: URL?
    var suit: Suit?
    var level: Level?
    var event: Event?
    var branch: Branch?
    var branches: [Branch]
    var numbers: [String: Double]?
    var dates: [Date?]
    var tag: Tag<String>
    var branchTag: Tag<Leaf>?
    var optionalTag: Tag<Int?>

    static let databaseTableName = "shape"
}

extension Shape {
    init(id: Int64, using random: inout SplitMix64) {
        func optional<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
            Bool.random(using: &random) ? value(&random) : nil
        }
        func array<Value>(_ value: (inout SplitMix64) -> Value) -> [Value] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random) }
        }
        func date(_ random: inout SplitMix64) -> Date {
            // Quarters of seconds are exact, as seconds since any date and as milliseconds.
            Date(
                timeIntervalSince1970: Double(Int.random(in: 0..<16_000_000_000, using: &random))
                    / 4)
        }
        func text(_ random: inout SplitMix64) -> String {
            let characters = Array("aé\u{0}\"\\/'日本 🎈\n%")
            return String(
                (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    characters.randomElement(using: &random)!
                })
        }
        func data(_ random: inout SplitMix64) -> Data {
            Data(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                })
        }
        func uuid(_ random: inout SplitMix64) -> UUID {
            UUID(
                uuid: (
                    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                    UInt8.random(in: 0...255, using: &random),
                    UInt8.random(in: 0...255, using: &random)
                ))
        }
        func double(_ random: inout SplitMix64) -> Double {
            Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 64
        }
        func leaf(_ random: inout SplitMix64) -> Leaf {
            Leaf(
                number: Bool.random(using: &random)
                    ? Int.random(in: .min ... .max, using: &random) : nil,
                text: text(&random), date: date(&random), data: data(&random), uuid: uuid(&random))
        }
        func branch(_ random: inout SplitMix64) -> Branch {
            Branch(
                leaf: optional(leaf), leaves: array(leaf),
                byName: Dictionary(
                    array { (text(&$0), Int.random(in: 0...9, using: &$0)) },
                    uniquingKeysWith: { $1 }),
                suits: Set(array { Suit.allCases.randomElement(using: &$0)! }),
                nested: array { _ in array { $0.next() % 2 == 0 ? nil : double(&$0) } })
        }
        func event(_ random: inout SplitMix64) -> Event {
            switch Int.random(in: 0...2, using: &random) {
            case 0: .started
            case 1: .moved(x: Int.random(in: 0...9, using: &random), y: optional(double))
            default: .said(text(&random))
            }
        }
        self.init(
            id: id, bool: Bool.random(using: &random),
            int8: optional { Int8.random(in: .min ... .max, using: &$0) },
            uint16: UInt16.random(in: .min ... .max, using: &random),
            int: optional { Int.random(in: .min ... .max, using: &$0) },
            float: Float(double(&random)), double: optional(double), string: optional(text),
            data: optional(data), date: optional(date), uuid: uuid(&random),
            decimal: optional { Decimal(Int.random(in: 0...1_000_000, using: &$0)) / 100 },
            url: optional { URL(string: "https://example.com/\($0.next())")! },
            suit: optional { Suit.allCases.randomElement(using: &$0)! },
            level: optional { Level.allCases.randomElement(using: &$0)! },
            event: optional(event), branch: optional(branch), branches: array(branch),
            numbers: optional { _ in
                Dictionary(array { (text(&$0), double(&$0)) }, uniquingKeysWith: { $1 })
            },
            dates: array { $0.next() % 2 == 0 ? nil : date(&$0) },
            tag: Tag(text(&random)), branchTag: optional { Tag(leaf(&$0)) },
            optionalTag: Tag(optional { Int.random(in: .min ... .max, using: &$0) }))
    }
}

@Suite(.databases) struct CodableRoundTripTests {
    @Test func whatIsInsertedIsFetched() throws {
        var random = SplitMix64(seed: 1)
        let shapes = (1...200).map { Shape(id: Int64($0), using: &random) }
        let columns = try shapes[0].databaseDictionary.keys.sorted()
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE shape (\(columns.joined(separator: ", ")))")
            for shape in shapes { try shape.insert(db) }
            let fetched = try Shape.fetchAll(db, sql: "SELECT * FROM shape ORDER BY id")
            expectEqual(fetched.count, 200)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM shape ORDER BY id")
            for (index, shape) in shapes.enumerated() {
                expectEqual(fetched[index], shape)
                try expectEqual(Shape(row: rows[index]), shape)
                let throughJSON = try decoder.decode(Shape.self, from: encoder.encode(shape))
                expectEqual(throughJSON, fetched[index])
                // Collecting and binding agree.
                let stored = Dictionary(
                    rows[index].map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
                try expectEqual(shape.databaseDictionary, stored)
            }
        }
    }
}
