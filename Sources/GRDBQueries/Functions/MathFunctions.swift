import GRDB

// The built-in mathematical functions.
//
// They return NULL for NULL, for texts that are not numbers, and where the result is undefined,
// such as the square root of -1. They don't hide the Swift functions of the same names on `Double`.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_mathfunc.html>

// MARK: - Rounding

/// The `ROUND` SQL function: the nearest whole number, as a real. Halves are rounded away from
/// zero.
///
/// ```swift
/// // ROUND("price")
/// round(Column("price"))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html#round>
public func round(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ROUND", value.sqlExpression)
}

/// The `ROUND` SQL function, with a number of digits after the decimal point.
///
/// ```swift
/// // ROUND("price", 2)
/// round(Column("price"), digits: 2)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html#round>
///
/// - parameter value: the number to round.
/// - parameter digits: the number of digits after the decimal point. Negative numbers count as 0.
public func round(
    _ value: some SQLSpecificExpressible, digits: some SQLExpressible
) -> SQLExpression {
    .function("ROUND", value.sqlExpression, digits.sqlExpression)
}

/// The `CEIL` SQL function: the least whole number that is not less than the value.
///
/// ```swift
/// // CEIL("price")
/// ceil(Column("price"))
/// ```
public func ceil(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("CEIL", value.sqlExpression)
}

/// The `FLOOR` SQL function: the greatest whole number that is not greater than the value.
///
/// ```swift
/// // FLOOR("price")
/// floor(Column("price"))
/// ```
public func floor(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("FLOOR", value.sqlExpression)
}

/// The `TRUNC` SQL function: rounds a number towards zero.
///
/// ```swift
/// // TRUNC("price")
/// trunc(Column("price"))
/// ```
public func trunc(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("TRUNC", value.sqlExpression)
}

/// The `SIGN` SQL function: -1 for negative numbers, 0 for zero, 1 for positive numbers.
///
/// ```swift
/// // SIGN("balance")
/// sign(Column("balance"))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html#sign>
public func sign(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("SIGN", value.sqlExpression)
}

// MARK: - Powers and logarithms

/// The `SQRT` SQL function: the square root.
///
/// ```swift
/// // SQRT("area")
/// sqrt(Column("area"))
/// ```
public func sqrt(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("SQRT", value.sqlExpression)
}

/// The `POWER` SQL function.
///
/// ```swift
/// // POWER("radius", 2)
/// power(Column("radius"), 2)
/// ```
public func power(
    _ base: some SQLSpecificExpressible, _ exponent: some SQLExpressible
) -> SQLExpression {
    .function("POWER", base.sqlExpression, exponent.sqlExpression)
}

/// The `EXP` SQL function: e raised to the power of the value.
///
/// ```swift
/// // EXP("rate")
/// exp(Column("rate"))
/// ```
public func exp(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("EXP", value.sqlExpression)
}

/// The `LN` SQL function: the natural logarithm.
///
/// ```swift
/// // LN("growth")
/// ln(Column("growth"))
/// ```
///
/// There is no `log` function of one argument, because it would be ambiguous: `log` is the
/// logarithm to base 10 in SQL, and the natural logarithm in Swift.
public func ln(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("LN", value.sqlExpression)
}

/// The `LOG10` SQL function: the logarithm to base 10.
///
/// ```swift
/// // LOG10("population")
/// log10(Column("population"))
/// ```
public func log10(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("LOG10", value.sqlExpression)
}

/// The `LOG2` SQL function: the logarithm to base 2.
///
/// ```swift
/// // LOG2("size")
/// log2(Column("size"))
/// ```
public func log2(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("LOG2", value.sqlExpression)
}

/// The `LOG` SQL function: the logarithm to a given base.
///
/// ```swift
/// // LOG(3, "count")
/// log(Column("count"), base: 3)
/// ```
public func log(
    _ value: some SQLSpecificExpressible, base: some SQLExpressible
) -> SQLExpression {
    .function("LOG", base.sqlExpression, value.sqlExpression)
}

/// The `MOD` SQL function: the remainder of a division, which accepts numbers that are not whole.
///
/// ```swift
/// // MOD("angle", 360.0)
/// mod(Column("angle"), 360.0)
/// ```
///
/// The `%` operator casts both operands to integers.
public func mod(
    _ dividend: some SQLSpecificExpressible, _ divisor: some SQLExpressible
) -> SQLExpression {
    .function("MOD", dividend.sqlExpression, divisor.sqlExpression)
}

