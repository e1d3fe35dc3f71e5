import Foundation

extension DatabaseFunction {
    /// The SQL function behind the `REGEXP` operator, with the regular expressions of Foundation.
    ///
    /// SQLite has no such function, and connections only have this one when it is added:
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
    /// A text matches when some part of it does: anchor the pattern with `^` and `$` for all of it.
    /// Begin it with `(?i)` to ignore case. Numbers match as the text that SQLite makes of them, and
    /// NULL makes NULL.
    ///
    /// A statement fails with a ``DatabaseError`` of code `SQLITE_ERROR` when the pattern is not a
    /// regular expression.
    ///
    /// The last patterns are kept compiled, for all connections.
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

/// The regular expressions that were used last.
private final class RegularExpressionCache: Sendable {
    static let shared = RegularExpressionCache()

    private static let capacity = 16

    /// The last used expressions come last. `NSRegularExpression` itself may be used by any thread.
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
            // By bytes: regular expressions distinguish texts that Swift considers equal.
            let index = expressions.lastIndex { $0.pattern.utf8.elementsEqual(pattern.utf8) }
            guard let index else { return nil }
            if index != expressions.count - 1 {
                expressions.append(expressions.remove(at: index))
            }
            return expressions.last?.expression
        }
    }
}
