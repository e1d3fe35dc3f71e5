import GRDB

extension DatabaseModule {
    /// The integers from one number to another: the table-valued function `generate_series`.
    ///
    /// ```swift
    /// config.add(module: .series)
    ///
    /// // SELECT value FROM generate_series(5, 20, 5)
    /// let values = try Int.fetchAll(db, sql: "SELECT value FROM generate_series(5, 20, 5)")
    /// // [5, 10, 15, 20]
    /// ```
    ///
    /// The arguments are the first value, the last one, and the step, which is 1 unless it is given. With
    /// a negative step, values descend. Without a last value, the series ends at 4294967295. A series with
    /// a NULL argument is empty. An argument that is no integer is an error.
    ///
    /// No memory is allocated for the values. Conditions on `value` restrict the series before it is read.
    ///
    /// See ``TableFunction/series(from:through:by:)`` for requests.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/series.html>
    public static let series = DatabaseModule(
        SeriesTable.name, SeriesTable.self, creation: .eponymous)
}

extension TableFunction<Int64> {
    /// The integers from one number to another.
    ///
    /// ```swift
    /// config.add(module: .series)
    ///
    /// // SELECT * FROM "generate_series"(1, 10, 1)
    /// let numbers = try TableFunction.series(from: 1, through: 10).all().fetchAll(db)
    ///
    /// // SELECT "generate_series".*, COUNT("player"."rowid") AS "playerCount"
    /// // FROM "generate_series"(1, 10, 1)
    /// // LEFT JOIN "player" ON "player"."score" = "generate_series"."value"
    /// // GROUP BY "generate_series"."value"
    /// ```
    ///
    /// The column is named `value`. Connections need the module ``DatabaseModule/series``.
    ///
    /// - parameter start: the first value.
    /// - parameter end: the last value, if the steps meet it.
    /// - parameter step: the distance between values; it may be negative.
    /// - returns: the function. Fetching from it throws a ``/GRDB/DatabaseError`` if an argument is no integer.
    public static func series(
        from start: any SQLExpressible, through end: any SQLExpressible,
        by step: any SQLExpressible = 1
    ) -> TableFunction<Int64> {
        TableFunction<Int64>(SeriesTable.name, arguments: [start, end, step])
    }
}

/// `generate_series(start, stop, step)`
final class SeriesTable: VirtualTable {
    static let name = "generate_series"

    let declaration = "value INTEGER, start HIDDEN, stop HIDDEN, step HIDDEN"
    var trust: VirtualTableTrust { .innocuous }

    init(connecting connection: VirtualTableConnection) {}

    func makeCursor() -> SeriesCursor { SeriesCursor() }

    /// The values that a cursor receives, in this order.
    struct Plan: OptionSet {
        let rawValue: Int
        static let start = Plan(rawValue: 1)
        static let stop = Plan(rawValue: 2)
        static let step = Plan(rawValue: 4)
        static let lowerBound = Plan(rawValue: 8)
        static let upperBound = Plan(rawValue: 16)
        static let ascending = Plan(rawValue: 32)
        static let descending = Plan(rawValue: 64)
        /// One value that is both bounds.
        static let value = Plan(rawValue: 128)
    }

    func plan(_ plan: inout VirtualTablePlan) throws -> Bool {
        if plan.unusableConstraints.contains(where: { $0.column > 0 && $0.comparison == .equal }) {
            return false
        }
        var used: Plan = []
        for (column, option) in [(1, Plan.start), (2, .stop), (3, .step)] {
            let argument = plan.constraints.first {
                $0.column == column && $0.comparison == .equal
            }
            guard let argument else { continue }
            plan.use(argument, isExact: true)
            used.insert(option)
        }
        guard used.contains(.start) else {
            throw DatabaseError(message: "generate_series: the first argument is missing")
        }
        // SQLite checks them again, and so may they include more.
        func bound(_ comparisons: [VirtualTablePlan.Comparison]) -> VirtualTablePlan.Constraint? {
            plan.constraints.first { $0.column == 0 && comparisons.contains($0.comparison) }
        }
        if let value = bound([.equal]) {
            plan.use(value)
            used.formUnion([.value, .lowerBound, .upperBound])
        } else {
            if let value = bound([.greaterThan, .greaterThanOrEqual]) {
                plan.use(value)
                used.insert(.lowerBound)
            }
            if let value = bound([.lessThan, .lessThanOrEqual]) {
                plan.use(value)
                used.insert(.upperBound)
            }
        }
        if plan.orderings.count == 1, plan.orderings[0].column == 0 {
            used.insert(plan.orderings[0].isDescending ? .descending : .ascending)
            plan.isOrdered = true
        }
        plan.number = used.rawValue
        let isBounded = used.contains([.lowerBound, .upperBound])
        plan.rowCount = isBounded ? 10 : used.contains(.stop) ? 1000 : Int(Int32.max)
        plan.cost = Double(plan.rowCount ?? 1)
        return true
    }
}

