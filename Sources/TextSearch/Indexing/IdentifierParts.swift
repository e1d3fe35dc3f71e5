/// Finds the parts of names such as `camelCase`, `snake_case`, `HTTPServer` and `utf8`.
///
/// A part ends:
///
/// - at an underscore, which belongs to no part;
/// - between a small letter and a capital: `camel|Case`;
/// - before the last of several capitals, if a small letter follows: `HTTP|Server`;
/// - between a digit and something else: `utf|8`.
///
/// Letters without case, such as 漢字, form parts with any letters around them. What is no name but
/// data written in letters, such as a digest or Base64, is left whole: it is very long, or has many
/// very short parts.
struct IdentifierParts {
    /// The parts found last, as ranges of bytes. The array is reused, since a file has many names.
    private(set) var ranges: [Range<Int>] = []

    /// Whether the parts found last are something else than the whole name.
    private(set) var isDivided = false

    /// In bytes.
    private static let maximumNameLength = 250

    /// The parts of a name with more parts than these have three bytes or more, on average.
    private static let maximumShortPartCount = 8

    private enum Kind: UInt8 {
        case underscore, small, capital, digit, caseless, mark
    }

    /// Finds the parts of a name in UTF-8.
    mutating func find(in name: UnsafeBufferPointer<UInt8>) {
        ranges.removeAll(keepingCapacity: true)
        if name.count <= IdentifierParts.maximumNameLength {
            divide(name)
        }
        let isData =
            name.count > IdentifierParts.maximumNameLength
            || (ranges.count > IdentifierParts.maximumShortPartCount
                && ranges.count * 3 > name.count)
        if isData {
            ranges.removeAll(keepingCapacity: true)
            ranges.append(0..<name.count)
        }
        isDivided = ranges.count != 1 || ranges[0] != 0..<name.count
    }

    private mutating func divide(_ name: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var previous = Kind.underscore
        var capitalCount = 0
        var lastCapital = 0
        var offset = 0
        while offset < name.count {
            let (kind, length) = IdentifierParts.kind(in: name, at: offset)
            defer { offset += length }
            // An accent belongs to its letter.
            if kind == .mark, previous != .underscore { continue }

            if kind == .underscore {
                if previous != .underscore { ranges.append(start..<offset) }
            } else if previous == .underscore {
                start = offset
            } else if IdentifierParts.isBorder(previous, kind) {
                ranges.append(start..<offset)
                start = offset
            } else if kind == .small, previous == .capital, capitalCount > 1 {
                ranges.append(start..<lastCapital)
                start = lastCapital
            }
            if kind == .capital {
                if previous != .capital { capitalCount = 0 }
                capitalCount += 1
                lastCapital = offset
            }
            previous = kind
        }
        if previous != .underscore { ranges.append(start..<name.count) }
    }

    private static func isBorder(_ left: Kind, _ right: Kind) -> Bool {
        if left == right { return false }
        return left == .digit || right == .digit || (left == .small && right == .capital)
    }

    /// The kind of the character at an offset, and how many bytes it takes.
    @inline(__always)
    private static func kind(
        in name: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> (Kind, Int) {
        switch name[offset] {
        case 0x61...0x7a: (.small, 1)
        case 0x41...0x5a: (.capital, 1)
        case 0x30...0x39: (.digit, 1)
        case 0x5f: (.underscore, 1)
        case 0..<0x80: (.caseless, 1)
        default: kindOfScalar(in: name, at: offset)
        }
    }

    private static func kindOfScalar(
        in name: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> (Kind, Int) {
        var decoder = UTF8()
        var bytes = name[offset...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return (.caseless, 1) }
        let length = UTF8.width(scalar)
        switch scalar.properties.generalCategory {
        case .lowercaseLetter: return (.small, length)
        case .uppercaseLetter, .titlecaseLetter: return (.capital, length)
        case .decimalNumber: return (.digit, length)
        case .nonspacingMark, .spacingMark, .enclosingMark: return (.mark, length)
        default: return (.caseless, length)
        }
    }
}
