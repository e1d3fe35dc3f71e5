// The functions and the patterns of typed texts.

/// The type of texts, optional or not. It has no other purpose.
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

/// The `TRIM` SQL function: the text without the characters at both ends.
///
/// - parameter text: the text.
/// - parameter characters: the removed characters; nil for spaces.
public func trim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(trim(text.untyped, characters: characters))
}

/// The `LTRIM` SQL function: the text without the characters at its beginning.
///
/// - parameter text: the text.
/// - parameter characters: the removed characters; nil for spaces.
public func ltrim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(ltrim(text.untyped, characters: characters))
}

/// The `RTRIM` SQL function: the text without the characters at its end.
///
/// - parameter text: the text.
/// - parameter characters: the removed characters; nil for spaces.
public func rtrim<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, characters: String? = nil
) -> TypedExpression<Text> {
    TypedExpression(rtrim(text.untyped, characters: characters))
}

// MARK: - Parts

/// The `REPLACE` SQL function: the text, with each occurrence of `replaced` replaced.
public func replace<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, _ replaced: String, with replacement: String
) -> TypedExpression<Text> {
    TypedExpression(replace(text.untyped, replaced, with: replacement))
}

/// The `SUBSTR` SQL function: a part of the text.
///
/// - parameter text: the text.
/// - parameter start: the number of the first character: 1 for the first one, -1 for the last one.
/// - parameter length: the number of characters; nil for all that follow.
public func substr<Text: _SQLText>(
    _ text: some TypedExpressible<Text>, from start: Int, length: Int? = nil
) -> TypedExpression<Text> {
    TypedExpression(substr(text.untyped, from: start, length: length))
}

/// The `INSTR` SQL function: the position of the first occurrence of `searched` in `text`, from 1;
/// 0 if there is no occurrence.
public func instr(
    _ text: some TypedExpressible<String>, _ searched: String
) -> TypedExpression<Int> {
    TypedExpression(instr(text.untyped, searched))
}

/// The `INSTR` SQL function: the position of the first occurrence of `searched` in `text`, from 1;
/// 0 if there is no occurrence.
public func instr(
    _ text: some TypedExpressible<String?>, _ searched: String
) -> TypedExpression<Int?> {
    TypedExpression(instr(text.untyped, searched))
}

// MARK: - Texts of all values

/// The `HEX` SQL function: the bytes of a value, in upper case hexadecimal digits. None for NULL.
public func hex(_ value: some TypedExpressible) -> TypedExpression<String> {
    TypedExpression(hex(value.untyped))
}

/// The `QUOTE` SQL function: the SQL literal of a value.
public func quote(_ value: some TypedExpressible) -> TypedExpression<String> {
    TypedExpression(quote(value.untyped))
}

/// The `TYPEOF` SQL function: the storage class of a value, as a text in lower case.
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
