import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct ResultCodeTests {
    @Test func primaryResultCodeDropsTheDetail() {
        expectEqual(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue, 2067)
        expectEqual(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode, .SQLITE_CONSTRAINT)
        expectEqual(ResultCode.SQLITE_CONSTRAINT.primaryResultCode, .SQLITE_CONSTRAINT)
        expectTrue(ResultCode.SQLITE_CONSTRAINT.isPrimary)
        expectTrue(!ResultCode.SQLITE_CONSTRAINT_UNIQUE.isPrimary)
        #expect(ResultCode.SQLITE_CONSTRAINT != .SQLITE_CONSTRAINT_UNIQUE)
    }

    @Test func primaryPatternMatchesItsExtendedCodes() {
        #expect(ResultCode.SQLITE_CONSTRAINT ~= .SQLITE_CONSTRAINT)
        #expect(ResultCode.SQLITE_CONSTRAINT ~= .SQLITE_CONSTRAINT_UNIQUE)
        expectTrue(!(ResultCode.SQLITE_BUSY ~= .SQLITE_CONSTRAINT_UNIQUE))
    }

    @Test func extendedPatternMatchesItselfOnly() {
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT_UNIQUE)
        expectTrue(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT))
        expectTrue(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT_NOTNULL))
    }

    @Test func patternsWorkInSwitch() {
        func name(_ code: ResultCode) -> String {
            switch code {
            case .SQLITE_CONSTRAINT_FOREIGNKEY: "foreign key"
            case .SQLITE_CONSTRAINT: "constraint"
            default: "other"
            }
        }
        expectEqual(name(.SQLITE_CONSTRAINT_FOREIGNKEY), "foreign key")
        expectEqual(name(.SQLITE_CONSTRAINT_UNIQUE), "constraint")
        expectEqual(name(.SQLITE_CONSTRAINT), "constraint")
        expectEqual(name(.SQLITE_BUSY), "other")
    }

    @Test func patternsOnlyMatchDatabaseErrors() {
        #expect(ResultCode.SQLITE_BUSY ~= (DatabaseError(resultCode: .SQLITE_BUSY) as any Error))
        expectTrue(!(ResultCode.SQLITE_BUSY ~= (NSError(domain: "x", code: 5) as any Error)))
        expectTrue(!(ResultCode.SQLITE_ERROR ~= (CancellationError() as any Error)))
    }

    @Test(arguments: [
        (ResultCode.SQLITE_OK, "0 (not an error)"),
        (.SQLITE_BUSY, "5 (database is locked)"),
        (.SQLITE_CONSTRAINT_UNIQUE, "2067 (constraint failed)"),
        (ResultCode(rawValue: 12345), "12345 (unknown error)"),
        (ResultCode(rawValue: -1), "-1 (unknown error)"),
    ])
    func descriptionHasTheTextOfSQLite(code: ResultCode, description: String) {
        expectEqual(code.description, description)
        expectEqual("\(code)", description)
    }

    /// Finds the codes that a new version of SQLite brings.
    @Test func constantsAreThoseOfTheVendoredHeader() throws {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
        }

        // #define SQLITE_BUSY 5
        // #define SQLITE_BUSY_RECOVERY (SQLITE_BUSY | (1<<8))
        let header = try text("Vendor/CGRDBSQLite/include/grdb_sqlite3.h")
        let start = try unwrap(header.range(of: "#define SQLITE_OK "))
        let end = try unwrap(header.range(of: "#define SQLITE_OK_SYMLINK "))
        let definitions = header[start.lowerBound..<end.lowerBound]
        var expected = ["SQLITE_OK_SYMLINK": 512]
        for match in definitions.matches(
            of: /#define (SQLITE_\w+) +(?:(\d+)|\((SQLITE_\w+) *\| *\((\d+)<<8\)\))/)
        {
            let (_, name, value, primary, detail) = match.output
            if let value {
                expected[String(name)] = Int(value)
            } else if let primary, let detail {
                let primaryCode = try unwrap(expected[String(primary)])
                let detail = try unwrap(Int(detail))
                expected[String(name)] = primaryCode | detail << 8
            }
        }

        // public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: 5 | 1 << 8)
        var declared: [String: Int] = [:]
        for match in try text("Sources/GRDB/Base/Errors/ResultCode+Constants.swift").matches(
            of: /let (SQLITE_\w+) = ResultCode\(rawValue: (\d+)(?: \| (\d+) << 8)?\)/)
        {
            let (_, name, primary, detail) = match.output
            declared[String(name)] = Int(primary)! | (detail.map { Int($0)! } ?? 0) << 8
        }

        // public static let SQLITE_BUSY_RECOVERY = ResultCode.SQLITE_BUSY_RECOVERY
        var forwarded: Set<String> = []
        for match in try text("Sources/GRDB/Base/Errors/DatabaseError+Constants.swift").matches(
            of: /let (SQLITE_\w+) = ResultCode\.(SQLITE_\w+)/)
        {
            expectEqual(match.output.1, match.output.2)
            forwarded.insert(String(match.output.1))
        }

        #expect(expected.count > 100)
        expectEqual(declared, expected)
        expectEqual(forwarded, Set(expected.keys))
    }
}
