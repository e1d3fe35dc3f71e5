import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct SQLTextTests {
    @Test(arguments: [
        ("", ""),
        (" ;\n;", ""),
        ("SELECT 1", "SELECT 1"),
        ("  SELECT 1 ; ;\r\n", "SELECT 1"),
        ("; SELECT 1", "SELECT 1"),
        ("SELECT 1; SELECT 'é'", "SELECT 1; SELECT 'é'"),
        ("\u{a0}x", "\u{a0}x"),
    ])
    func trimmedDropsBlanksAndSemicolons(sql: String, trimmed: String) {
        expectEqual(SQLText.trimmed(sql), trimmed)
    }
}
