import GRDB

// Tuples of two columns, compared as row values.
//
// More than two columns are compared by ``rowValue(_:_:_:)``.

/// `(left, left) < (right, right)`
///
/// ```swift
/// // SELECT * FROM "player" WHERE ("name", "id") < ('Barbara', 7)
/// Player.filter { ($0.name, $0.id) < ("Barbara", 7) }
/// ```
///
/// The first difference decides. An index on both columns serves the comparison.
///
/// Related SQLite documentation: <https://www.sqlite.org/rowvalue.html>
public func < (
    lhs: (some SQLSpecificExpressible, some SQLSpecificExpressible),
    rhs: (some SQLExpressible, some SQLExpressible)
) -> SQLExpression {
    rowValue(lhs.0, lhs.1) < rowValue(rhs.0, rhs.1)
}

/// `(left, left) <= (right, right)`
public func <= (
    lhs: (some SQLSpecificExpressible, some SQLSpecificExpressible),
    rhs: (some SQLExpressible, some SQLExpressible)
) -> SQLExpression {
    rowValue(lhs.0, lhs.1) <= rowValue(rhs.0, rhs.1)
}

/// `(left, left) > (right, right)`
///
/// ```swift
/// // SELECT * FROM "player" WHERE ("name", "id") > ('Barbara', 7) ORDER BY "name", "id"
/// Player.filter { ($0.name, $0.id) > ("Barbara", 7) }.order { [$0.name, $0.id] }
/// ```
///
/// See ``GRDB/QueryInterfaceRequest/limit(_:after:)`` for pages of requests.
public func > (
    lhs: (some SQLSpecificExpressible, some SQLSpecificExpressible),
    rhs: (some SQLExpressible, some SQLExpressible)
) -> SQLExpression {
    rowValue(lhs.0, lhs.1) > rowValue(rhs.0, rhs.1)
}

/// `(left, left) >= (right, right)`
public func >= (
    lhs: (some SQLSpecificExpressible, some SQLSpecificExpressible),
    rhs: (some SQLExpressible, some SQLExpressible)
) -> SQLExpression {
    rowValue(lhs.0, lhs.1) >= rowValue(rhs.0, rhs.1)
}

// MARK: - Typed columns

/// `(left, left) < (right, right)`
public func < <A: TypedExpressible, B: TypedExpressible>(
    lhs: (A, B), rhs: (A.Value, B.Value)
) -> SQLExpression where A.Value: SQLExpressible, B.Value: SQLExpressible {
    (lhs.0.untyped, lhs.1.untyped) < rhs
}

/// `(left, left) <= (right, right)`
public func <= <A: TypedExpressible, B: TypedExpressible>(
    lhs: (A, B), rhs: (A.Value, B.Value)
) -> SQLExpression where A.Value: SQLExpressible, B.Value: SQLExpressible {
    (lhs.0.untyped, lhs.1.untyped) <= rhs
}

/// `(left, left) > (right, right)`
public func > <A: TypedExpressible, B: TypedExpressible>(
    lhs: (A, B), rhs: (A.Value, B.Value)
) -> SQLExpression where A.Value: SQLExpressible, B.Value: SQLExpressible {
    (lhs.0.untyped, lhs.1.untyped) > rhs
}

/// `(left, left) >= (right, right)`
public func >= <A: TypedExpressible, B: TypedExpressible>(
    lhs: (A, B), rhs: (A.Value, B.Value)
) -> SQLExpression where A.Value: SQLExpressible, B.Value: SQLExpressible {
    (lhs.0.untyped, lhs.1.untyped) >= rhs
}
