import GRDB

/// The constraints and the order that a statement asks a ``VirtualTable`` for, and how the table
/// looks for the rows.
///
/// ```swift
/// func plan(_ plan: inout VirtualTablePlan) throws -> Bool {
///     if let id = plan.constraints.first(where: { $0.column == 0 && $0.comparison == .equal }) {
///         plan.use(id)
///         plan.number = 1
///         plan.cost = 1
///         plan.rowCount = 1
///     }
///     return true
/// }
/// ```
///
/// Valid during the call of ``VirtualTable/plan(_:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/vtab.html#xbestindex>
public struct VirtualTablePlan {
    /// How a column is compared.
    public enum Comparison: Hashable, Sendable {
        /// `=`, and `IN` for each of its values.
        case equal
        /// `>`
        case greaterThan
        /// `>=`
        case greaterThanOrEqual
        /// `<`
        case lessThan
        /// `<=`
        case lessThanOrEqual
        /// `<>`
        case notEqual
        /// `IS`
        case `is`
        /// `IS NOT`
        case isNot
        /// `IS NULL`
        case isNull
        /// `IS NOT NULL`
        case isNotNull
        /// `MATCH`
        case match
        /// `LIKE`
        case like
        /// `GLOB`
        case glob
        /// `REGEXP`
        case regexp
        /// The value of `LIMIT`. There is no column.
        case limit
        /// The value of `OFFSET`. There is no column.
        case offset
        /// A function that the module has overloaded, by the number of SQLite.
        case other(Int)
    }

    /// A constraint of the `WHERE` clause or a join.
    public struct Constraint: Sendable {
        /// The column, from 0; -1 for the rowid.
        public let column: Int

        /// How the column is compared.
        public let comparison: Comparison

        /// The collation of the comparison, such as `BINARY`.
        public let collation: String

        /// The value, if it is a constant.
        public let value: DatabaseValue?

        /// Whether this is an `IN` whose values can come at once: see
        /// ``VirtualTablePlan/use(_:isExact:receivesList:)``.
        public let isList: Bool

        fileprivate let index: Int
    }

    /// A term of the `ORDER BY` clause.
    public struct Ordering: Hashable, Sendable {
        /// The column, from 0; -1 for the rowid.
        public let column: Int

        /// Whether the greatest value comes first.
        public let isDescending: Bool
    }

    /// Which rows a statement needs.
    public enum Uniqueness: Sendable {
        /// All rows, in the order of ``VirtualTablePlan/orderings``.
        case ordered
        /// All rows. Rows with equal values of ``VirtualTablePlan/orderings`` must be adjacent.
        case grouped
        /// As `grouped`, but one of the rows that are equal in all columns that the statement reads is enough. The
        /// rowid is not among them: a condition on the rowid may choose any of these rows.
        case distinct
        /// As `ordered`, but one of the rows that are equal is enough, as for `distinct`.
        case orderedAndDistinct
    }

    private let raw: RawTablePlan

    /// The constraints that can be used.
    public let constraints: [Constraint]

    /// The constraints that can't be used in this plan, because their values come from tables that are read
    /// later.
    public let unusableConstraints: [Constraint]

    /// The order that the statement needs. Empty if any order will do.
    public let orderings: [Ordering]

    /// Which rows the statement needs.
    public let uniqueness: Uniqueness

    /// Whether rows come in the order of ``orderings``, so that SQLite doesn't sort them.
    public var isOrdered = false

    /// The estimated cost: about the number of rows that are visited.
    public var cost: Double?

    /// The estimated number of rows.
    public var rowCount: Int?

    /// Whether there is at most one row.
    public var isUnique = false

    /// A number of the table's own, for the cursor.
    public var number = 0

    /// A string of the table's own, for the cursor. It can't contain NUL characters.
    public var text: String?

    /// The number of arguments that the cursor receives.
    public private(set) var argumentCount = 0

    init(_ raw: RawTablePlan) {
        self.raw = raw
        var usable: [Constraint] = []
        var unusable: [Constraint] = []
        for index in 0..<raw.constraintCount {
            let (column, operation, isUsable) = raw.constraint(index)
            let comparison = Comparison(operation)
            let hasColumn = comparison != .limit && comparison != .offset
            let constraint = Constraint(
                column: column, comparison: comparison,
                collation: hasColumn ? raw.collation(index) : "BINARY",
                value: isUsable ? raw.value(index).map { DatabaseValue(rawValue: $0) } : nil,
                isList: isUsable && comparison == .equal && raw.isList(index), index: index)
            if isUsable { usable.append(constraint) } else { unusable.append(constraint) }
        }
        constraints = usable
        unusableConstraints = unusable
        orderings = (0..<raw.orderingCount).map {
            let (column, isDescending) = raw.ordering($0)
            return Ordering(column: column, isDescending: isDescending)
        }
        uniqueness =
            switch raw.distinctMode {
            case 1: .grouped
            case 2: .distinct
            case 3: .orderedAndDistinct
            default: .ordered
            }
    }

