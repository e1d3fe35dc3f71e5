// The built-in functions on texts.
//
// Positions and lengths count Unicode scalars, the first one at position 1.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html>

// MARK: - Case

/// The `LOWER` SQL function, which converts ASCII letters only.
///
/// ```swift
/// // LOWER("email")
/// lower(Column("email"))
/// ```
///
/// For all letters, see ``SQLSpecificExpressible/lowercased``.
public func lower(_ text: some SQLSpecificExpressible) -> SQLExpression {
    .function("LOWER", text.sqlExpression)
}

/// The `UPPER` SQL function, which converts ASCII letters only.
///
/// ```swift
/// // UPPER("code")
/// upper(Column("code"))
/// ```
///
/// For all letters, see ``SQLSpecificExpressible/uppercased``.
public func upper(_ text: some SQLSpecificExpressible) -> SQLExpression {
    .function("UPPER", text.sqlExpression)
}

// MARK: - Trimming

extension SQLExpression {
    fileprivate static func trim(
        _ name: String, _ text: some SQLSpecificExpressible, _ characters: (any SQLExpressible)?
    ) -> SQLExpression {
        guard let characters else { return .function(name, text.sqlExpression) }
        return .function(name, text.sqlExpression, characters.sqlExpression)
    }
}

/// The `TRIM` SQL function: the text without the characters at its beginning and end.
///
/// ```swift
/// // TRIM("name")
/// trim(Column("name"))
/// // TRIM("name", '.,')
/// trim(Column("name"), characters: ".,")
/// ```
///
/// - parameter text: the text.
/// - parameter characters: all characters to remove; spaces by default.
public func trim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("TRIM", text, characters)
}

/// The `LTRIM` SQL function: the text without the characters at its beginning.
///
/// ```swift
/// // LTRIM("number", '0')
/// ltrim(Column("number"), characters: "0")
/// ```
///
/// - parameter text: the text.
/// - parameter characters: all characters to remove; spaces by default.
public func ltrim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("LTRIM", text, characters)
}

/// The `RTRIM` SQL function: the text without the characters at its end.
///
/// ```swift
/// // RTRIM("path", '/')
/// rtrim(Column("path"), characters: "/")
/// ```
///
/// - parameter text: the text.
/// - parameter characters: all characters to remove; spaces by default.
public func rtrim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("RTRIM", text, characters)
}

// MARK: - Parts

/// The `REPLACE` SQL function: the text with all occurrences of another one replaced.
///
/// ```swift
/// // REPLACE("email", '@mac.com', '@icloud.com')
/// replace(Column("email"), "@mac.com", with: "@icloud.com")
/// ```
///
/// Nothing is replaced when the replaced text is empty.
public func replace(
    _ text: some SQLSpecificExpressible, _ replaced: some SQLExpressible,
    with replacement: some SQLExpressible
) -> SQLExpression {
    .function(
        "REPLACE", text.sqlExpression, replaced.sqlExpression, replacement.sqlExpression)
}

/// The `SUBSTR` SQL function: a part of a text, or of the bytes of a blob.
///
/// ```swift
/// // SUBSTR("isbn", 4)
/// substr(Column("isbn"), from: 4)
/// // SUBSTR("name", 1, 1)
/// substr(Column("name"), from: 1, length: 1)
/// ```
///
/// - parameter text: the text.
/// - parameter start: the position of the first character, 1 for that of the text. Negative
///   positions count from the end: -1 for the last character.
/// - parameter length: the number of characters; all that follow by default. When negative, that
///   many characters before the start.
public func substr(
    _ text: some SQLSpecificExpressible, from start: some SQLExpressible,
    length: (any SQLExpressible)? = nil
) -> SQLExpression {
    guard let length else {
        return .function("SUBSTR", text.sqlExpression, start.sqlExpression)
    }
    return .function(
        "SUBSTR", text.sqlExpression, start.sqlExpression, length.sqlExpression)
}

/// The `INSTR` SQL function: the position of a text in another one, 0 if it is not there.
///
/// ```swift
/// // INSTR("email", '@')
/// instr(Column("email"), "@")
/// ```
public func instr(
    _ text: some SQLSpecificExpressible, _ searched: some SQLExpressible
) -> SQLExpression {
    .function("INSTR", text.sqlExpression, searched.sqlExpression)
}

// MARK: - Composition

/// The `CONCAT` and `CONCAT_WS` SQL functions: texts one after the other. NULL is left out.
///
/// ```swift
/// // CONCAT("firstName", ' ', "lastName")
/// concat([Column("firstName"), " ", Column("lastName")])
/// // CONCAT_WS(', ', "street", "city", "country")
/// concat([Column("street"), Column("city"), Column("country")], separator: ", ")
/// ```
///
/// Unlike them, the `||` operator makes NULL of NULL: see
/// ``SQLExpression/AssociativeBinaryOperator/concat``.
///
/// Without any value, the result is the empty text.
///
/// - parameter values: the texts.
/// - parameter separator: the text between two values that are not NULL. The result is NULL if it
///   is NULL.
public func concat(
    _ values: some Collection<any SQLExpressible>, separator: (any SQLExpressible)? = nil
) -> SQLExpression {
    // SQLite requires one value at least.
    if values.isEmpty { return "".sqlExpression }
    guard let separator else {
        return .function("CONCAT", arguments: values.map(\.sqlExpression))
    }
    return .function(
        "CONCAT_WS", arguments: [separator.sqlExpression] + values.map(\.sqlExpression))
}

