import GRDB

// The built-in functions on texts.
//
// Positions and lengths count Unicode scalars. The first scalar has position 1.
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
/// For all letters, see ``/GRDB/SQLSpecificExpressible/lowercased``.
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
/// For all letters, see ``/GRDB/SQLSpecificExpressible/uppercased``.
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

/// The `TRIM` SQL function: removes characters from the beginning and the end of a string.
///
/// ```swift
/// // TRIM("name")
/// trim(Column("name"))
/// // TRIM("name", '.,')
/// trim(Column("name"), characters: ".,")
/// ```
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; spaces by default.
public func trim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("TRIM", text, characters)
}

/// The `LTRIM` SQL function: removes characters from the beginning of a string.
///
/// ```swift
/// // LTRIM("number", '0')
/// ltrim(Column("number"), characters: "0")
/// ```
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; spaces by default.
public func ltrim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("LTRIM", text, characters)
}

/// The `RTRIM` SQL function: removes characters from the end of a string.
///
/// ```swift
/// // RTRIM("path", '/')
/// rtrim(Column("path"), characters: "/")
/// ```
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; spaces by default.
public func rtrim(
    _ text: some SQLSpecificExpressible, characters: (any SQLExpressible)? = nil
) -> SQLExpression {
    .trim("RTRIM", text, characters)
}

// MARK: - Parts

/// The `REPLACE` SQL function: replaces all occurrences of a string with another string.
///
/// ```swift
/// // REPLACE("email", '@mac.com', '@icloud.com')
/// replace(Column("email"), "@mac.com", with: "@icloud.com")
/// ```
///
/// The text is unchanged if the text to replace is empty.
public func replace(
    _ text: some SQLSpecificExpressible, _ replaced: some SQLExpressible,
    with replacement: some SQLExpressible
) -> SQLExpression {
    .function(
        "REPLACE", text.sqlExpression, replaced.sqlExpression, replacement.sqlExpression)
}

/// The `SUBSTR` SQL function: a part of a string, or of the bytes of a blob.
///
/// ```swift
/// // SUBSTR("isbn", 4)
/// substr(Column("isbn"), from: 4)
/// // SUBSTR("name", 1, 1)
/// substr(Column("name"), from: 1, length: 1)
/// ```
///
/// - parameter text: the string.
/// - parameter start: the position of the first character of the result. Positions start at 1.
///   Negative positions count from the end: -1 is the last character.
/// - parameter length: the number of characters; by default, all characters up to the end. A
///   negative length selects that many characters before the start.
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

/// The `INSTR` SQL function: the position of a string inside another string, or 0 if it is not found.
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

/// The `CONCAT` and `CONCAT_WS` SQL functions: the concatenation of texts. NULL values are ignored.
///
/// ```swift
/// // CONCAT("firstName", ' ', "lastName")
/// concat([Column("firstName"), " ", Column("lastName")])
/// // CONCAT_WS(', ', "street", "city", "country")
/// concat([Column("street"), Column("city"), Column("country")], separator: ", ")
/// ```
///
/// The `||` operator returns NULL if an operand is NULL: see
/// ``/GRDB/SQLExpression/AssociativeBinaryOperator/concat``.
///
/// The result is the empty text if there are no values.
///
/// - parameter values: the texts.
/// - parameter separator: the text between two non-NULL values. If it is NULL, the result is NULL.
public func concat(
    _ values: some Collection<any SQLExpressible>, separator: (any SQLExpressible)? = nil
) -> SQLExpression {
    // SQLite requires at least one value.
    if values.isEmpty { return "".sqlExpression }
    guard let separator else {
        return .function("CONCAT", arguments: values.map(\.sqlExpression))
    }
    return .function(
        "CONCAT_WS", arguments: [separator.sqlExpression] + values.map(\.sqlExpression))
}

/// The `FORMAT` SQL function: formats values like `printf` in C.
///
/// ```swift
/// // FORMAT('%s: %.2f', "name", "price")
/// format("%s: %.2f", Column("name"), Column("price"))
/// ```
///
/// `%s` formats a string, `%d` an integer, `%f` a real, and `%q` a string with doubled quotes.
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

/// The `PRINTF` SQL function: the former name of ``format(_:_:_:)``.
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

/// The `UNICODE` SQL function: the code point of the first Unicode scalar.
///
/// ```swift
/// // UNICODE("name")
/// unicode(Column("name"))
/// ```
public func unicode(_ text: some SQLSpecificExpressible) -> SQLExpression {
    .function("UNICODE", text.sqlExpression)
}

/// The `CHAR` SQL function: the text made of the given Unicode scalars.
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

/// The `OCTET_LENGTH` SQL function: the number of bytes of a string or a blob in the database.
///
/// ```swift
/// // OCTET_LENGTH("name")
/// octetLength(Column("name"))
/// ```
public func octetLength(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("OCTET_LENGTH", value.sqlExpression)
}

/// The `HEX` SQL function: the bytes of a value, as uppercase hexadecimal digits.
///
/// ```swift
/// // HEX("hash")
/// hex(Column("hash"))
/// ```
///
/// The result is the empty text for NULL.
public func hex(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("HEX", value.sqlExpression)
}

/// The `UNHEX` SQL function: decodes hexadecimal digits to a blob. The result is NULL if the text
/// contains other characters.
///
/// ```swift
/// // UNHEX("hash")
/// unhex(Column("hash"))
/// // UNHEX("uuid", '-')
/// unhex(Column("uuid"), ignoring: "-")
/// ```
///
/// - parameter digits: the hexadecimal digits, two per byte.
/// - parameter characters: the characters that are allowed between two bytes.
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
    /// - parameter pattern: a string in which `*` matches any text, `?` matches any character, and
    ///   `[a-z]` matches one character of a range.
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
        .binary(self, .glob, pattern)
    }

    /// The `REGEXP` SQL operator.
    ///
    /// SQLite has the operator, but not the function that implements it. Add
    /// ``/GRDBFunctions/GRDB/DatabaseFunction/regexp`` or your own function:
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
    /// The pattern uses the full-text query syntax. SQLite throws an error if the pattern is
    /// invalid. A nil pattern matches no row.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
    public func match(_ pattern: some SQLExpressible) -> SQLExpression {
        // NULL is a syntax error in FTS5.
        let pattern = pattern.sqlExpression
        if pattern.isNullValue { return false.sqlExpression }
        return .binary(self, .match, pattern)
    }
}
