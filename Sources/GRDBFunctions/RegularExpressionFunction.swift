import GRDB
import Foundation

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
        let range = NSRange(text.startIndex..., in: text)
        return expression.firstMatch(in: text, range: range) != nil
    }
}

/// The most recently used regular expressions.
private final class RegularExpressionCache: Sendable {
    static let shared = RegularExpressionCache()

    private static let capacity = 16

    /// The most recently used expression is last. `NSRegularExpression` is thread-safe.
    private let expressions = Locked<[(pattern: String, expression: NSRegularExpression)]>([])

    func expression(_ pattern: String) throws -> NSRegularExpression {
        if let expression = cachedExpression(pattern) { return expression }
        let expression: NSRegularExpression
        do {
            expression = try NSRegularExpression(pattern: pattern)
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

    private func cachedExpression(_ pattern: String) -> NSRegularExpression? {
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
