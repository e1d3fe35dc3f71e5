import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct UUIDConversionTests {
    private let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!

    @Test func isStoredAsBlob() throws {
        let bytes = Data([
            0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
            0xee, 0xff,
        ])
        expectEqual(uuid.databaseValue.storage, .blob(bytes))
        try expectEqual(boundValue(uuid).storage, .blob(bytes))
    }

    @Test func roundTrip() throws {
        try expectRoundTrip(uuid)
        for _ in 0..<20 { try expectRoundTrip(UUID()) }
    }

    @Test func readsText() throws {
        for text in [uuid.uuidString, uuid.uuidString.lowercased()] {
            try expectEqual(column("'\(text)'"), uuid)
            try expectEqual(copiedColumn("'\(text)'"), uuid)
        }
    }

    @Test func readsSlices() {
        let data = Data(repeating: 1, count: 3) + Data(repeating: 7, count: 16)
        let expected = UUID(uuidString: "07070707-0707-0707-0707-070707070707")
        expectEqual(UUID.fromDatabaseValue(data.dropFirst(3).databaseValue), expected)
    }

    @Test(arguments: [
        "NULL", "0", "1.5", "'abc'", "''", "x''", "zeroblob(15)", "zeroblob(17)",
        "'abcdefghijklmnop'", "'00112233445566778899AABBCCDDEEFF'",
        "'{00112233-4455-6677-8899-AABBCCDDEEFF}'", "'00112233-4455-6677-8899-AABBCCDDEEFFx'",
        "CAST('00112233-4455-6677-8899-AABBCCDDEEFF' AS BLOB)",
    ])
    func refused(expression: String) throws {
        try expectEqual(column(expression, as: UUID.self), nil)
        try expectEqual(copiedColumn(expression, as: UUID.self), nil)
    }
}

@Suite struct URLConversionTests {
    @Test func isStoredAsText() throws {
        let url = try unwrap(URL(string: "http://example.com/a?b=c#d"))
        try expectEqual(boundValue(url).storage, .string("http://example.com/a?b=c#d"))
        expectEqual(URL.fromDatabaseValue(url.databaseValue), url)
        let relative = URL(string: "x/y", relativeTo: URL(string: "http://h/"))
        expectEqual(relative?.databaseValue.storage, .string("http://h/x/y"))
    }

    @Test func blobsMustBeValidUTF8() throws {
        try expectEqual(copiedColumn("x'616263'"), URL(string: "abc"))
        try expectEqual(copiedColumn("x'ff'", as: URL.self), nil)
    }

    @Test(arguments: ["NULL", "0", "1.5", "''", "x''", "'http://['"])
    func refused(expression: String) throws {
        try expectEqual(copiedColumn(expression, as: URL.self), nil)
    }
}
