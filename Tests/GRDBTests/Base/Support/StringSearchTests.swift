@testable import GRDB
import Foundation
import GRDBTestSupport
import Testing

/// What stands in for functions of Foundation gives the same results, but where those compare characters instead
/// of bytes.
@Suite struct StringSearchTests {
    private static let texts = [
        "", "a", "ab", "aba", "ababa", "x'y", "''", "'", "a USING INDEX b (c) (d)", "é", "e\u{301}",
        "日本",
        " a ", "\t\n a b\u{A0}\u{2003}\r\n", "  ", "\u{200B}a", "\u{85}a\u{2028}", "%41", "%4", "%",
        "%zz",
        "a%20b%2Fc", "%C3%A9", "%C3", "%FF%41", "é%20", "%00",
    ]

    @Test func rangesAreThoseOfFoundation() {
        for text in Self.texts {
            for other in ["a", "ab", "aba", "'", " (", "日", "é", "x"] {
                expectEqual(text.rangeOfText(other), text.range(of: other, options: .literal))
                expectEqual(
                    text.rangeOfText(other, backwards: true),
                    text.range(of: other, options: [.literal, .backwards]))
                expectEqual(
                    text.replacingText(other, with: "''"),
                    text.replacingOccurrences(of: other, with: "''", options: .literal))
            }
        }
    }

    @Test func quotesAreBytes() {
        // A combining accent does not make another character of a quote.
        expectEqual("'\u{301}".replacingText("'", with: "''").unicodeScalars.count, 3)
    }

    @Test func trimmedTextsAreThoseOfFoundation() {
        for text in Self.texts {
            expectEqual(text.trimmed, text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    @Test func percentEscapesAreThoseOfFoundation() {
        for text in Self.texts {
            expectEqual(text.removingPercentEscapes, text.removingPercentEncoding)
            expectEqual(text[...].removingPercentEscapes, text.removingPercentEncoding)
        }
    }
}
