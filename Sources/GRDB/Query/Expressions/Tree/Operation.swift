// The operations of the expression tree. The operators, functions and methods of the public API
// create them.

/// `left = right`
package struct BinaryOperation: SQLOperation {
    package enum Operator: String {
        case equal = " = "
        case notEqual = " <> "
        case less = " < "
        case lessOrEqual = " <= "
        case greater = " > "
        case greaterOrEqual = " >= "
        case `is` = " IS "
        case isNot = " IS NOT "
        case subtract = " - "
        case divide = " / "
        case modulo = " % "
        case shiftLeft = " << "
        case shiftRight = " >> "
        case match = " MATCH "
        case glob = " GLOB "
        case notGlob = " NOT GLOB "
        case regexp = " REGEXP "
        case notRegexp = " NOT REGEXP "
        case isDistinct = " IS DISTINCT FROM "
        case isNotDistinct = " IS NOT DISTINCT FROM "
        case jsonRepresentation = " -> "
        case jsonValue = " ->> "

        /// The operator that is true when this operator is false, and NULL when this operator is
        /// NULL.
        var negated: Operator? {
            switch self {
            case .equal: .notEqual
            case .notEqual: .equal
            case .is: .isNot
            case .isNot: .is
            case .isDistinct: .isNotDistinct
            case .isNotDistinct: .isDistinct
            case .glob: .notGlob
            case .notGlob: .glob
            case .regexp: .notRegexp
            case .notRegexp: .regexp
            default: nil
            }
        }
    }

    let left: SQLExpression
    let sqlOperator: Operator
    let right: SQLExpression

    func write(to writer: SQLWriter) throws {
        try left.writeOperand(to: writer)
        writer.append(sql: sqlOperator.rawValue)
        if right.traits.contains(.bindsTightly) {
            try right.write(to: writer)
        } else {
            try right.writeOperand(to: writer)
        }
    }

    var traits: SQLTraits {
        let inherited = left.traits.union(right.traits).whenInherited
        return inherited.union(sqlOperator == .match ? [.compound, .match] : .compound)
    }

    var operands: [SQLExpression] { [left, right] }

    var condition: SQLCondition {
        sqlOperator == .equal || sqlOperator == .is ? .equal(left, right) : .unknown
    }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        BinaryOperation(left: left, sqlOperator: sqlOperator, right: transform(right))
    }

    var negation: SQLExpression? {
        sqlOperator.negated.map {
            SQLExpression(BinaryOperation(left: left, sqlOperator: $0, right: right))
        }
    }

    var depth: Int { 1 + max(left.depth, right.depth) }
}

/// `a AND b AND c`
struct AssociativeOperation: SQLNode {
    let sqlOperator: SQLExpression.AssociativeBinaryOperator
    /// Two or more. Not an array, because `condition && other` would copy all previous operands.
    let operands: Rope<SQLExpression>

    let depth: Int

    let traits: SQLTraits

    /// - parameters:
    ///     - operandDepth: the depth of the deepest operand.
    ///     - operandTraits: the traits of all operands.
    init(
        sqlOperator: SQLExpression.AssociativeBinaryOperator, operands: Rope<SQLExpression>,
        operandDepth: Int, operandTraits: SQLTraits
    ) {
        self.sqlOperator = sqlOperator
        self.operands = operands
        depth = operandDepth + 1
        traits = operandTraits.whenInherited.union(.compound)
    }

    init(
        sqlOperator: SQLExpression.AssociativeBinaryOperator, operands: [SQLExpression]
    ) {
        self.init(
            sqlOperator: sqlOperator, operands: Rope(operands),
            operandDepth: operands.maximumDepth, operandTraits: operands.inheritedTraits)
    }

    func write(to writer: SQLWriter) throws {
        try write(operands.array[...], to: writer)
    }

