import GRDB
import _GRDBSystem

/// Reads the records of a CSV file one by one. It keeps one record and one buffer in memory.
///
/// Understands RFC 4180, lines that end with LF, CR LF or CR, and a byte order mark. Other encodings are
/// converted to UTF-8 as the file is read.
final class CSVReader {
    // In some C libraries, FILE is an incomplete type, and a pointer to it is opaque.
    #if canImport(Musl) || canImport(Android)
    private let file: OpaquePointer
    #else
    private let file: UnsafeMutablePointer<FILE>
    #endif
    private let path: String
    private let delimiter: UInt8
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var position = 0
    private var end = 0

    /// Nil if the file is in UTF-8.
    private var decoder: CSVDecoder?

    /// The fields of the current record, one after the other.
    private(set) var bytes: [UInt8] = []

    /// Where each field ends in `bytes`, and whether it had quotes.
    private(set) var fields: [(end: Int, isQuoted: Bool)] = []

    /// The line that the current record begins on, from 1.
    private(set) var line = 0
    private var nextLine = 1

    /// - throws: a `DatabaseError` if the file can't be opened.
    init(path: String, delimiter: UInt8, encoding: CSVFile.Encoding) throws {
        guard let file = fopen(path, "rb") else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "can't open \(path): \(String(cString: strerror(errno)))")
        }
        self.file = file
        self.path = path
        self.delimiter = delimiter
        buffer = .allocate(capacity: 1 << 16)
        fill(atLeast: 3)
        let bytes = UnsafeBufferPointer(rebasing: buffer[..<end])
        let mark = CSVByteOrderMark(bytes)
        var markLength = 0
        switch (encoding, mark) {
        case (.latin1, _): decoder = CSVDecoder(.bytes(isWindows: false))
        case (.windows1252, _): decoder = CSVDecoder(.bytes(isWindows: true))
        case (_, .utf8): position = 3
        case (_, .utf16BigEndian), (_, .utf16LittleEndian):
            decoder = CSVDecoder(.utf16(isBigEndian: mark == .utf16BigEndian))
            markLength = 2
        case (.utf16, nil): decoder = CSVDecoder(.utf16(isBigEndian: false))
        case (.utf8, nil): break
        }
        if decoder != nil {
            end = 0
            fseek(file, markLength, SEEK_SET)
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
            if decoder != nil {
                if !fillDecoding() { return }
                continue
            }
            let read = fread(buffer.baseAddress! + end, 1, buffer.count - end, file)
            if read == 0 { return }
            end += read
        }
    }

    /// - returns: false at the end of the file.
    private func fillDecoding() -> Bool {
        // A byte becomes up to three.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 14) { bytes in
            let read = fread(bytes.baseAddress!, 1, bytes.count, file)
            let input = UnsafeBufferPointer(rebasing: bytes[..<read])
            end += decoder!.decode(
                input, isAtEnd: read == 0, into: buffer.baseAddress! + end)
            return read > 0
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

    /// The text of a field of the current record.
    ///
    /// - throws: a `DatabaseError` that names the line and the column if the bytes are no text.
    func text(_ index: Int) throws -> String {
        try withField(index) { utf8 in
            try checkEncoding(utf8, index)
            return String(decoding: utf8, as: UTF8.self)
        }
    }

    func checkEncoding(_ utf8: UnsafeBufferPointer<UInt8>, _ index: Int) throws {
        if RawUTF8.isValid(utf8) { return }
        throw DatabaseError(
            message: """
                \(path), line \(line), column \(index + 1): the field is not \
                \(decoder?.isUTF16 == true ? "UTF-16" : "UTF-8"). Set the encoding of the file
                """)
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

/// The first bytes of a file that say how it is encoded.
enum CSVByteOrderMark {
    case utf8, utf16BigEndian, utf16LittleEndian

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .utf8
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else {
            return nil
        }
    }
}

/// Converts other encodings to UTF-8, piece by piece.
struct CSVDecoder {
    enum Encoding {
        case utf16(isBigEndian: Bool)
        /// One byte per character: ISO 8859-1, or Windows 1252, which has other characters from 80 to 9F.
        case bytes(isWindows: Bool)
    }

    private let encoding: Encoding

    /// The first byte of two.
    private var byte: UInt8?

    /// The first unit of a surrogate pair.
    private var highSurrogate: UInt32?

    var isUTF16: Bool {
        if case .utf16 = encoding { true } else { false }
    }

    init(_ encoding: Encoding) { self.encoding = encoding }

    private static let windowsCharacters: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152,
        0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161,
        0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    /// Surrogates without the other one, and an odd last byte, become bytes that are not UTF-8, so that reading
    /// the field fails.
    ///
    /// - parameter utf8: has room for three bytes per byte of the input, and for four more.
    /// - returns: the number of bytes in UTF-8.
    mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, isAtEnd: Bool, into utf8: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var count = 0
        func append(_ scalar: UInt32) {
            func add(_ byte: UInt32) {
                utf8[count] = UInt8(truncatingIfNeeded: byte)
                count += 1
            }
            switch scalar {
            case ..<0x80: add(scalar)
            case ..<0x800:
                add(0xC0 | scalar >> 6)
                add(0x80 | scalar & 0x3F)
            default:
                if scalar < 0x1_0000 {
                    add(0xE0 | scalar >> 12)
                } else {
                    add(0xF0 | scalar >> 18)
                    add(0x80 | scalar >> 12 & 0x3F)
                }
                add(0x80 | scalar >> 6 & 0x3F)
                add(0x80 | scalar & 0x3F)
            }
        }
        for next in input {
            switch encoding {
            case .bytes(let isWindows):
                let isOther = isWindows && 0x80..<0xA0 ~= next
                append(isOther ? Self.windowsCharacters[Int(next) - 0x80] : UInt32(next))
            case .utf16(let isBigEndian):
                guard let first = byte.take() else {
                    byte = next
                    continue
                }
                let unit =
                    isBigEndian
                    ? UInt32(first) << 8 | UInt32(next) : UInt32(next) << 8 | UInt32(first)
                if let high = highSurrogate.take() {
                    if 0xDC00..<0xE000 ~= unit {
                        append(0x1_0000 + (high & 0x3FF) << 10 + unit & 0x3FF)
                        continue
                    }
                    append(high)
                }
                if 0xD800..<0xDC00 ~= unit { highSurrogate = unit } else { append(unit) }
            }
        }
        if isAtEnd {
            if let high = highSurrogate.take() { append(high) }
            if byte.take() != nil {
                utf8[count] = 0xFF
                count += 1
            }
        }
        return count
    }
}

