// Operations on typed numbers. Their results are typed as well.

extension TypedExpressible where Value: Numeric & SQLExpressible {
    /// `left + right`
    public static func + (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped + rhs)
    }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs + rhs.untyped)
    }

    /// `left + right`
    public static func + (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped + rhs.untyped)
    }

    /// `left + right`
    public static func + (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped + rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped + rhs)
    }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs + rhs.untyped)
    }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped + rhs.untyped)
    }

    /// `left + right`
    public static func + <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped + rhs.untyped)
    }
}

extension TypedExpressible where Value: Numeric & SQLExpressible {
    /// `left - right`
    public static func - (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped - rhs)
    }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs - rhs.untyped)
    }

    /// `left - right`
    public static func - (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped - rhs.untyped)
    }

    /// `left - right`
    public static func - (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped - rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped - rhs)
    }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs - rhs.untyped)
    }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped - rhs.untyped)
    }

    /// `left - right`
    public static func - <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped - rhs.untyped)
    }
}

extension TypedExpressible where Value: Numeric & SQLExpressible {
    /// `left * right`
    public static func * (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped * rhs)
    }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs * rhs.untyped)
    }

    /// `left * right`
    public static func * (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped * rhs.untyped)
    }

    /// `left * right`
    public static func * (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped * rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped * rhs)
    }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs * rhs.untyped)
    }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped * rhs.untyped)
    }

    /// `left * right`
    public static func * <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped * rhs.untyped)
    }
}

extension TypedExpressible where Value: Numeric & SQLExpressible {
    /// `left / right`
    public static func / (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped / rhs)
    }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs / rhs.untyped)
    }

    /// `left / right`
    public static func / (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped / rhs.untyped)
    }

    /// `left / right`
    public static func / (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped / rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped / rhs)
    }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs / rhs.untyped)
    }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped / rhs.untyped)
    }

    /// `left / right`
    public static func / <Number: Numeric & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped / rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left % right`
    public static func % (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped % rhs)
    }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs % rhs.untyped)
    }

    /// `left % right`
    public static func % (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped % rhs.untyped)
    }

    /// `left % right`
    public static func % (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped % rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped % rhs)
    }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs % rhs.untyped)
    }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped % rhs.untyped)
    }

    /// `left % right`
    public static func % <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped % rhs.untyped)
    }
}

extension TypedExpressible where Value: SignedNumeric {
    /// `-value`
    public static prefix func - (value: Self) -> TypedExpression<Value> {
        TypedExpression(-value.untyped)
    }
}

extension TypedExpressible {
    /// `-value`
    public static prefix func - <Number: SignedNumeric>(
        value: Self
    ) -> TypedExpression<Value> where Value == Number? {
        TypedExpression(-value.untyped)
    }
}