/// Counts.
final class SeriesCursor: VirtualTableCursor {
    private var start: Int64 = 0
    private var stop: Int64 = 0
    private var step: Int64 = 1
    private var value: Int64 = 0
    private var remaining: UInt64 = 0
    private(set) var isAtEnd = true

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        let plan = SeriesTable.Plan(rawValue: number)
        isAtEnd = true
        var position = 0
        func take(_ option: SeriesTable.Plan) -> DatabaseValue? {
            guard plan.contains(option) else { return nil }
            defer { position += 1 }
            return arguments[position]
        }
        let start = try take(.start).map { try Self.integer($0, "first") } ?? 0
        let stop = try take(.stop).map { try Self.integer($0, "last") } ?? 4_294_967_295
        let step = try take(.step).map { try Self.integer($0, "step") } ?? 1
        let lowerBound = take(.lowerBound)
        let upperBound = plan.contains(.value) ? lowerBound : take(.upperBound)
        guard let start, let stop, var step else { return }
        if step == 0 { step = 1 }
        (self.start, self.stop, self.step) = (start, stop, step)
        guard step > 0 ? start <= stop : start >= stop else { return }

        // Positions in the series: differences of 64-bit integers don't fit into them.
        let stride = step.magnitude
        func positionBefore(_ bound: Int64) -> UInt64 { Self.distance(start, bound) / stride }
        func positionAfter(_ bound: Int64) -> UInt64 {
            let (position, rest) = Self.distance(start, bound).quotientAndRemainder(
                dividingBy: stride)
            return rest == 0 ? position : position + 1
        }
        var first: UInt64 = 0
        var last = positionBefore(stop)
        let (low, high) = step > 0 ? (start, stop) : (stop, start)
        if let bound = lowerBound.flatMap(Self.lowerInteger), bound > low {
            if bound > high { return }
            if step > 0 {
                first = positionAfter(bound)
            } else {
                last = positionBefore(bound)
            }
        }
        if let bound = upperBound.flatMap(Self.upperInteger), bound < high {
            if bound < low { return }
            if step > 0 {
                last = min(last, positionBefore(bound))
            } else {
                first = positionAfter(bound)
            }
        }
        guard first <= last else { return }

        let isReversed = plan.contains(step > 0 ? .descending : .ascending)
        remaining = last - first
        value = Self.value(at: isReversed ? last : first, start, step)
        if isReversed { self.step = 0 &- step }
        isAtEnd = false
    }

    func next() {
        if remaining == 0 {
            isAtEnd = true
        } else {
            remaining -= 1
            value &+= step
        }
    }

    func column(_ index: Int, into result: VirtualTableResult) {
        switch index {
        case 0: result.set(value)
        case 1: result.set(start)
        case 2: result.set(stop)
        default: result.set(step)
        }
    }

    var rowID: Int64 { value }

    private static func distance(_ a: Int64, _ b: Int64) -> UInt64 {
        UInt64(bitPattern: max(a, b) &- min(a, b))
    }

    private static func value(at position: UInt64, _ start: Int64, _ step: Int64) -> Int64 {
        start &+ Int64(bitPattern: position) &* step
    }

    /// - returns: nil for NULL.
    private static func integer(_ value: DatabaseValue, _ name: String) throws -> Int64? {
        switch value.storage {
        case .null: return nil
        case .int64(let integer): return integer
        case .double(let real):
            if let integer = Int64(exactly: real) { return integer }
        case .string(let text):
            if let integer = Int64(text) { return integer }
        case .blob: break
        }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: "generate_series: the \(name) argument is not an integer: \(value)")
    }

    /// The least integer that may be at least a bound; nil if the bound doesn't restrict integers, or
    /// if SQLite must say.
    private static func lowerInteger(_ bound: DatabaseValue) -> Int64? {
        switch bound.storage {
        case .int64(let integer): integer
        case .double(let real): Int64(exactly: real.rounded(.down))
        default: nil
        }
    }

    private static func upperInteger(_ bound: DatabaseValue) -> Int64? {
        switch bound.storage {
        case .int64(let integer): integer
        case .double(let real): Int64(exactly: real.rounded(.up))
        default: nil
        }
    }
}
