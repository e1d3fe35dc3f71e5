// The conditions of a relation.

extension Relation {
    /// A condition that may need the database, for example for the columns of the primary key. Not
    /// just a closure, because an element of a generic collection would be wrapped in another
    /// closure.
    struct DeferredCondition: Sendable {
        private enum Content: Sendable {
            case closure(Deferred<any SQLExpressible>)
            case given(SQLExpression)
            case key(DatabaseValue)
        }

        private let content: Content

        init(_ resolve: @escaping Deferred<any SQLExpressible>) { content = .closure(resolve) }

        /// A condition that does not need the database.
        init(_ condition: SQLExpression) { content = .given(condition) }

        /// The condition on the primary key.
        ///
        /// - parameter key: a value that is not NULL.
        init(key: DatabaseValue) { content = .key(key) }

        fileprivate struct Kinds: OptionSet {
            let rawValue: UInt8

            static let closure = Kinds(rawValue: 1)
            static let given = Kinds(rawValue: 2)
            static let key = Kinds(rawValue: 4)
        }

        fileprivate var kind: Kinds {
            switch content {
            case .closure: .closure
            case .given: .given
            case .key: .key
            }
        }

        /// Adds the condition to a shape, or gives up if the condition is a closure.
        func append(to shape: inout QueryShapeWriter) {
            switch content {
            case .closure: shape.giveUp()
            case .given(let condition): shape.append(condition: condition)
            case .key(let key): shape.append(key)
            }
        }

        /// - parameter table: the table of the relation.
        func resolve(_ db: Database, onTable table: TableName) throws -> SQLExpression {
            switch content {
            case .closure(let resolve): try resolve(db).sqlExpression
            case .given(let condition): condition
            case .key(let key): try db.keyCondition([key], onTable: table)
            }
        }
    }

    /// Conditions that must all be satisfied. A single condition, the common case, needs no array.
    /// More conditions are not in an array either, because each derived request would copy all of
    /// them.
    struct Filters: Sendable {
        /// A placeholder if there are no conditions. Swift copies the value of an optional to test it.
        private var first = DeferredCondition(key: .null)
        private var others: Rope<DeferredCondition> = []
        private var count = 0
        private var kinds: DeferredCondition.Kinds = []

        var isEmpty: Bool { count == 0 }

        /// Whether there are conditions, and all of them are conditions on the primary key.
        var areOnKey: Bool { kinds == .key }

        /// Whether no condition is returned by a closure, or is a condition on the primary key.
        var areGiven: Bool { kinds.isSubset(of: .given) }

        mutating func append(_ condition: consuming DeferredCondition) {
            kinds.formUnion(condition.kind)
            if isEmpty { first = condition } else { others.append(condition) }
            count += 1
        }

        static func += (lhs: inout Filters, rhs: Filters) {
            if rhs.isEmpty { return }
            lhs.append(rhs.first)
            lhs.others += rhs.others
            lhs.count += rhs.count - 1
            lhs.kinds.formUnion(rhs.kinds)
        }

        func map<T>(_ transform: (DeferredCondition) throws -> T) rethrows -> [T] {
            if isEmpty { return [] }
            if count == 1 { return try [transform(first)] }
            return try CollectionOfOne(first).map(transform) + others.array.map(transform)
        }

        func append(to shape: inout QueryShapeWriter) {
            shape.append(count)
            if isEmpty { return }
            first.append(to: &shape)
            if count == 1 { return }
            for condition in others.array { condition.append(to: &shape) }
        }
    }
}
