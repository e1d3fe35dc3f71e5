#if !GRDB_ENCRYPTION
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Files that a build without encryption can't read.
@Suite(.databases) struct EncryptedFileTests {
    private static func makeFile(byteCount: Int) throws -> String {
        let path = TestDatabases.makePath()
        var generator = SplitMix64(seed: 1)
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func errorsNameTheTrait() throws {
        let path = try Self.makeFile(byteCount: 8192)
        let message = """
            SQLite error 26: file is not a database: if it is encrypted, it needs the trait \
            Encryption of the package - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        expectError(message) { try TestDatabases.openQueue(path) }
        expectError(message) { try TestDatabases.openPool(path) }
    }

    @Test func otherFilesAreNoDatabases() throws {
        let path = try Self.makeFile(byteCount: 8191)
        expectError(
            """
            SQLite error 26: file is not a database \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) { try TestDatabases.openQueue(path) }
    }
}
#endif
