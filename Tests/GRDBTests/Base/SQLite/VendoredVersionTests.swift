import Foundation
import GRDBSQLite
import GRDBTestSupport
import Testing

/// What VERSION.txt records is what is compiled.
struct VendoredVersionTests {
    private static func lines() throws -> [Substring] {
        let file = compiledFolder.appendingPathComponent("VERSION.txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }

    /// The lines "label: value" of VERSION.txt.
    private static func record() throws -> [String: String] {
        var record: [String: String] = [:]
        for line in try lines() {
            guard let colon = line.range(of: ": ") else { continue }
            record[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        return record
    }

    @Test func sourceIdentifierIsTheRecordedOne() throws {
        let record = try Self.record()
        let recorded = try unwrap(record["source-id"])
        expectEqual(String(cString: sqlite3_sourceid()), recorded)
        #if !GRDB_ENCRYPTION
        expectEqual(SQLITE_SOURCE_ID, recorded)
        #endif
        try expectEqual(VendoredConnection().strings("SELECT sqlite_source_id()"), [recorded])
    }

    @Test func versionIsTheRecordedOne() throws {
        let recorded = try unwrap(Self.record()["version"])
        expectEqual(String(cString: sqlite3_libversion()), recorded)
        #if !GRDB_ENCRYPTION
        // The header is that of the other SQLite.
        expectEqual(SQLITE_VERSION, recorded)
        expectEqual(sqlite3_libversion_number(), SQLITE_VERSION_NUMBER)
        #endif
    }

    /// VERSION.txt names the digest of every patch in the folder, and no other.
    @Test func patchesAreTheRecordedOnes() throws {
        let recorded = try Self.lines()
            .filter { $0.hasPrefix("patch: ") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
        let present = try FileManager.default
            .contentsOfDirectory(atPath: compiledFolder.appendingPathComponent("patches").path)
            .filter { $0.hasSuffix(".patch") }
            .sorted()
        expectEqual(recorded, present)
    }
}

/// Vendor/CGRDBSQLite of the checkout that the tests were compiled from.
let vendorFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // SQLite
    .deletingLastPathComponent()  // Base
    .deletingLastPathComponent()  // GRDBTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()
    .appendingPathComponent("Vendor/CGRDBSQLite")

/// The folder of the SQLite that is compiled.
#if GRDB_ENCRYPTION
private let compiledFolder = vendorFolder.deletingLastPathComponent()
    .appendingPathComponent("CGRDBSQLiteCiphers")
#else
private let compiledFolder = vendorFolder
#endif