/// What the fields of a column look like, to guess its type.
struct CSVFieldKinds: OptionSet {
    let rawValue: Int

    static let integer = CSVFieldKinds(rawValue: 1)
    /// Integers that a real number would round.
    static let longInteger = CSVFieldKinds(rawValue: 2)
    static let real = CSVFieldKinds(rawValue: 4)
    /// Texts, and numbers of which a conversion would lose something: zeros in front, the `+` of a telephone
    /// number, digits beyond 64 bits.
    static let text = CSVFieldKinds(rawValue: 8)

    /// - parameter utf8: a field without quotes.
    static func kind(of utf8: UnsafeBufferPointer<UInt8>) -> CSVFieldKinds {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || 9...13 ~= byte }
        func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
        var number = utf8.drop(while: isBlank)
        while let last = number.last, isBlank(last) { number.removeLast() }
        var digits = number
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            digits.removeFirst()
        }
        guard number.count <= 40, let first = digits.first else { return .text }
        if first == UInt8(ascii: "0"), digits.dropFirst().first.map(isDigit) == true {
            return .text
        }
        if digits.allSatisfy(isDigit) {
            guard let value = Int64(String(decoding: number, as: UTF8.self)) else { return .text }
            if number.first == UInt8(ascii: "+"), digits.count >= 7 { return .text }
            return value.magnitude > 1 << 53 ? .longInteger : .integer
        } else {
            let mantissa = digits.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
            let characters = Set("0123456789.eE+-".utf8)
            // Swift reads more than SQLite does: ".", "inf" and hexadecimal numbers.
            guard mantissa.contains(where: isDigit), digits.allSatisfy(characters.contains),
                let value = Double(String(decoding: number, as: UTF8.self)), value.isFinite
            else { return .text }
            return .real
        }
    }

    var declaredType: String {
        if contains(.text) || isEmpty { return "TEXT" }
        if !contains(.real) { return "INTEGER" }
        return contains(.longInteger) ? "NUMERIC" : "REAL"
    }
}
