/// The parts of a query that determine its text, apart from the schema: its nodes without their
/// values.
///
/// Two queries of the same shape have the same text, and their values are bound to the same
/// parameters. A shape contains all these parts, not only a hash of them, so that shapes can be
/// compared exactly.
struct QueryShape {
    fileprivate let bytes: [UInt8]
}

/// Collects the shape of a query, and its values in the order of the parameters.
///
/// Every node that supports shapes writes a distinct kind, followed by all data that determines its
/// text. Texts are preceded by their lengths, lists by their counts, so different nodes never write
/// the same bytes.
package struct QueryShapeWriter {
    private let buffer = ByteBuffer(capacity: 240)

    /// The number of bytes of the shape.
    private var count = 0

    /// The values of the parameters.
    var values: [DatabaseValue] = []

    /// Whether all nodes support shapes so far. Otherwise, the query has no shape.
    private(set) var isComplete = true

    /// The aliases of the tables of the query, with the numbers of the tables.
    private var aliases: [(alias: ObjectIdentifier, tableNumber: Int)] = []

    /// Starts a new shape, and keeps the memory. The values were moved elsewhere, or removed.
    mutating func reset() {
        count = 0
        isComplete = true
        aliases.removeAll(keepingCapacity: true)
    }

    /// The bytes written so far.
    private var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: buffer.memory, count: count)
    }

    /// A copy of the bytes written so far.
    var shape: QueryShape { QueryShape(bytes: Array(bytes)) }

    /// Whether a shape equals the bytes written so far.
    func matches(_ shape: QueryShape) -> Bool {
        guard shape.bytes.count == count else { return false }
        return shape.bytes.withUnsafeBytes { other in
            // Eight bytes at a time, the last ones together with some that were compared before.
            func differ(at offset: Int) -> Bool {
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            guard count >= 8 else { return other.elementsEqual(bytes) }
            var offset = 0
            while offset + 8 <= count {
                if differ(at: offset) { return false }
                offset += 8
            }
            return !differ(at: count - 8)
        }
    }

    /// A hash of the shape.
    ///
    /// It processes eight bytes at a time. The hash of the standard library would take longer than
    /// the rest of a lookup. Its protection against keys chosen by an attacker is not needed for
    /// the few hundred shapes of a connection.
    var hash: UInt64 {
        var hash = UInt64(truncatingIfNeeded: count)
        let bytes = bytes
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
        return hash
    }

    /// The kinds of parts of a shape.
    enum Kind: UInt8 {
        case query, value, null, column, detachedColumn, allColumns, named, directed, function,
            anyRow
        case keyword, binary, associative, unary, between, membership, like, collated, cast, row
        case selection, filters, keyFilters, grouping, ordering, limit, assignment
        case tables, qualified
    }

    /// Reserves some more bytes, which then count as written.
    @inline(__always)
    private mutating func room(for size: Int) -> UnsafeMutableRawPointer {
        if size > buffer.capacity - count { buffer.grow(by: size) }
        defer { count += size }
        return UnsafeMutableRawPointer(buffer.memory + count)
    }

    @inline(__always)
    private mutating func append(byte: UInt8) {
        room(for: 1).storeBytes(of: byte, as: UInt8.self)
    }

    mutating func append(_ kind: Kind) {
        append(byte: kind.rawValue)
    }

    mutating func append(_ flag: Bool) {
        append(byte: flag ? 1 : 0)
    }

    mutating func append(_ number: Int) {
        // Most numbers are small.
        if 0..<0xff ~= number {
            append(byte: UInt8(number))
        } else {
            append(byte: 0xff)
            room(for: 8).storeBytes(of: number, as: Int.self)
        }
    }

    mutating func append(_ text: String) {
        text.withUnsafeUTF8 { utf8 in
            append(utf8.count)
            if let source = utf8.baseAddress {
                room(for: utf8.count).copyMemory(from: source, byteCount: utf8.count)
            }
        }
    }

    mutating func append(_ text: String?) {
        append(text != nil)
        if let text { append(text) }
    }

    /// Adds a value. The SQL text depends only on whether it is NULL.
    mutating func append(_ value: DatabaseValue) {
        if value.isNull {
            append(Kind.null)
        } else {
            append(Kind.value)
            // Most queries have few values.
            if values.isEmpty { values.reserveCapacity(4) }
            values.append(value)
        }
    }

    /// Declares that an alias refers to a table. An alias of two tables is an error, which only the
    /// text writer throws.
    mutating func declare(_ alias: AnyObject, ofTable tableNumber: Int) {
        let alias = ObjectIdentifier(alias)
        if aliases.contains(where: { $0.alias == alias && $0.tableNumber != tableNumber }) {
            return giveUp()
        }
        aliases.append((alias, tableNumber))
    }

    /// Adds the number of the table that an alias refers to. Requests are often created anew, with
    /// other aliases of the same tables. Gives up if the table belongs to a query around this one.
    mutating func append(alias: AnyObject) {
        let alias = ObjectIdentifier(alias)
        guard let reference = aliases.first(where: { $0.alias == alias }) else { return giveUp() }
        append(reference.tableNumber)
    }

    /// Adds a node.
    mutating func append(node: some SQLFragment) {
        if isComplete { node.append(to: &self) }
    }

    mutating func append(nodes: [some SQLFragment]) {
        append(nodes.count)
        // In place: `for` and the subscript of an array copy each node.
        nodes.withUnsafeBufferPointer { nodes in
            for index in nodes.indices { append(node: nodes[index]) }
        }
    }

    /// Adds conditions that are all required.
    mutating func append(conditions: [SQLExpression]) {
        append(conditions.count)
        conditions.withUnsafeBufferPointer { conditions in
            for index in conditions.indices { append(condition: conditions[index]) }
        }
    }

    /// Adds a condition. A constant condition may change the text of a query.
    mutating func append(condition: SQLExpression) {
        if condition.hasNode(DatabaseValue.self) { return giveUp() }
        append(node: condition)
    }

    /// Marks the query as having no shape, because its text depends on more than a shape contains.
    mutating func giveUp() {
        isComplete = false
    }
}

extension SQLExpression {
    func append(to shape: inout QueryShapeWriter) {
        // Deep trees require a check of the stack, which only the text writer performs.
        if depth > 50 { return shape.giveUp() }
        node.append(to: &shape)
    }
}

extension DatabaseValue {
    func append(to shape: inout QueryShapeWriter) { shape.append(self as DatabaseValue) }
}
