/// Comparisons that only ignore the case of ASCII letters, like SQLite's comparisons of the names of
/// tables, columns, functions and collations.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/stricmp.html>
@usableFromInline
package enum ASCIICase {
    /// Whether two names are equal for SQLite.
    @usableFromInline
    @inline(never)  // 1 KB
    package static func equal(_ lhs: String, _ rhs: String) -> Bool {
        var lhs = lhs
        var rhs = rhs
        return lhs.withUTF8 { lhs in
            rhs.withUTF8 { rhs in equal(lhs, rhs) }
        }
    }

    /// Whether two names in UTF-8 are equal for SQLite.
    @usableFromInline
    static func equal(
        _ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let count = lhs.count
        guard count == rhs.count else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            let word = word(lhs, at: offset)
            let otherWord = self.word(rhs, at: offset)
            if word != otherWord && fold(word) != fold(otherWord) { return false }
            offset &+= 8
        }
        if offset == count { return true }
        if count >= 8 {
            // The last word overlaps the previous one.
            return fold(word(lhs, at: count &- 8)) == fold(word(rhs, at: count &- 8))
        }
        return fold(shortWord(lhs)) == fold(shortWord(rhs))
    }

    /// Hashes a name. Equal names have equal hashes.
    static func hash(_ string: String, into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { utf8 in
            let count = utf8.count
            // The count distinguishes short names that end with NUL characters.
            hasher.combine(count)
            if count < 8 {
                hasher.combine(fold(shortWord(utf8)))
                return
            }
            var offset = 0
            while offset &+ 8 < count {
                hasher.combine(fold(word(utf8, at: offset)))
                offset &+= 8
            }
            hasher.combine(fold(word(utf8, at: count &- 8)))
        }
    }

    /// Returns the string with its ASCII letters in lowercase.
    package static func lowercased(_ string: String) -> String {
        String(decoding: string.utf8.lazy.map(fold), as: UTF8.self)
    }

    /// Returns the lowercase form of an ASCII uppercase letter, or any other byte unchanged.
    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Folds eight bytes at once.
    @inline(__always)
    private static func fold(_ word: UInt64) -> UInt64 {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Use seven bits per byte, so that the sums below don't carry into the next byte. The high
        // bit of each byte of a sum is then the result of comparing the byte with the limit.
        let heptets = word & ~highBits
        let isFromA = heptets &+ (0x80 - 0x41) &* ones
        let isAfterZ = heptets &+ (0x80 - 0x5b) &* ones
        let isUppercase = ~word & highBits & (isFromA ^ isAfterZ)
        return word | isUppercase >> 2
    }

    /// Returns eight bytes of a text that has at least eight bytes.
    @inline(__always)
    private static func word(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt64 {
        UnsafeRawPointer(utf8.baseAddress.unsafelyUnwrapped)
            .loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// Returns all bytes of a text with fewer than eight bytes, padded with zeros.
    @inline(__always)
    private static func shortWord(_ utf8: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var word: UInt64 = 0
        var index = utf8.count
        while index > 0 {
            index &-= 1
            word = word << 8 | UInt64(utf8[index])
        }
        return word
    }
}

/// An identifier, such as the name of a table or column, as a dictionary key. As in SQLite, names that
/// only differ in the case of ASCII letters are equal.
package struct CaseInsensitiveIdentifier: Sendable {
    package let rawValue: String

    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension CaseInsensitiveIdentifier: Hashable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        ASCIICase.equal(lhs.rawValue, rhs.rawValue)
    }

    package func hash(into hasher: inout Hasher) {
        ASCIICase.hash(rawValue, into: &hasher)
    }
}

extension CaseInsensitiveIdentifier: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

/// A text as a dictionary key, such as the name of a parameter or an SQL text. As in SQLite, texts with
/// different bytes differ, also if they are equal Swift strings.
struct ExactText: Sendable {
    let rawValue: String

    init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ExactText: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.hasSameBytes(as: rhs.rawValue)
    }

    func hash(into hasher: inout Hasher) {
        rawValue.withUnsafeUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension CaseInsensitiveIdentifier: CustomStringConvertible {
    package var description: String { rawValue }
}