    /// Writes some of the operands.
    ///
    /// The depth of `a AND b AND c` is its number of operands, and SQLite limits the depth of
    /// expressions to 1000. Many operands are therefore written in groups.
    private func write(_ operands: ArraySlice<SQLExpression>, to writer: SQLWriter) throws {
        let isGrouped = operands.count > 200
        let groupSize = isGrouped ? max(100, operands.count / 100 + 1) : 1
        for start in stride(from: operands.startIndex, to: operands.endIndex, by: groupSize) {
            if start > operands.startIndex { writer.append(sql: sqlOperator.sql) }
            if isGrouped {
                writer.append(sql: "(")
                try write(operands[start...].prefix(groupSize), to: writer)
                writer.append(sql: ")")
            } else {
                try operands[start].writeOperand(to: writer)
            }
        }
    }

    var children: [any SQLNode] { operands.array.nodes }

    var condition: SQLCondition {
        switch sqlOperator {
        case .and: .all(operands.array)
        case .or: .any(operands.array)
        default: .unknown
        }
    }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        AssociativeOperation(sqlOperator: sqlOperator, operands: operands.map(transform))
    }
}

/// `NOT operand`, `-operand`, `~operand`
struct UnaryOperation: SQLOperation {
    enum Operator: String {
        case not = "NOT "
        case minus = "-"
        case bitwiseNot = "~"
    }

    let sqlOperator: Operator
    let operand: SQLExpression

    func write(to writer: SQLWriter) throws {
        writer.append(sql: sqlOperator.rawValue)
        // `--` starts a comment.
        if sqlOperator == .not, operand.traits.contains(.bindsTightly) {
            try operand.write(to: writer)
        } else if writer.valueStyle == .literal, operand.node.isNegativeNumber {
            writer.append(sql: "(")
            try operand.write(to: writer)
            writer.append(sql: ")")
        } else {
            try operand.writeOperand(to: writer)
        }
    }

    var traits: SQLTraits { operand.traits.whenInherited.union(.compound) }

    var operands: [SQLExpression] { [operand] }

    var oppositeNumber: SQLExpression? { sqlOperator == .minus ? operand : nil }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        UnaryOperation(sqlOperator: sqlOperator, operand: transform(operand))
    }

    var depth: Int { 1 + operand.depth }
}

extension SQLNode {
    /// Whether the node is a literal that starts with a minus sign.
    fileprivate var isNegativeNumber: Bool {
        guard case .constant(let value) = condition else { return false }
        return switch value.storage {
        case .int64(let value): value < 0
        // Negative zero has a sign, but is not less than zero.
        case .double(let value): value.sign == .minus
        default: false
        }
    }
}

/// A condition whose negation has a keyword of its own, such as `NOT IN`.
protocol NegatableNode: SQLNode {
    var isNegated: Bool { get set }
}

extension NegatableNode {
    var negation: SQLExpression? {
        var opposite = self
        opposite.isNegated.toggle()
        return SQLExpression(opposite)
    }
}

/// `operand BETWEEN lowerBound AND upperBound`
struct Between: SQLOperation, NegatableNode {
    let operand: SQLExpression
    let lowerBound: SQLExpression
    let upperBound: SQLExpression
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        try operand.writeOperand(to: writer)
        writer.append(sql: isNegated ? " NOT BETWEEN " : " BETWEEN ")
        try lowerBound.writeOperand(to: writer)
        writer.append(sql: " AND ")
        try upperBound.writeOperand(to: writer)
    }

    var traits: SQLTraits { operands.inheritedTraits.union(.compound) }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        Between(
            operand: transform(operand), lowerBound: lowerBound, upperBound: upperBound,
            isNegated: isNegated)
    }

    var operands: [SQLExpression] { [operand, lowerBound, upperBound] }
}

/// `operand IN (…)`
struct Membership: SQLOperation, NegatableNode {
    enum List: Sendable {
        case expressions([SQLExpression])
        case subquery(SQLSubquery)
        /// A table: a common table expression.
        case table(String)
    }

