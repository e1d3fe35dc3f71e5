import GRDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Reads the records of a CSV file one by one. It keeps one record and one buffer in memory.
///
/// Understands RFC 4180, lines that end with LF, CR LF or CR, and a byte order mark.
final class CSVReader {
    private let file: UnsafeMutablePointer<FILE>
    private let path: String
    private let delimiter: UInt8
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var position = 0
    private var end = 0

    /// The fields of the current record, one after the other.
    private(set) var bytes: [UInt8] = []

    /// Where each field ends in `bytes`, and whether it had quotes.
    private(set) var fields: [(end: Int, isQuoted: Bool)] = []

    /// The line that the current record begins on, from 1.
    private(set) var line = 0
    private var nextLine = 1

    /// - throws: a `DatabaseError` if the file can't be opened.
    init(path: String, delimiter: UInt8) throws {
        guard let file = fopen(path, "rb") else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "can't open \(path): \(String(cString: strerror(errno)))")
        }
        self.file = file
        self.path = path
        self.delimiter = delimiter
        buffer = .allocate(capacity: 1 << 16)
        if peek() == 0xEF {
            fill(atLeast: 3)
            if end - position >= 3, buffer[position + 1] == 0xBB, buffer[position + 2] == 0xBF {
                position += 3
            }
        }
    }

    deinit {
        fclose(file)
        buffer.deallocate()
    }

    private func fill(atLeast count: Int) {
        while end - position < count {
            let rest = end - position
            if position > 0 {
                buffer.baseAddress!.update(from: buffer.baseAddress! + position, count: rest)
                position = 0
                end = rest
            }
            let read = fread(buffer.baseAddress! + end, 1, buffer.count - end, file)
            if read == 0 { return }
            end += read
        }
    }

    @inline(__always)
    private func peek() -> UInt8? {
        if position == end {
            fill(atLeast: 1)
            if position == end { return nil }
        }
        return buffer[position]
    }

    /// Reads the next record.
    ///
    /// - parameter skipsEmptyLines: whether an empty line is no record.
    /// - returns: false at the end of the file.
    /// - throws: a `DatabaseError` if the file can't be read, or ends inside of quotes.
    func next(skipsEmptyLines: Bool) throws -> Bool {
        repeat {
            bytes.removeAll(keepingCapacity: true)
            fields.removeAll(keepingCapacity: true)
            line = nextLine
            guard peek() != nil else {
                try checkFile()
                return false
            }
            try readRecord()
        } while skipsEmptyLines && fields.count == 1 && bytes.isEmpty && !fields[0].isQuoted
        return true
    }

    private func readRecord() throws {
        while true {
            let hasMore =
                if peek() == UInt8(ascii: "\"") { try readQuoted() } else { readPlain() }
            if !hasMore { break }
        }
        try checkFile()
    }

    private func checkFile() throws {
        if ferror(file) != 0 {
            throw DatabaseError(resultCode: .SQLITE_IOERR, message: "can't read \(path)")
        }
    }

    /// Reads up to the end of a field.
    ///
    /// - returns: whether another field follows.
    private func readPlain(isQuoted: Bool = false) -> Bool {
        while true {
            guard position < end || peek() != nil else {
                fields.append((bytes.count, isQuoted))
                return false
            }
            // As many bytes as possible at once.
            var stop = position
            while stop < end {
                let byte = buffer[stop]
                if byte == delimiter || byte == 10 || byte == 13 { break }
                stop += 1
            }
            if stop > position {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[position..<stop]))
                position = stop
            }
            guard stop < end else { continue }
            position += 1
            fields.append((bytes.count, isQuoted))
            if buffer[stop] == delimiter { return true }
            if buffer[stop] == 13, peek() == 10 { position += 1 }
            nextLine += 1
            return false
        }
    }

    private func readQuoted() throws -> Bool {
        position += 1
        while let byte = peek() {
            position += 1
            if byte == UInt8(ascii: "\"") {
                if peek() != UInt8(ascii: "\"") {
                    // What follows the quotes belongs to the field.
                    return readPlain(isQuoted: true)
                }
                position += 1
            } else if byte == 10 {
                nextLine += 1
            }
            bytes.append(byte)
        }
        try checkFile()
        throw DatabaseError(
            message: "\(path), line \(line): the file ends inside of a quoted field")
    }

    /// Calls the closure with the bytes of a field.
    func withField<Result>(
        _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let start = index == 0 ? 0 : fields[index - 1].end
        return try bytes.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[start..<fields[index].end]))
        }
    }
}

/// The numbers of CSV files.
enum CSVNumber {
    case integer(Int64)
    case real(Double)

    /// Reads a number that has no other usual form: no zeros in front, no sign `+`, no blanks, no more
    /// digits than are kept.
    init?(_ utf8: UnsafeBufferPointer<UInt8>) {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        guard utf8.count <= 40, let first = digits.first, Self.isDigit(first) else { return nil }
        if first == UInt8(ascii: "0"), digits.count > 1, Self.isDigit(digits[digits.startIndex + 1])
        {
            return nil
        }
        let text = String(decoding: utf8, as: UTF8.self)
        if digits.allSatisfy(Self.isDigit) {
            guard let value = Int64(text) else { return nil }
            self = .integer(value)
        } else {
            let characters = Set("0123456789.eE+-".utf8)
            guard digits.allSatisfy(characters.contains), let value = Double(text),
                value.isFinite
            else { return nil }
            self = .real(value)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
