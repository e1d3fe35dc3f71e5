import GRDB

// Operations on typed numbers. Their results are typed as well.

// MARK: - Numbers

extension TypedExpressible where Value: Numeric & SQLExpressible {
    /// `left + right`
    public static func + (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped + rhs)
    }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs + rhs.untyped) }

    /// `left + right`
    public static func + (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped + rhs.untyped)
    }

    /// `left + right`
    public static func + (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped + rhs.untyped) }

    /// `left - right`
    public static func - (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped - rhs)
    }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs - rhs.untyped) }

    /// `left - right`
    public static func - (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped - rhs.untyped)
    }

    /// `left - right`
    public static func - (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped - rhs.untyped) }

    /// `left * right`
    public static func * (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped * rhs)
    }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs * rhs.untyped) }

    /// `left * right`
    public static func * (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped * rhs.untyped)
    }

    /// `left * right`
    public static func * (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped * rhs.untyped) }

    /// `left / right`
    public static func / (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped / rhs)
    }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs / rhs.untyped) }

    /// `left / right`
    public static func / (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped / rhs.untyped)
    }

    /// `left / right`
    public static func / (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped / rhs.untyped) }
}

// MARK: - Integers

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left % right`
    public static func % (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        .init(lhs.untyped % rhs)
    }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number { .init(lhs % rhs.untyped) }

    /// `left % right`
    public static func % (lhs: Self, rhs: some TypedExpressible<Value>) -> TypedExpression<Value> {
        .init(lhs.untyped % rhs.untyped)
    }

    /// `left % right`
    public static func % (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> { .init(lhs.untyped % rhs.untyped) }
}

extension TypedExpressible where Value: SignedNumeric {
    /// `-value`
    public static prefix func - (value: Self) -> TypedExpression<Value> { .init(-value.untyped) }
}

// MARK: - Numbers that may be NULL

extension TypedExpressible {
    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped + rhs) }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs + rhs.untyped) }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped + rhs.untyped) }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped + rhs.untyped) }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped - rhs) }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs - rhs.untyped) }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped - rhs.untyped) }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped - rhs.untyped) }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped * rhs) }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs * rhs.untyped) }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped * rhs.untyped) }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped * rhs.untyped) }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped / rhs) }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs / rhs.untyped) }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped / rhs.untyped) }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped / rhs.untyped) }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped % rhs) }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs % rhs.untyped) }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped % rhs.untyped) }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? { .init(lhs.untyped % rhs.untyped) }

    /// `-value`
    public static prefix func - <Number: SignedNumeric>(
        value: Self
    ) -> TypedExpression<Value> where Value == Number? { .init(-value.untyped) }
}