    let operand: SQLExpression
    let list: List
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        try operand.writeOperand(to: writer)
        writer.append(sql: isNegated ? " NOT IN " : " IN ")
        switch list {
        case .expressions(let expressions):
            if writer.valueStyle == .placeholder {
                if let arrays = ValueArrays(expressions) { return arrays.write(to: writer) }
                if let arrays = RowValueArrays(expressions) { return arrays.write(to: writer) }
            }
            // SQLite accepts a list of row values only as the rows of `VALUES`.
            writer.append(sql: operand.traits.contains(.row) ? "(VALUES " : "(")
            try writer.append(list: expressions)
            writer.append(sql: ")")
        case .subquery(let subquery):
            writer.append(sql: "(")
            try subquery.write(to: writer)
            writer.append(sql: ")")
        case .table(let name):
            writer.context.noteRead(ofTable: name)
            writer.append(identifier: name)
        }
    }

    var traits: SQLTraits {
        guard case .expressions(let expressions) = list else {
            return operand.traits.whenInherited.union(.compound)
        }
        return operand.traits.whenInherited.union(expressions.inheritedTraits).union(.compound)
    }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        Membership(operand: transform(operand), list: list, isNegated: isNegated)
    }

    var operands: [SQLExpression] {
        guard case .expressions(let expressions) = list else { return [operand] }
        return [operand] + expressions
    }

    var condition: SQLCondition {
        guard !isNegated, case .expressions(let expressions) = list else { return .unknown }
        return .oneOf(operand, expressions)
    }

    var depth: Int {
        guard case .expressions(let expressions) = list else { return 1 + operand.depth }
        return 1 + max(operand.depth, expressions.maximumDepth)
    }
}

/// `EXISTS (SELECT …)`
struct Existence: SQLLeaf, NegatableNode {
    let subquery: SQLSubquery
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        writer.append(sql: isNegated ? "NOT EXISTS (" : "EXISTS (")
        if subquery.node.skipsDistinctRows {
            // If only the existence of rows matters, SQLite doesn't remove duplicates anywhere in
            // the query. The number of rows does matter if there is an offset.
            writer.append(sql: "SELECT * FROM (")
            try subquery.write(to: writer)
            writer.append(sql: ")")
        } else {
            try subquery.write(to: writer)
        }
        writer.append(sql: ")")
    }

    var traits: SQLTraits { .compound }
}

/// `operand LIKE pattern ESCAPE escape`
struct Like: SQLOperation, NegatableNode {
    let operand: SQLExpression
    let pattern: SQLExpression
    let escape: SQLExpression?
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        try operand.writeOperand(to: writer)
        writer.append(sql: isNegated ? " NOT LIKE " : " LIKE ")
        try pattern.writeOperand(to: writer)
        if let escape {
            writer.append(sql: " ESCAPE ")
            try escape.writeOperand(to: writer)
        }
    }

    var traits: SQLTraits { operands.inheritedTraits.union(.compound) }

    var operands: [SQLExpression] { [operand, pattern] + (escape.map { [$0] } ?? []) }
}

/// `operand COLLATE collation`
struct Collated: SQLOperation {
    let operand: SQLExpression
    let collation: String

    func write(to writer: SQLWriter) throws {
        try operand.writeOperand(to: writer)
        writer.append(sql: " COLLATE \(collation)")
    }

    /// `COLLATE` binds more tightly than any operator.
    var traits: SQLTraits { operand.traits.whenInherited.union([.compound, .bindsTightly]) }

    var operands: [SQLExpression] { [operand] }
}

/// `CAST(operand AS type)`
struct Cast: SQLOperation {
    let operand: SQLExpression
    let type: String

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "CAST(")
        try operand.write(to: writer)
        writer.append(sql: " AS \(type))")
    }

    var traits: SQLTraits { operand.traits.whenInherited }

    var operands: [SQLExpression] { [operand] }
}

/// `(a, b)`
struct RowValue: SQLOperation {
    let expressions: [SQLExpression]

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "(")
        try writer.append(list: expressions)
        writer.append(sql: ")")
    }

    var traits: SQLTraits { expressions.inheritedTraits.union(.row) }

    var operands: [SQLExpression] { expressions }
}

extension SQLExpression {
    /// `(a, b)`, for GRDBQueries.
    package static func row(_ expressions: [SQLExpression]) -> SQLExpression {
        SQLExpression(RowValue(expressions: expressions))
    }
}
