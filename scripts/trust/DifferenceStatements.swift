import Foundation
import GRDB

/// Reads sessions of statements from a file that `difference.py` wrote, runs them, and writes what each statement
/// has returned: its rows, or the code of its error.
func runDifferenceStatements(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 2, let input = FileManager.default.contents(atPath: arguments[0]),
        let output = FileHandle(forWritingAtPath: arguments[1])
    else { throw Failed("usage: trust statements INPUT OUTPUT") }
    var reader = ByteReader(bytes: [UInt8](input))
    while !reader.isAtEnd {
        let count = reader.integer()
        let queue = try DatabaseQueue()
        var results = ByteWriter()
        try queue.writeWithoutTransaction { db in
            for index in 0..<count {
                let sql = reader.string()
                let arguments = reader.values()
                results.record(of: db, sql: sql, arguments: arguments, manner: index % 4)
            }
            if db.isInsideTransaction { try db.rollback() }
        }
        try queue.close()
        try output.write(contentsOf: results.bytes)
    }
    try output.close()
}

/// Reads what `difference.py` writes: integers of four bytes, texts with their length, and values with their type.
struct ByteReader {
    var bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func word() -> UInt64 {
        defer { position += 8 }
        return bytes[position..<position + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func integer() -> Int {
        defer { position += 4 }
        return bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func part() -> ArraySlice<UInt8> {
        let count = integer()
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func string() -> String { String(decoding: part(), as: UTF8.self) }

    mutating func values() -> [DatabaseValue] {
        (0..<integer()).map { _ in
            let type = bytes[position]
            position += 1
            switch type {
            case UInt8(ascii: "i"): return Int64(bitPattern: word()).databaseValue
            case UInt8(ascii: "f"): return Double(bitPattern: word()).databaseValue
            case UInt8(ascii: "t"): return string().databaseValue
            case UInt8(ascii: "b"): return Data(part()).databaseValue
            default: return .null
            }
        }
    }
}

/// Writes results, as `difference.py` does with those of APSW.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer(_ value: Int) {
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    mutating func append(_ other: ByteWriter) { bytes += other.bytes }

    private mutating func word(_ value: UInt64) {
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(shift)))) }
    }

    mutating func value(_ value: DatabaseValue) {
        switch value.storage {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .int64(let value): integer(value)
        case .double(let value): real(value)
        case .string(let value): text(value)
        case .blob(let value): blob(value)
        }
    }

    private mutating func integer(_ value: Int64) {
        bytes.append(UInt8(ascii: "i"))
        word(UInt64(bitPattern: value))
    }

    private mutating func real(_ value: Double) {
        bytes.append(UInt8(ascii: "f"))
        word(value.bitPattern)
    }

    mutating func text(_ value: String) {
        bytes.append(UInt8(ascii: "t"))
        integer(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    private mutating func blob(_ value: Data) {
        bytes.append(UInt8(ascii: "b"))
        integer(value.count)
        bytes.append(contentsOf: value)
    }

    /// Reads the value with the Swift type of its storage class.
    private mutating func typedValue(_ row: Row, _ index: Int) throws {
        let stored: DatabaseValue = row[index]
        switch stored.storage {
        case .null:
            try check(
                (row[index] as String?) == nil && row.hasNull(atIndex: index),
                "NULL is read as a text")
            bytes.append(UInt8(ascii: "n"))
        case .int64: integer(row[index] as Int64)
        case .double: real(row[index] as Double)
        case .string: text(row[index] as String)
        case .blob: blob(row[index] as Data)
        }
    }

    private mutating func sized(_ body: (inout ByteWriter) throws -> Void) rethrows {
        var part = ByteWriter()
        try body(&part)
        integer(part.bytes.count)
        bytes += part.bytes
    }

    mutating func record(of db: Database, sql: String, arguments: [DatabaseValue], manner: Int) {
        do {
            var rows: [[UInt8]] = []
            func add(_ row: Row) throws {
                if rows.isEmpty {
                    var names = ByteWriter()
                    for name in row.columnNames { names.text(name) }
                    rows.append(names.bytes)
                }
                var part = ByteWriter()
                if manner == 1 {
                    for index in 0..<row.count { try part.typedValue(row, index) }
                } else {
                    for value in row.databaseValues { part.value(value) }
                }
                rows.append(part.bytes)
            }
            let arguments = StatementArguments(arguments)
            switch manner {
            case 0, 1:
                let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
                while let row = try cursor.next() { try add(row) }
            case 2:
                for row in try Row.fetchAll(db, sql: sql, arguments: arguments) { try add(row) }
            default:
                let statement = try db.makeStatement(sql: sql)
                try statement.setArguments(arguments)
                let cursor = try Row.fetchCursor(statement)
                while let row = try cursor.next() { try add(row.copy()) }
            }
            integer(rows.count)
            for row in rows {
                integer(row.count)
                bytes += row
            }
        } catch let error as DatabaseError {
            integer(-1)
            integer(Int(error.extendedResultCode.rawValue))
            sized { $0.text(error.message ?? "") }
        } catch {
            integer(-1)
            integer(-1)
            sized { $0.text("\(error)") }
        }
    }
}