/// The `FORMAT` SQL function: values in a format, as C's `printf` does.
///
/// ```swift
/// // FORMAT('%s: %.2f', "name", "price")
/// format("%s: %.2f", Column("name"), Column("price"))
/// ```
///
/// `%s` takes a text, `%d` an integer, `%f` a real, `%q` a text whose quotes are doubled.
///
/// Related SQLite documentation: <https://www.sqlite.org/printf.html>
public func format(
    _ format: some SQLExpressible, _ value: some SQLSpecificExpressible,
    _ values: any SQLExpressible...
) -> SQLExpression {
    .function(
        "FORMAT",
        arguments: [format.sqlExpression, value.sqlExpression] + values.map(\.sqlExpression))
}

/// The `PRINTF` SQL function: the older name of ``format(_:_:_:)``.
///
/// ```swift
/// // PRINTF('%05d', "number")
/// printf("%05d", Column("number"))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/printf.html>
public func printf(
    _ format: some SQLExpressible, _ value: some SQLSpecificExpressible,
    _ values: any SQLExpressible...
) -> SQLExpression {
    .function(
        "PRINTF",
        arguments: [format.sqlExpression, value.sqlExpression] + values.map(\.sqlExpression))
}

// MARK: - Characters and bytes

/// The `UNICODE` SQL function: the code of the first Unicode scalar.
///
/// ```swift
/// // UNICODE("name")
/// unicode(Column("name"))
/// ```
public func unicode(_ text: some SQLSpecificExpressible) -> SQLExpression {
    .function("UNICODE", text.sqlExpression)
}

/// The `CHAR` SQL function: the text of some Unicode scalars.
///
/// ```swift
/// // CHAR("code", 10)
/// char(Column("code"), 10)
/// ```
public func char(
    _ code: some SQLSpecificExpressible, _ codes: any SQLExpressible...
) -> SQLExpression {
    .function("CHAR", arguments: [code.sqlExpression] + codes.map(\.sqlExpression))
}

/// The `OCTET_LENGTH` SQL function: the number of bytes of a text or a blob, as it is stored.
///
/// ```swift
/// // OCTET_LENGTH("name")
/// octetLength(Column("name"))
/// ```
public func octetLength(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("OCTET_LENGTH", value.sqlExpression)
}

/// The `HEX` SQL function: the bytes of a value, in upper case hexadecimal digits.
///
/// ```swift
/// // HEX("hash")
/// hex(Column("hash"))
/// ```
///
/// NULL has no bytes: the result is the empty text.
public func hex(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("HEX", value.sqlExpression)
}

/// The `UNHEX` SQL function: the blob that hexadecimal digits represent, or NULL if there are other
/// characters.
///
/// ```swift
/// // UNHEX("hash")
/// unhex(Column("hash"))
/// // UNHEX("uuid", '-')
/// unhex(Column("uuid"), ignoring: "-")
/// ```
///
/// - parameter digits: the hexadecimal digits, two per byte.
/// - parameter characters: characters that are allowed between two bytes.
public func unhex(
    _ digits: some SQLSpecificExpressible, ignoring characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    guard let characters else { return .function("UNHEX", digits.sqlExpression) }
    return .function("UNHEX", digits.sqlExpression, characters.sqlExpression)
}

/// The `QUOTE` SQL function: the SQL literal of a value.
///
/// ```swift
/// // QUOTE("name")
/// quote(Column("name"))
/// ```
public func quote(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("QUOTE", value.sqlExpression)
}

// MARK: - Patterns

extension SQLSpecificExpressible {
    /// The `GLOB` SQL operator, which is case-sensitive.
    ///
    /// ```swift
    /// // "path" GLOB '/usr/*'
    /// Column("path").glob("/usr/*")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#glob>
    ///
    /// - parameter pattern: a text in which `*` stands for any text, `?` for any character, and
    ///   `[a-z]` for one of several.
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
        .binary(self, .glob, pattern)
    }

    /// The `REGEXP` SQL operator.
    ///
    /// SQLite has the operator, but not the function behind it. Add
    /// ``DatabaseFunction/regexp``, or one of yours:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(function: .regexp)
    /// }
    ///
    /// // "code" REGEXP '^[A-Z]{2}-\d+$'
    /// Column("code").regexp(#"^[A-Z]{2}-\d+$"#)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#regexp>
    public func regexp(_ pattern: some SQLExpressible) -> SQLExpression {
        .binary(self, .regexp, pattern)
    }

    /// The `MATCH` SQL operator, of full-text tables.
    ///
    /// ```swift
    /// // "document" MATCH 'sqlite NEAR database'
    /// Column("document").match("sqlite NEAR database")
    /// ```
    ///
    /// The text is a full-text pattern: SQLite throws an error when it is not a valid one. Nothing
    /// matches nil.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
    public func match(_ pattern: some SQLExpressible) -> SQLExpression {
        // To FTS5, NULL is a syntax error.
        let pattern = pattern.sqlExpression
        if pattern.node(as: DatabaseValue.self)?.isNull == true { return false.sqlExpression }
        return .binary(self, .match, pattern)
    }
}