// MARK: - Trigonometry

extension SQLExpression {
    /// The `PI` SQL function: an approximation of π.
    ///
    /// ```swift
    /// // PI() * POWER("radius", 2)
    /// SQLExpression.pi * power(Column("radius"), 2)
    /// ```
    public static var pi: SQLExpression { .function("PI") }
}

/// The `DEGREES` SQL function: converts an angle from radians to degrees.
///
/// ```swift
/// // DEGREES("angle")
/// degrees(Column("angle"))
/// ```
public func degrees(_ radians: some SQLSpecificExpressible) -> SQLExpression {
    .function("DEGREES", radians.sqlExpression)
}

/// The `RADIANS` SQL function: converts an angle from degrees to radians.
///
/// ```swift
/// // RADIANS("latitude")
/// radians(Column("latitude"))
/// ```
public func radians(_ degrees: some SQLSpecificExpressible) -> SQLExpression {
    .function("RADIANS", degrees.sqlExpression)
}

/// The `SIN` SQL function: the sine of an angle in radians.
///
/// ```swift
/// // SIN("angle")
/// sin(Column("angle"))
/// ```
public func sin(_ angle: some SQLSpecificExpressible) -> SQLExpression {
    .function("SIN", angle.sqlExpression)
}

/// The `COS` SQL function: the cosine of an angle in radians.
///
/// ```swift
/// // COS("angle")
/// cos(Column("angle"))
/// ```
public func cos(_ angle: some SQLSpecificExpressible) -> SQLExpression {
    .function("COS", angle.sqlExpression)
}

/// The `TAN` SQL function: the tangent of an angle in radians.
///
/// ```swift
/// // TAN("angle")
/// tan(Column("angle"))
/// ```
public func tan(_ angle: some SQLSpecificExpressible) -> SQLExpression {
    .function("TAN", angle.sqlExpression)
}

/// The `ASIN` SQL function: the arcsine, in radians.
///
/// ```swift
/// // ASIN("x")
/// asin(Column("x"))
/// ```
public func asin(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ASIN", value.sqlExpression)
}

/// The `ACOS` SQL function: the arccosine, in radians.
///
/// ```swift
/// // ACOS("x")
/// acos(Column("x"))
/// ```
public func acos(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ACOS", value.sqlExpression)
}

/// The `ATAN` SQL function: the arctangent, in radians.
///
/// ```swift
/// // ATAN("x")
/// atan(Column("x"))
/// ```
public func atan(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ATAN", value.sqlExpression)
}

/// The `ATAN2` SQL function: the angle of a point, in radians. The signs of both coordinates
/// determine the quadrant.
///
/// ```swift
/// // ATAN2("y", "x")
/// atan2(Column("y"), Column("x"))
/// ```
public func atan2(
    _ y: some SQLSpecificExpressible, _ x: some SQLExpressible
) -> SQLExpression {
    .function("ATAN2", y.sqlExpression, x.sqlExpression)
}

/// The `SINH` SQL function: the hyperbolic sine.
///
/// ```swift
/// // SINH("x")
/// sinh(Column("x"))
/// ```
public func sinh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("SINH", value.sqlExpression)
}

/// The `COSH` SQL function: the hyperbolic cosine.
///
/// ```swift
/// // COSH("x")
/// cosh(Column("x"))
/// ```
public func cosh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("COSH", value.sqlExpression)
}

/// The `TANH` SQL function: the hyperbolic tangent.
///
/// ```swift
/// // TANH("x")
/// tanh(Column("x"))
/// ```
public func tanh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("TANH", value.sqlExpression)
}

/// The `ASINH` SQL function: the hyperbolic arcsine.
///
/// ```swift
/// // ASINH("x")
/// asinh(Column("x"))
/// ```
public func asinh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ASINH", value.sqlExpression)
}

/// The `ACOSH` SQL function: the hyperbolic arccosine.
///
/// ```swift
/// // ACOSH("x")
/// acosh(Column("x"))
/// ```
public func acosh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ACOSH", value.sqlExpression)
}

/// The `ATANH` SQL function: the hyperbolic arctangent.
///
/// ```swift
/// // ATANH("x")
/// atanh(Column("x"))
/// ```
public func atanh(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ATANH", value.sqlExpression)
}
