import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct ASCIICaseTests {
    /// Every pair of bytes, in a text of a word or less, and of more than a word.
    @Test(arguments: [0, 3, 7, 8, 13])
    func comparisonFoldsLettersOnly(padding: Int) {
        func reference(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
        }
        let start = [UInt8](repeating: UInt8(ascii: "Q"), count: padding)
        let otherStart = [UInt8](repeating: UInt8(ascii: "q"), count: padding)
        var mismatches = 0
        for byte in UInt8.min...UInt8.max {
            if ASCIICase.fold(byte) != reference(byte) { mismatches += 1 }
            for otherByte in UInt8.min...UInt8.max {
                for end in [[], [0xff, 0x7f, 0x00]] as [[UInt8]] {
                    let bytes = start + [byte] + end
                    let otherBytes = otherStart + [otherByte] + end
                    let equal = bytes.withUnsafeBufferPointer { bytes in
                        otherBytes.withUnsafeBufferPointer { ASCIICase.equal(bytes, $0) }
                    }
                    if equal != (reference(byte) == reference(otherByte)) { mismatches += 1 }
                }
            }
        }
        expectEqual(mismatches, 0)
    }

    @Test func namesOfOtherLengthsDiffer() {
        expectTrue(ASCIICase.equal("", ""))
        expectTrue(!ASCIICase.equal("", "a"))
        expectTrue(!ASCIICase.equal("a", "a\0"))
        expectTrue(!ASCIICase.equal("abcdefgh", "abcdefghi"))
    }

    @Test func otherLettersAreNotFolded() {
        expectTrue(!ASCIICase.equal("été", "ÉTÉ"))
        expectTrue(ASCIICase.equal("étÉ", "éTÉ"))
        // SQLite compares bytes, not canonical equivalents.
        expectTrue(!ASCIICase.equal("\u{e9}", "e\u{301}"))
    }

    @Test func lowercased() {
        expectEqual(ASCIICase.lowercased("Foo_BAR [É]"), "foo_bar [É]")
    }

    @Test func identifiersAreDictionaryKeys() {
        let columns: [CaseInsensitiveIdentifier: Int] = [
            "id": 1, "teamIdentifier": 2, "été": 3, "a_rather_long_column_name": 4,
        ]
        expectEqual(columns["ID"], 1)
        expectEqual(columns["TeamIdentifier"], 2)
        expectEqual(columns["TEAMIDENTIFIER"], 2)
        expectEqual(columns["A_RATHER_LONG_COLUMN_NAME"], 4)
        expectEqual(columns["éTé"], 3)
        expectEqual(columns["ÉTÉ"], nil)
        expectEqual(columns["i"], nil)
        expectEqual("\(CaseInsensitiveIdentifier("Id"))", "Id")
    }

    @Test func hashesTellNamesApart() {
        let names = (0..<1000).map { "column\($0)" } + (0..<1000).map { "\($0)_of_a_long_name" }
        let hashes = Set(names.map { CaseInsensitiveIdentifier($0).hashValue })
        expectEqual(hashes.count, names.count)
    }
}
