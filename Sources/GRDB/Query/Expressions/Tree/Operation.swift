// The operations of the expression tree. Operators, functions and methods of the public API make them.

/// `left = right`
struct BinaryOperation: SQLNode {
    enum Operator: String {
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

        /// The operator that is true when this one is false, and NULL when this one is NULL.
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
        if right.node.isRightAtom {
            try right.write(to: writer)
        } else {
            try right.writeOperand(to: writer)
        }
    }

    var isAtom: Bool { false }

    var isAggregate: Bool { left.isAggregate || right.isAggregate }

    var children: [any SQLNode] { [left, right] }

    var isMatch: Bool { sqlOperator == .match }

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
    /// Two or more. Not an array, because `condition && other` would copy all that came before.
    let operands: Rope<SQLExpression>

    let depth: Int

    /// - parameter operandDepth: the depth of the deepest operand.
    init(
        sqlOperator: SQLExpression.AssociativeBinaryOperator, operands: Rope<SQLExpression>,
        operandDepth: Int
    ) {
        self.sqlOperator = sqlOperator
        self.operands = operands
        depth = operandDepth + 1
    }

    init(
        sqlOperator: SQLExpression.AssociativeBinaryOperator, operands: [SQLExpression]
    ) {
        self.init(
            sqlOperator: sqlOperator, operands: Rope(operands),
            operandDepth: operands.maximumDepth)
    }

    func write(to writer: SQLWriter) throws {
        try write(operands.array[...], to: writer)
    }

    /// Writes some of the operands.
    ///
    /// `a AND b AND c` is an expression as deep as it has operands, and SQLite limits the depth of
    /// expressions to 1000. So many operands form groups.
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

    var isAtom: Bool { false }

    var isAggregate: Bool { operands.contains(where: \.isAggregate) }

    var condition: SQLCondition {
        switch sqlOperator {
        case .and: .all(operands.array)
        case .or: .any(operands.array)
        default: .unknown
        }
    }

    var children: [any SQLNode] { operands.array }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        AssociativeOperation(sqlOperator: sqlOperator, operands: operands.map(transform))
    }
}

/// `NOT operand`, `-operand`, `~operand`
struct UnaryOperation: SQLNode {
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
        if sqlOperator == .not, operand.node.isRightAtom {
            try operand.write(to: writer)
        } else if writer.valueStyle == .literal, operand.node.isNegativeNumber {
            writer.append(sql: "(")
            try operand.write(to: writer)
            writer.append(sql: ")")
        } else {
            try operand.writeOperand(to: writer)
        }
    }

    var isAtom: Bool { false }

    var isAggregate: Bool { operand.isAggregate }

    var children: [any SQLNode] { [operand] }

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

/// `operand BETWEEN lowerBound AND upperBound`
struct Between: SQLNode {
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

    var isAtom: Bool { false }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        Between(
            operand: transform(operand), lowerBound: lowerBound, upperBound: upperBound,
            isNegated: isNegated)
    }

    var negation: SQLExpression? {
        var opposite = self
        opposite.isNegated.toggle()
        return SQLExpression(opposite)
    }

    var isAggregate: Bool {
        operand.isAggregate || lowerBound.isAggregate || upperBound.isAggregate
    }

    var children: [any SQLNode] { [operand, lowerBound, upperBound] }
}

/// `operand IN (…)`
struct Membership: SQLNode {
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
            writer.append(sql: operand.node.isRow ? "(VALUES " : "(")
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

    var isAtom: Bool { false }

    func mapCollatedOperands(_ transform: (SQLExpression) -> SQLExpression) -> (any SQLNode)? {
        Membership(operand: transform(operand), list: list, isNegated: isNegated)
    }

    var negation: SQLExpression? {
        var opposite = self
        opposite.isNegated.toggle()
        return SQLExpression(opposite)
    }

    var isAggregate: Bool { children.contains(where: \.isAggregate) }

    var children: [any SQLNode] {
        guard case .expressions(let expressions) = list else { return [operand] }
        return [operand] + expressions as [any SQLNode]
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
struct Existence: SQLNode {
    let subquery: SQLSubquery
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        writer.append(sql: isNegated ? "NOT EXISTS (" : "EXISTS (")
        if subquery.node.skipsDistinctRows {
            // When only the existence of rows matters, SQLite removes no duplicates anywhere in the
            // query. With an offset, though, the number of rows decides.
            writer.append(sql: "SELECT * FROM (")
            try subquery.write(to: writer)
            writer.append(sql: ")")
        } else {
            try subquery.write(to: writer)
        }
        writer.append(sql: ")")
    }

    var isAtom: Bool { false }

    var negation: SQLExpression? {
        var opposite = self
        opposite.isNegated.toggle()
        return SQLExpression(opposite)
    }
}

/// `operand LIKE pattern ESCAPE escape`
struct Like: SQLNode {
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

    var isAtom: Bool { false }

    var negation: SQLExpression? {
        var opposite = self
        opposite.isNegated.toggle()
        return SQLExpression(opposite)
    }

    var isAggregate: Bool { children.contains(where: \.isAggregate) }

    var children: [any SQLNode] { [operand, pattern] + (escape.map { [$0] } ?? []) }
}

/// `operand COLLATE collation`
struct Collated: SQLNode {
    let operand: SQLExpression
    let collation: String

    func write(to writer: SQLWriter) throws {
        try operand.writeOperand(to: writer)
        writer.append(sql: " COLLATE \(collation)")
    }

    var isAtom: Bool { false }

    /// `COLLATE` binds tighter than any operator.
    var isRightAtom: Bool { true }

    var isAggregate: Bool { operand.isAggregate }

    var children: [any SQLNode] { [operand] }
}

/// `CAST(operand AS type)`
struct Cast: SQLNode {
    let operand: SQLExpression
    let type: String

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "CAST(")
        try operand.write(to: writer)
        writer.append(sql: " AS \(type))")
    }

    var isAggregate: Bool { operand.isAggregate }

    var children: [any SQLNode] { [operand] }
}

/// `(a, b)`
struct RowValue: SQLNode {
    let expressions: [SQLExpression]

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "(")
        try writer.append(list: expressions)
        writer.append(sql: ")")
    }

    var isRow: Bool { true }

    var isAggregate: Bool { expressions.contains(where: \.isAggregate) }

    var children: [any SQLNode] { expressions }
}
