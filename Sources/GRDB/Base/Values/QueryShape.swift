/// What the text of a query depends on, apart from the schema: its nodes without their values.
///
/// Two queries of the same shape have the same text, and their values are bound to the same parameters.
/// A shape is not a hash, but all of it, so that shapes are compared, never trusted.
struct QueryShape: Hashable {
    fileprivate var bytes: [UInt8] = []

    /// Mixes eight bytes at a time: the hash of the standard library costs more than the rest of a
    /// lookup. It guards against keys that an attacker has chosen, but the few hundred keys of this
    /// table do no harm.
    func hash(into hasher: inout Hasher) {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                hash =
                    (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                offset += 8
            }
            while offset < bytes.count {
                hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01B3
                offset += 1
            }
        }
        hasher.combine(hash)
    }
}

/// Collects the shape of a query, and its values in the order of the parameters.
///
/// Every node that takes part writes a kind of its own, then all that its text depends on. Texts come
/// with their lengths, lists with their counts. So different nodes never write the same bytes.
struct QueryShapeWriter {
    private(set) var shape = QueryShape()

    /// The values of the parameters.
    private(set) var values: [DatabaseValue] = []

    /// Whether all nodes take part so far. If not, the query has no shape.
    private(set) var isComplete = true

    init() {
        shape.bytes.reserveCapacity(120)
    }

    /// Starts anew with the memory that it has.
    mutating func reset() {
        shape.bytes.removeAll(keepingCapacity: true)
        values = []
        isComplete = true
    }

    /// The kinds of what is written.
    enum Kind: UInt8 {
        case query, value, null, column, detachedColumn, allColumns, named, directed, function,
            anyRow
        case keyword, binary, associative, unary, between, membership, like, collated, cast, row
        case selection, filters, keyFilters, grouping, ordering, limit, assignment
    }

    mutating func append(_ kind: Kind) {
        shape.bytes.append(kind.rawValue)
    }

    mutating func append(_ flag: Bool) {
        shape.bytes.append(flag ? 1 : 0)
    }

    mutating func append(_ number: Int) {
        // Nearly all numbers are small.
        if 0..<0xff ~= number {
            shape.bytes.append(UInt8(number))
        } else {
            shape.bytes.append(0xff)
            withUnsafeBytes(of: number) { shape.bytes.append(contentsOf: $0) }
        }
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(utf8.count)
            shape.bytes.append(contentsOf: utf8)
        }
    }

    mutating func append(_ text: String?) {
        append(text != nil)
        if let text { append(text) }
    }

    /// Adds a value. The SQL text only depends on whether it is NULL.
    mutating func append(_ value: DatabaseValue) {
        if value.isNull {
            append(Kind.null)
        } else {
            append(Kind.value)
            values.append(value)
        }
    }

    /// Adds a node.
    mutating func append(node: some SQLNode) {
        if isComplete { node.append(to: &self) }
    }

    mutating func append(nodes: some Collection<some SQLNode>) {
        append(nodes.count)
        for node in nodes { append(node: node) }
    }

    /// Adds conditions that must be met.
    mutating func append(conditions: some Collection<SQLExpression>) {
        append(conditions.count)
        for condition in conditions { append(condition: condition) }
    }

    /// Adds a condition. Constant ones may decide how a query is written.
    mutating func append(condition: SQLExpression) {
        if condition.hasNode(DatabaseValue.self) { return giveUp() }
        append(node: condition)
    }

    /// Says that the text depends on more than what can be written here.
    mutating func giveUp() {
        isComplete = false
    }
}

extension SQLNode {
    func append(to shape: inout QueryShapeWriter) {
        shape.giveUp()
    }
}

extension SQLExpression {
    func append(to shape: inout QueryShapeWriter) {
        // Deep trees need a look at the stack, which the writer of text takes.
        if depth > 50 { return shape.giveUp() }
        node.append(to: &shape)
    }
}

extension DatabaseValue {
    func append(to shape: inout QueryShapeWriter) { shape.append(self as DatabaseValue) }
}
