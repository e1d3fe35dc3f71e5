import GRDB

@available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *)
extension DatabaseFunctionSet {
    /// The regular expressions of Swift's `Regex`: `regexp_like(X, PATTERN)`,
    /// `regexp_substr(X, PATTERN)`, `regexp_replace(X, PATTERN, REPLACEMENT)`, and the operator
    /// `REGEXP`.
    ///
    /// ```swift
    /// db.add(functions: .regularExpressions)
    /// // SELECT regexp_replace("phone", '[^0-9]', '') FROM "player"
    /// let phones = try Player
    ///     .select { DatabaseFunction.regexpReplace($0.phone, "[^0-9]", "") }
    ///     .fetchAll(db)
    /// ```
    ///
    /// All functions accept flags as an additional text argument: `i` ignores case, `s` makes `.`
    /// match line ends, `m` makes `^` and `$` match at line ends, `x` ignores white space in the
    /// pattern, and `c` has no effect.
    ///
    /// The pattern may match anywhere in the string. Numbers are converted to text as in SQLite. The
    /// result is NULL if an argument is NULL. If the pattern is not a regular expression, the
    /// statement throws a ``/GRDB/DatabaseError`` of code `SQLITE_ERROR`. The most recently used patterns
    /// are cached in compiled form, for all connections.
    ///
    /// This set replaces the operator ``GRDB/DatabaseFunction/regexp``, which uses the regular
    /// expressions of Foundation.
    public static var regularExpressions: DatabaseFunctionSet {
        DatabaseFunctionSet(functions: [
            .regexpOperator, .regexpLike, .regexpLikeWithFlags, .regexpSubstring,
            .regexpSubstringWithFlags, .regexpReplace, .regexpReplaceWithFlags,
        ])
    }
}

@available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *)
extension DatabaseFunction {
    /// `text REGEXP pattern` calls `regexp(pattern, text)`.
    fileprivate static var regexpOperator: DatabaseFunction {
        DatabaseFunction("regexp", argumentCount: 2, pure: true) { dbValues in
            guard let pattern = dbValues[0].textOfAnyNumber, let text = dbValues[1].textOfAnyNumber
            else { return nil }
            return try SwiftRegexCache.shared.withRegex(pattern, flags: "") {
                text.firstMatch(of: $0) != nil
            }
        }.withOptions(.innocuous)
    }

    /// The SQL function `regexp_like(X, PATTERN)`: whether any part of a string matches.
    public static var regexpLike: DatabaseFunction { like(argumentCount: 2) }

    /// The SQL function `regexp_like(X, PATTERN, FLAGS)`. See
    /// ``DatabaseFunctionSet/regularExpressions`` for the flags.
    public static var regexpLikeWithFlags: DatabaseFunction { like(argumentCount: 3) }

    /// The SQL function `regexp_substr(X, PATTERN)`: the first match in a string, or NULL if there is
    /// none.
    public static var regexpSubstring: DatabaseFunction { substring(argumentCount: 2) }

    /// The SQL function `regexp_substr(X, PATTERN, FLAGS)`. See
    /// ``DatabaseFunctionSet/regularExpressions`` for the flags.
    public static var regexpSubstringWithFlags: DatabaseFunction { substring(argumentCount: 3) }

    /// The SQL function `regexp_replace(X, PATTERN, REPLACEMENT)`: replaces all matches in a string.
    ///
    /// In the replacement, `$1` to `$9` refer to the matches of the groups of the pattern, `$0` to
    /// the whole match, and `$$` is a dollar sign.
    public static var regexpReplace: DatabaseFunction { replace(argumentCount: 3) }

    /// The SQL function `regexp_replace(X, PATTERN, REPLACEMENT, FLAGS)`. See
    /// ``DatabaseFunctionSet/regularExpressions`` for the flags.
    public static var regexpReplaceWithFlags: DatabaseFunction { replace(argumentCount: 4) }

    private static func like(argumentCount: Int) -> DatabaseFunction {
        matching("regexp_like", argumentCount: argumentCount) { text, regex, _ in
            text.firstMatch(of: regex) != nil
        }
    }

    private static func substring(argumentCount: Int) -> DatabaseFunction {
        matching("regexp_substr", argumentCount: argumentCount) { text, regex, _ in
            text.firstMatch(of: regex).map { String(text[$0.range]) }
        }
    }

