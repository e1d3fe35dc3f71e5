/// Compares a path with a pattern as Git does: `*` and `?` stop at slashes, `**` does not.
///
/// The time is at most proportional to the product of the lengths: only the last `*` and the last `**`
/// are ever tried again.
struct Glob {
    let pattern: UnsafeBufferPointer<UInt8>
    let text: UnsafeBufferPointer<UInt8>

    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")

    /// Where to go on when the rest does not match: a place in the pattern, and one in the text.
    private typealias Retry = (pattern: Int, text: Int)

    func matches() -> Bool {
        var p = 0
        var t = 0
        var oneStar: Retry?
        var twoStars: Retry?
        while true {
            if p < pattern.count, pattern[p] == Glob.star {
                let end = pattern[p...].firstIndex { $0 != Glob.star } ?? pattern.count
                let startsPart = p == 0 || pattern[p - 1] == Glob.slash
                if end - p >= 2, startsPart, end == pattern.count {
                    // `a/**`: all that is inside.
                    return t < text.count
                }
                if end - p >= 2, startsPart, pattern[end] == Glob.slash {
                    // `**/a`: in any folder, this one too.
                    p = end + 1
                    twoStars = (p, t)
                    oneStar = nil
                } else {
                    p = end
                    oneStar = (p, t)
                }
                continue
            }
            if t == text.count, p == pattern.count { return true }
            if t < text.count, p < pattern.count, let next = step(p, text[t]) {
                p = next
                t += 1
                continue
            }
            // One more character for the last star, or else one more folder for the last pair.
            if let retry = oneStar, retry.text < text.count, text[retry.text] != Glob.slash {
                t = retry.text + 1
                p = retry.pattern
                oneStar = (p, t)
            } else if let retry = twoStars,
                let slash = text[retry.text...].firstIndex(of: Glob.slash)
            {
                t = slash + 1
                p = retry.pattern
                twoStars = (p, t)
                oneStar = nil
            } else {
                return false
            }
        }
    }

    /// Returns where the pattern goes on after a character of the text; nil if it wants another one.
    private func step(_ p: Int, _ character: UInt8) -> Int? {
        switch pattern[p] {
        case UInt8(ascii: "?"):
            return character == Glob.slash ? nil : p + 1
        case UInt8(ascii: "["):
            return set(p, character)
        case UInt8(ascii: "\\"):
            // A backslash at the end matches nothing.
            return p + 1 < pattern.count && pattern[p + 1] == character ? p + 2 : nil
        default:
            return pattern[p] == character ? p + 1 : nil
        }
    }

    /// The same for a set of characters: `[a-z]`, `[!a-z]`.
    private func set(_ start: Int, _ character: UInt8) -> Int? {
        var p = start + 1
        var isNegated = false
        if p < pattern.count, pattern[p] == UInt8(ascii: "!") || pattern[p] == UInt8(ascii: "^") {
            isNegated = true
            p += 1
        }
        var isFound = false
        var isFirst = true
        while p < pattern.count {
            if pattern[p] == UInt8(ascii: "]"), !isFirst {
                return isFound != isNegated && character != Glob.slash ? p + 1 : nil
            }
            isFirst = false
            if let end = classEnd(p) {
                if isInClass(pattern[(p + 2)..<end], character) { isFound = true }
                p = end + 2
                continue
            }
            guard let (lower, afterLower) = member(p) else { return nil }
            p = afterLower
            if p + 1 < pattern.count, pattern[p] == UInt8(ascii: "-"),
                pattern[p + 1] != UInt8(ascii: "]")
            {
                guard let (upper, afterUpper) = member(p + 1) else { return nil }
                p = afterUpper
                if lower <= character, character <= upper { isFound = true }
            } else if lower == character {
                isFound = true
            }
        }
        // The bracket is not closed.
        return nil
    }

    /// A character of a set, which a backslash may stand before.
    private func member(_ p: Int) -> (UInt8, Int)? {
        guard pattern[p] == UInt8(ascii: "\\") else { return (pattern[p], p + 1) }
        return p + 1 < pattern.count ? (pattern[p + 1], p + 2) : nil
    }

    /// The end of the name in `[:name:]`.
    private func classEnd(_ p: Int) -> Int? {
        guard p + 1 < pattern.count, pattern[p] == UInt8(ascii: "["),
            pattern[p + 1] == UInt8(ascii: ":")
        else { return nil }
        return (p + 2..<pattern.count).first { end in
            pattern[end] == UInt8(ascii: ":") && end + 1 < pattern.count
                && pattern[end + 1] == UInt8(ascii: "]")
        }
    }

    private func isInClass(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ character: UInt8) -> Bool {
        let isDigit = (0x30...0x39).contains(character)
        let isUpper = (0x41...0x5a).contains(character)
        let isLower = (0x61...0x7a).contains(character)
        return switch String(decoding: name, as: UTF8.self) {
        case "digit": isDigit
        case "upper": isUpper
        case "lower": isLower
        case "alpha": isUpper || isLower
        case "alnum": isUpper || isLower || isDigit
        case "xdigit":
            isDigit || (0x41...0x46).contains(character) || (0x61...0x66).contains(character)
        case "space": character == 0x20 || (0x09...0x0d).contains(character)
        case "blank": character == 0x20 || character == 0x09
        case "punct":
            (0x21...0x7e).contains(character) && !isDigit && !isUpper && !isLower
        case "cntrl": character < 0x20 || character == 0x7f
        case "print": (0x20...0x7e).contains(character)
        case "graph": (0x21...0x7e).contains(character)
        default: false
        }
    }
}
