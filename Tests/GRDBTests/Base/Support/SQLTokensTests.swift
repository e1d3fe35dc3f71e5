import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct SQLTokensTests {
    /// The digit `e` of a hexadecimal number has no exponent.
    @Test(arguments: [
        ("1e+5", ["1e+5"]), ("1.5E-3-2", ["1.5E-3", "-", "2"]), (".5e1+1", [".5e1", "+", "1"]),
        ("0xe+1", ["0xe", "+", "1"]), ("0XE-1", ["0XE", "-", "1"]), ("0e+1", ["0e+1"]),
        ("1+2", ["1", "+", "2"]),
    ])
    func numbers(sql: String, expected: [String]) {
        expectEqual(SQLToken.tokens(of: sql).map(\.text), expected)
    }
}