    private static func replace(argumentCount: Int) -> DatabaseFunction {
        matching("regexp_replace", argumentCount: argumentCount, operandCount: 3) {
            text, regex, operands in
            let template = ReplacementTemplate(operands[2])
            return text.replacing(regex) { template.expanded(for: $0.output, in: text) }
        }
    }

    /// - parameter operandCount: the number of arguments, without the flags.
    private static func matching(
        _ name: String, argumentCount: Int, operandCount: Int = 2,
        _ body:
            @escaping @Sendable (String, Regex<AnyRegexOutput>, [String]) throws ->
            (any DatabaseValueConvertible)?
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: argumentCount, pure: true) { dbValues in
            let operands = dbValues.compactMap(\.textOfAnyNumber)
            guard operands.count == dbValues.count else { return nil }
            let flags = operands.count > operandCount ? operands[operandCount] : ""
            return try SwiftRegexCache.shared.withRegex(operands[1], flags: flags) {
                try body(operands[0], $0, operands)
            }
        }.withOptions(.innocuous)
    }
}

extension DatabaseValue {
    /// The text of the value; nil for NULL, and for blobs that are not UTF-8 text.
    var textOfAnyNumber: String? {
        switch storage {
        case .int64(let value): String(value)
        case .double: sqlLiteral
        default: String.fromDatabaseValue(self)
        }
    }
}

/// The text that replaces a match, with references to groups.
@available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *)
private struct ReplacementTemplate {
    private enum Part {
        case text(String)
        case group(Int)
    }

    private var parts: [Part] = []

    init(_ template: String) {
        var text = ""
        var rest = template[...]
        while let character = rest.popFirst() {
            guard character == "$", let next = rest.first else {
                text.append(character)
                continue
            }
            if next == "$" {
                rest.removeFirst()
                text.append("$")
            } else if let group = next.asciiValue.map({ Int($0) - 0x30 }), 0...9 ~= group {
                rest.removeFirst()
                parts += [.text(text), .group(group)]
                text = ""
            } else {
                text.append(character)
            }
        }
        parts.append(.text(text))
    }

    func expanded(for match: AnyRegexOutput, in text: String) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text):
                result += text
            case .group(let group):
                // A group that has no match, or does not exist, is empty.
                if group < match.count, let range = match[group].range { result += text[range] }
            }
        }
        return result
    }
}

/// The most recently used regular expressions.
///
/// Swift's regular expressions are not sendable. Each use removes an expression from the cache, and
/// returns it afterwards.
@available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *)
private final class SwiftRegexCache: Sendable {
    static let shared = SwiftRegexCache()

    private static let capacity = 32

    private struct Entry {
        let pattern: String
        let flags: String
        let regex: Regex<AnyRegexOutput>
    }

    /// The most recently used expression is last.
    private let entries = Locked<[Entry]>([])

    func withRegex<Result>(
        _ pattern: String, flags: String, _ body: (Regex<AnyRegexOutput>) throws -> Result
    ) throws -> Result {
        let entry = try takeEntry(pattern, flags) ?? Self.makeEntry(pattern, flags)
        defer { put(entry) }
        return try body(entry.regex)
    }

    private func takeEntry(_ pattern: String, _ flags: String) -> Entry? {
        nonisolated(unsafe) var taken: Entry?
        entries.withLock { entries in
            // Compare bytes: regular expressions distinguish texts that Swift considers equal.
            let index = entries.lastIndex {
                $0.pattern.utf8.elementsEqual(pattern.utf8) && $0.flags == flags
            }
            if let index { taken = entries.remove(at: index) }
        }
        return taken
    }

    private func put(_ entry: Entry) {
        entries.withLock { entries in
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(entry)
        }
    }

    private static func makeEntry(_ pattern: String, _ flags: String) throws -> Entry {
        var regex: Regex<AnyRegexOutput>
        var options = ""
        for flag in flags {
            switch flag {
            case "i", "s", "m", "x": options.append(flag)
            case "c": break
            default:
                throw DatabaseError(message: "unknown flag of a regular expression: \(flag)")
            }
        }
        do {
            regex = try Regex(options.isEmpty ? pattern : "(?\(options))\(pattern)")
        } catch {
            throw DatabaseError(message: "invalid regular expression: \(pattern)")
        }
        return Entry(pattern: pattern, flags: flags, regex: regex)
    }
}
