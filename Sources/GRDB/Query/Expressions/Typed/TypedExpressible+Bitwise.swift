// Operations on the bits of typed integers. Their results are typed as well.

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left & right`
    public static func & (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped & rhs)
    }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs & rhs.untyped)
    }

    /// `left & right`
    public static func & (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped & rhs.untyped)
    }

    /// `left & right`
    public static func & (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped & rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped & rhs)
    }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs & rhs.untyped)
    }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped & rhs.untyped)
    }

    /// `left & right`
    public static func & <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped & rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left | right`
    public static func | (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped | rhs)
    }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs | rhs.untyped)
    }

    /// `left | right`
    public static func | (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped | rhs.untyped)
    }

    /// `left | right`
    public static func | (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped | rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped | rhs)
    }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs | rhs.untyped)
    }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped | rhs.untyped)
    }

    /// `left | right`
    public static func | <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped | rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left ^ right`
    public static func ^ (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped ^ rhs)
    }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs ^ rhs.untyped)
    }

    /// `left ^ right`
    public static func ^ (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped ^ rhs.untyped)
    }

    /// `left ^ right`
    public static func ^ (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped ^ rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped ^ rhs)
    }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs ^ rhs.untyped)
    }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped ^ rhs.untyped)
    }

    /// `left ^ right`
    public static func ^ <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped ^ rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left << right`
    public static func << (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped << rhs)
    }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs << rhs.untyped)
    }

    /// `left << right`
    public static func << (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped << rhs.untyped)
    }

    /// `left << right`
    public static func << (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped << rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped << rhs)
    }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs << rhs.untyped)
    }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped << rhs.untyped)
    }

    /// `left << right`
    public static func << <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped << rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger & SQLExpressible {
    /// `left >> right`
    public static func >> (lhs: Self, rhs: Value) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped >> rhs)
    }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number> where Value == Number {
        TypedExpression(lhs >> rhs.untyped)
    }

    /// `left >> right`
    public static func >> (
        lhs: Self, rhs: some TypedExpressible<Value>
    ) -> TypedExpression<Value> {
        TypedExpression(lhs.untyped >> rhs.untyped)
    }

    /// `left >> right`
    public static func >> (
        lhs: Self, rhs: some TypedExpressible<Value?>
    ) -> TypedExpression<Value?> {
        TypedExpression(lhs.untyped >> rhs.untyped)
    }
}

extension TypedExpressible {
    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: Number
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped >> rhs)
    }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Number, rhs: Self
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs >> rhs.untyped)
    }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped >> rhs.untyped)
    }

    /// `left >> right`
    public static func >> <Number: FixedWidthInteger & SQLExpressible>(
        lhs: Self, rhs: some TypedExpressible<Number?>
    ) -> TypedExpression<Number?> where Value == Number? {
        TypedExpression(lhs.untyped >> rhs.untyped)
    }
}

extension TypedExpressible where Value: FixedWidthInteger {
    /// `~value`
    public static prefix func ~ (value: Self) -> TypedExpression<Value> {
        TypedExpression(~value.untyped)
    }
}
