import GRDB

// Operations on the bits of typed integers. Their results are typed as well.

// MARK: - Integers

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left & right`
    public static func & (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped & rhs)
    }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs & rhs.untyped) }

    /// `left & right`
    public static func & (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped & rhs.untyped)
    }

    /// `left & right`
    public static func & (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped & rhs.untyped) }

    /// `left | right`
    public static func | (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped | rhs)
    }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs | rhs.untyped) }

    /// `left | right`
    public static func | (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped | rhs.untyped)
    }

    /// `left | right`
    public static func | (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped | rhs.untyped) }

    /// `left ^ right`
    public static func ^ (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped ^ rhs)
    }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs ^ rhs.untyped) }

    /// `left ^ right`
    public static func ^ (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped ^ rhs.untyped)
    }

    /// `left ^ right`
    public static func ^ (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped ^ rhs.untyped) }

    /// `left << right`
    public static func << (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped << rhs)
    }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs << rhs.untyped) }

    /// `left << right`
    public static func << (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped << rhs.untyped)
    }

    /// `left << right`
    public static func << (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped << rhs.untyped) }

    /// `left >> right`
    public static func >> (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped >> rhs)
    }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs >> rhs.untyped) }

    /// `left >> right`
    public static func >> (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped >> rhs.untyped)
    }

    /// `left >> right`
    public static func >> (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped >> rhs.untyped) }
}

extension TypedExpressible where Value: FixedWidthInteger {
    /// `~value`
    public static prefix func ~ (value: Self) -> TypedExpression<Value> { .init(~value.untyped) }
}

// MARK: - Integers that may be NULL

extension TypedExpressible {
    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped & rhs) }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs & rhs.untyped) }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped & rhs.untyped) }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped & rhs.untyped) }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped | rhs) }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs | rhs.untyped) }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped | rhs.untyped) }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped | rhs.untyped) }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped ^ rhs) }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs ^ rhs.untyped) }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped ^ rhs.untyped) }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped ^ rhs.untyped) }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped << rhs) }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs << rhs.untyped) }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped << rhs.untyped) }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped << rhs.untyped) }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped >> rhs) }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs >> rhs.untyped) }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped >> rhs.untyped) }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped >> rhs.untyped) }
}
