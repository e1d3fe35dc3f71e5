import GRDB
import _GRDBSystem

extension DatabaseFunction {
    /// The SQL function that implements the `REGEXP` operator with the regular expressions of
    /// Foundation.
    ///
    /// SQLite does not implement the operator. Add the function to each connection that needs it:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(function: .regexp)
    /// }
    ///
    /// // SELECT * FROM "player" WHERE "code" REGEXP '^[A-Z]{2}-\d+$'
    /// let players = try Player
    ///     .filter { $0.code.regexp(#"^[A-Z]{2}-\d+$"#) }
    ///     .fetchAll(db)
    /// ```
    ///
    /// The pattern may match anywhere in the string. To match the whole text, start the pattern with
    /// `^`, and end it with `$`. To ignore case, start it with `(?i)`. Numbers are converted to
    /// text as in SQLite. The result is NULL if an argument is NULL.
    ///
    /// If the pattern is not a regular expression, the statement throws a ``/GRDB/DatabaseError`` of code
    /// `SQLITE_ERROR`.
    ///
    /// The most recently used patterns are cached in compiled form, for all connections.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#regexp>
    public static let regexp = DatabaseFunction(
        "regexp", argumentCount: 2, pure: true
    ) { dbValues in
        // `text REGEXP pattern` calls `regexp(pattern, text)`.
        guard let pattern = dbValues[0].textOfAnyNumber, let text = dbValues[1].textOfAnyNumber
        else {
            return nil
        }
        let expression = try RegularExpressionCache.shared.expression(pattern)
        return expression.matches(text)
    }
}

#if GRDB_FOUNDATION || !canImport(FoundationEssentials)

private struct RegularExpression: Sendable {
    private let expression: NSRegularExpression

    init(_ pattern: String) throws {
        expression = try NSRegularExpression(pattern: pattern)
    }

    func matches(_ text: String) -> Bool {
        let range = NSRange(text.startIndex..., in: text)
        return expression.firstMatch(in: text, range: range) != nil
    }
}

#else

/// `@unchecked Sendable`: no closure of an app is in the expression, which is the only reason why expressions are
/// not sendable.
private struct RegularExpression: @unchecked Sendable {
    private let expression: Regex<AnyRegexOutput>

    init(_ pattern: String) throws {
        expression = try Regex(pattern).matchingSemantics(.unicodeScalar)
    }

    func matches(_ text: String) -> Bool {
        text.firstMatch(of: expression) != nil
    }
}

#endif

/// The most recently used regular expressions.
private final class RegularExpressionCache: Sendable {
    static let shared = RegularExpressionCache()

    private static let capacity = 16

    /// The most recently used expression is last.
    private let expressions = Locked<[(pattern: String, expression: RegularExpression)]>([])

    func expression(_ pattern: String) throws -> RegularExpression {
        if let expression = cachedExpression(pattern) { return expression }
        let expression: RegularExpression
        do {
            expression = try RegularExpression(pattern)
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR, message: "invalid regular expression: \(pattern)")
        }
        expressions.withLock { expressions in
            if expressions.count == Self.capacity { expressions.removeFirst() }
            expressions.append((pattern, expression))
        }
        return expression
    }

    private func cachedExpression(_ pattern: String) -> RegularExpression? {
        expressions.withLock { expressions in
            // Compare bytes: regular expressions distinguish texts that Swift considers equal.
            let index = expressions.lastIndex { $0.pattern.utf8.elementsEqual(pattern.utf8) }
            guard let index else { return nil }
            if index != expressions.count - 1 {
                expressions.append(expressions.remove(at: index))
            }
            return expressions.last?.expression
        }
    }
}
