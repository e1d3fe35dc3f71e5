// Searching and trimming, which FoundationEssentials does not have. Texts are compared by their bytes, as in SQL.

extension StringProtocol {
    /// Returns the range of the first or last occurrence of a text.
    package func rangeOfText(_ text: String, backwards: Bool = false) -> Range<Index>? {
        var found: Range<Index>?
        var start = startIndex
        while backwards || found == nil {
            if utf8[start...].starts(with: text.utf8) {
                found = start..<utf8.index(start, offsetBy: text.utf8.count)
            }
            if start == endIndex { break }
            utf8.formIndex(after: &start)
        }
        return found
    }

    /// Replaces all occurrences of a text, which is not empty.
    package func replacingText(_ text: String, with replacement: String) -> String {
        var result = ""
        var rest = Substring(self)
        while let range = rest.rangeOfText(text) {
            result += rest[..<range.lowerBound]
            result += replacement
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// The text without white space and line ends around it.
    package var trimmed: String {
        // As Foundation's set of characters, which has the space of no width.
        func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar == "\u{200B}"
        }
        let scalars = unicodeScalars.drop(while: isSpace)
        guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[scalars.startIndex..<scalars.index(after: last)])
    }

    /// The text with the bytes that percent escapes stand for; nil if an escape is wrong, or if the bytes are not
    /// UTF-8.
    package var removingPercentEscapes: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit),
                let low = rest.popFirst().flatMap(Self.digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // Wrong bytes have become replacement characters.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
