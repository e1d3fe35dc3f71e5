import Foundation
import GRDBSQLite
import GRDBTestSupport
import Testing

/// The options that SQLite says it was compiled with are those of Vendor/CGRDBSQLite/options.h.
struct VendoredOptionsTests {
    /// The names and values of options.h, as `PRAGMA compile_options` spells them.
    private static func listed() throws -> [String] {
        let file = vendorFolder.appendingPathComponent("options.h")
        let prefix = "#define SQLITE_"
        return try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n")
            .filter { $0.hasPrefix(prefix) }
            .map { $0.dropFirst(prefix.count).split(separator: " ") }
            .map { words in
                // Options that enable something have no value, or 1, which is not reported.
                let enables = ["ENABLE_", "LIKE_", "STRICT_"].contains { words[0].hasPrefix($0) }
                return enables ? String(words[0]) : words.joined(separator: "=")
            }
    }

    /// What is reported though it is not in the list: SQLite's own defaults and the platform's.
    private static let defaults: Set<String> = [
        "ATOMIC_INTRINSICS", "COMPILER", "DEFAULT_AUTOVACUUM", "DEFAULT_CACHE_SIZE",
        "DEFAULT_FILE_FORMAT", "DEFAULT_JOURNAL_SIZE_LIMIT", "DEFAULT_MMAP_SIZE",
        "DEFAULT_PAGE_SIZE", "DEFAULT_PCACHE_INITSZ", "DEFAULT_RECURSIVE_TRIGGERS",
        "DEFAULT_SECTOR_SIZE", "DEFAULT_SYNCHRONOUS", "DEFAULT_WAL_AUTOCHECKPOINT",
        "DEFAULT_WORKER_THREADS", "DIRECT_OVERFLOW_READ", "ENABLE_FTS3", "ENABLE_LOCKING_STYLE",
        "HAVE_ISNAN", "MALLOC_SOFT_LIMIT", "MAX_ATTACHED", "MAX_COLUMN", "MAX_COMPOUND_SELECT",
        "MAX_DEFAULT_PAGE_SIZE", "MAX_EXPR_DEPTH", "MAX_FUNCTION_ARG", "MAX_LENGTH",
        "MAX_LIKE_PATTERN_LENGTH", "MAX_MMAP_SIZE", "MAX_PAGE_COUNT", "MAX_PAGE_SIZE",
        "MAX_SCHEMA", "MAX_SQL_LENGTH", "MAX_TRIGGER_DEPTH", "MAX_VARIABLE_NUMBER", "MAX_VDBE_OP",
        "MAX_WORKER_THREADS", "MUTEX_PTHREADS", "SYSTEM_MALLOC", "TEMP_STORE",
    ]

    @Test func listIsSorted() throws {
        let names = try Self.listed().map { $0.prefix { $0 != "=" } }
        expectEqual(names.isEmpty, false)
        expectEqual(names, names.sorted())
    }

    @Test func reportedOptionsAreTheListedOnes() throws {
        var expected = Set(try Self.listed())
        #if !DEBUG
        expected.remove("ENABLE_API_ARMOR")
        #endif
        let reported = Set(try VendoredConnection().strings("PRAGMA compile_options"))
        let unlisted = reported.subtracting(expected)
            .filter { option in !Self.defaults.contains(String(option.prefix { $0 != "=" })) }
        expectEqual(expected.subtracting(reported), [])
        expectEqual(unlisted, [])
    }

    /// Checks of arguments are on in debug builds, and off, for speed, in release builds.
    @Test func misuseIsReportedInDebugBuilds() {
        #if DEBUG
        expectEqual(sqlite3_compileoption_used("ENABLE_API_ARMOR"), 1)
        expectEqual(sqlite3_busy_timeout(nil, 1), SQLITE_MISUSE)
        #else
        expectEqual(sqlite3_compileoption_used("ENABLE_API_ARMOR"), 0)
        #endif
    }
}