    /// Passes the value of a constraint to the cursor.
    ///
    /// - parameter constraint: one of ``constraints``.
    /// - parameter isExact: whether the cursor returns no row that violates the constraint, so that
    ///   SQLite needs not check it again.
    /// - parameter receivesList: whether the cursor receives all values of an `IN` at once, for
    ///   ``VirtualTableArguments/values(at:)``. Otherwise, it is asked for each of them.
    /// - returns: the position of the value among the arguments.
    @discardableResult
    public mutating func use(
        _ constraint: Constraint, isExact: Bool = false, receivesList: Bool = false
    ) -> Int {
        if receivesList, constraint.isList { raw.receiveList(constraint.index) }
        argumentCount += 1
        raw.use(constraint.index, asArgument: argumentCount, omitsCheck: isExact)
        return argumentCount - 1
    }

    /// Whether the statement reads a column, numbered from 0.
    public func reads(column: Int) -> Bool {
        guard column >= 0 else { return true }
        return raw.usedColumns & (1 << UInt64(min(column, 63))) != 0
    }

    /// Gives the answer to SQLite.
    func apply() throws {
        if isOrdered { raw.setOrdered() }
        if let cost { raw.setCost(cost) }
        if let rowCount { raw.setRowCount(Int64(rowCount)) }
        if isUnique { raw.setUnique() }
        guard let number = Int32(exactly: number) else {
            throw DatabaseError(
                resultCode: .SQLITE_RANGE, message: "The number of a plan must have 32 bits")
        }
        raw.setNumber(number)
        if let text {
            try Database.checkName(text, of: "plan")
            raw.setText(text)
        }
    }
}

extension VirtualTablePlan.Comparison {
    init(_ operation: Int32) {
        typealias Operator = RawTablePlan.Operator
        self =
            switch operation {
            case Operator.equal: .equal
            case Operator.greaterThan: .greaterThan
            case Operator.greaterThanOrEqual: .greaterThanOrEqual
            case Operator.lessThan: .lessThan
            case Operator.lessThanOrEqual: .lessThanOrEqual
            case Operator.notEqual: .notEqual
            case Operator.is: .is
            case Operator.isNot: .isNot
            case Operator.isNull: .isNull
            case Operator.isNotNull: .isNotNull
            case Operator.match: .match
            case Operator.like: .like
            case Operator.glob: .glob
            case Operator.regexp: .regexp
            case Operator.limit: .limit
            case Operator.offset: .offset
            default: .other(Int(operation))
            }
    }
}

/// The values of the constraints that a plan uses. Valid during the call of
/// ``VirtualTableCursor/filter(number:text:arguments:)``.
public struct VirtualTableArguments {
    let raw: RawFunctionArguments

    /// The number of values.
    public var count: Int { raw.count }

    /// The value at a position, as ``VirtualTablePlan/use(_:isExact:receivesList:)`` returned it.
    ///
    /// - precondition: there is such a position.
    public subscript(index: Int) -> DatabaseValue {
        precondition(index >= 0 && index < count, "There is no argument \(index)")
        return DatabaseValue(rawValue: raw[index])
    }

    /// The values of an `IN`, if the plan asked for them at once.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, also if the plan did not ask for a list.
    /// - precondition: there is such a position.
    public func values(at index: Int) throws -> [DatabaseValue] {
        precondition(index >= 0 && index < count, "There is no argument \(index)")
        var values: [DatabaseValue] = []
        let code = raw.forEachValue(at: index) { values.append(DatabaseValue(rawValue: $0)) }
        if code != RawStatement.ok { throw DatabaseError(RawFailure(code: code)) }
        return values
    }
}

/// Receives the value of a column. Valid during the call of ``VirtualTableCursor/column(_:into:)``.
public struct VirtualTableResult {
    let raw: RawFunctionCall

    /// Gives a value of any type to SQLite.
    ///
    /// - throws: an error if SQLite can't store the value.
    public func set(_ value: (any DatabaseValueConvertible)?) throws {
        try raw.setResult(value)
    }

    /// Gives an integer to SQLite.
    public func set(_ value: Int64) { raw.returnValue(value) }

    /// Gives an integer to SQLite.
    public func set(_ value: Int) { raw.returnValue(Int64(value)) }

    /// Gives a number to SQLite.
    public func set(_ value: Double) { raw.returnValue(value) }

    /// Gives a string to SQLite.
    public func set(_ value: String) { raw.returnValue(value) }

    /// Gives a blob to SQLite.
    public func set(bytes: UnsafeRawBufferPointer) { raw.returnValue(bytes) }

    /// Gives NULL to SQLite.
    public func setNull() { raw.returnNull() }
}
