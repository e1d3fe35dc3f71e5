// The conditions of a relation.

extension Relation {
    /// A condition that may need the database, for example for the columns of the primary key. Not
    /// just a closure, because an element of a generic collection would be wrapped in another
    /// closure.
    struct DeferredCondition: Sendable {
        enum Content: Sendable {
            case closure(Deferred<any SQLExpressible>)
            case given(SQLExpression)
            case key(DatabaseValue)
        }

        let content: Content

        /// Stored, because a `switch` copies the content.
        fileprivate let kind: Kinds

        init(_ resolve: @escaping Deferred<any SQLExpressible>) {
            content = .closure(resolve)
            kind = .closure
        }

        /// A condition that does not need the database.
        init(_ condition: SQLExpression) {
            content = .given(condition)
            kind = .given
        }

        /// The condition on the primary key.
        ///
        /// - parameter key: a value that is not NULL.
        init(key: DatabaseValue) {
            content = .key(key)
            kind = .key
        }

        fileprivate struct Kinds: OptionSet {
            let rawValue: UInt8

            static let closure = Kinds(rawValue: 1)
            static let given = Kinds(rawValue: 2)
            static let key = Kinds(rawValue: 4)
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

    /// Conditions that must all be satisfied. Not in an array, because each derived request would copy
    /// all of them.
    struct Filters: Sendable {
        private(set) var conditions: Rope<DeferredCondition> = []
        private var kinds: DeferredCondition.Kinds = []

        var isEmpty: Bool { conditions.isEmpty }

        /// Whether there are conditions, and all of them are conditions on the primary key.
        var areOnKey: Bool { kinds == .key }

        /// Whether no condition is returned by a closure, or is a condition on the primary key.
        var areGiven: Bool { kinds.isSubset(of: .given) }

        mutating func append(_ condition: consuming DeferredCondition) {
            kinds.formUnion(condition.kind)
            conditions.append(condition)
        }

        static func += (lhs: inout Filters, rhs: Filters) {
            lhs.conditions += rhs.conditions
            lhs.kinds.formUnion(rhs.kinds)
        }
    }
}
