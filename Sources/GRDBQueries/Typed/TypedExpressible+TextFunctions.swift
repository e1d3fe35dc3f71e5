import GRDB

// The functions and patterns of typed texts.

/// A constraint on generic parameters: `String` and `String?` conform.
public protocol _SQLText {}

extension String: _SQLText {}

extension Optional: _SQLText where Wrapped == String {}

// MARK: - Case

/// The `LOWER` SQL function, which converts ASCII letters only.
public func lower<Text: _SQLText>(_ text: some TypedExpressible<Text>) -> TypedExpression<Text> {
    TypedExpression(lower(text.untyped))
}

/// The `UPPER` SQL function, which converts ASCII letters only.
public func upper<Text: _SQLText>(_ text: some TypedExpressible<Text>) -> TypedExpression<Text> {
    TypedExpression(upper(text.untyped))
}

// MARK: - Trimming

/// The `TRIM` SQL function: removes characters from the beginning and the end of a string.
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; nil for spaces.
public func trim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(trim(text.untyped, characters: characters))
}

/// The `LTRIM` SQL function: removes characters from the beginning of a string.
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; nil for spaces.
public func ltrim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(ltrim(text.untyped, characters: characters))
}

/// The `RTRIM` SQL function: removes characters from the end of a string.
///
/// - parameter text: the string.
/// - parameter characters: the characters to remove; nil for spaces.
public func rtrim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(rtrim(text.untyped, characters: characters))
}

// MARK: - Parts

/// The `REPLACE` SQL function: replaces all occurrences of a string with another string.
public func replace<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, _ replaced: String, with replacement: String
) -> TypedExpression<Text> {
    TypedExpression(replace(text.untyped, replaced, with: replacement))
}

/// The `SUBSTR` SQL function: a part of the text.
///
/// - parameter text: the string.
/// - parameter start: the position of the first character of the result. Positions start at 1.
///   Negative positions count from the end: -1 is the last character.
/// - parameter length: the number of characters; nil for all characters up to the end.
public func substr<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, from start: Int, length: Int? = nil
) -> TypedExpression<Text> {
    TypedExpression(substr(text.untyped, from: start, length: length))
}

/// The `INSTR` SQL function: the position of the first occurrence of `searched` in `text`, counted
/// from 1, or 0 if it is not found.
public func instr(
    _ text: some TypedExpressible<String>, _ searched: String
) -> TypedExpression<Int> {
    TypedExpression(instr(text.untyped, searched))
}

/// The `INSTR` SQL function: the position of the first occurrence of `searched` in `text`, counted
/// from 1, or 0 if it is not found.
public func instr(
    _ text: some TypedExpressible<String?>, _ searched: String
) -> TypedExpression<Int?> {
    TypedExpression(instr(text.untyped, searched))
}

// MARK: - Text representations

/// The `HEX` SQL function: the bytes of a value, as uppercase hexadecimal digits. The result is the
/// empty text for NULL.
public func hex(_ value: some TypedExpressible) -> TypedExpression<String> {
    TypedExpression(hex(value.untyped))
}

/// The `QUOTE` SQL function: the SQL literal of a value.
public func quote(_ value: some TypedExpressible) -> TypedExpression<String> {
    TypedExpression(quote(value.untyped))
}

/// The `TYPEOF` SQL function: the name of the storage class of a value, in lower case.
public func typeOf(_ value: some TypedExpressible) -> TypedExpression<String> {
    TypedExpression(typeOf(value.untyped))
}

// MARK: - Patterns

extension TypedExpressible where Value: _SQLText {
    /// The `GLOB` SQL operator. See ``SQLSpecificExpressible/glob(_:)``.
    public func glob(_ pattern: String) -> SQLExpression { untyped.glob(pattern) }

    /// The `REGEXP` SQL operator. See ``SQLSpecificExpressible/regexp(_:)``.
    public func regexp(_ pattern: String) -> SQLExpression { untyped.regexp(pattern) }
}
