/// Collects the SQL text and the arguments of a statement.
///
/// This class is in Base because values, the leaves of SQL trees, write themselves as well. Every
/// writer is a `StatementWriter` of the Query layer, which provides the tables of the statement.
package class SQLWriter: ByteBuffer {
    /// The form of values in the SQL text.
    package enum ValueStyle {
        /// As `?`, with an argument.
        case placeholder
        /// As a literal, where SQLite accepts no parameters, for example in the definition of a
        /// view.
        case literal
    }

    final let valueStyle: ValueStyle

    // The text consists of many short pieces. Bytes are simply copied; a string would check its own
    // state and the state of each piece every time.
    @exclusivity(unchecked)
    private final var count = 0

    @exclusivity(unchecked)
    package final private(set) var arguments = StatementArguments()

    /// The table that columns belong to; nil if columns are written without a qualifier.
    @exclusivity(unchecked)
    final var qualifier: Qualifier?

    /// The positions at which names of tables were written or omitted.
    @exclusivity(unchecked)
    private final var mentions: [Mention] = []

    /// The address at which the stack of the thread is nearly exhausted.
    private final let stackLimit = ThreadStack.limit

    init(valueStyle: ValueStyle) {
        self.valueStyle = valueStyle
        super.init(capacity: 256)
    }

    /// The text written so far.
    package final var sql: String { sql(from: 0) }

    package final func append(sql: String) {
        sql.withUnsafeUTF8 { append(bytes: $0) }
    }

    @inline(__always)
    private final func append(bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + count).initialize(from: source, count: bytes.count)
        count &+= bytes.count
    }

    /// The number of bytes written so far.
    package final var position: Int { count }

    /// The text written since a position.
    package final func sql(from start: Int) -> String {
        let bytes = UnsafeBufferPointer(start: memory + start, count: count - start)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a quoted name.
    final func append(identifier: String) {
        let quote = UInt8(ascii: "\"")
        identifier.withUnsafeUTF8 { utf8 in
            // The worst case: each byte is a quote, which is doubled.
            reserve(2 * utf8.count + 2)
            var end = memory + count
            end.pointee = quote
            end += 1
            for byte in utf8 {
                end.pointee = byte
                end += 1
                if byte == quote {
                    end.pointee = quote
                    end += 1
                }
            }
            end.pointee = quote
            count = end + 1 - memory
        }
    }

    /// Throws an error if the stack is nearly exhausted. Call it at each level of the tree.
    final func checkStack() throws {
        if ThreadStack.isBelow(stackLimit) { throw Self.stackError }
    }

    private static var stackError: DatabaseError {
        DatabaseError(message: "The SQL is nested too deeply for the stack of the thread")
    }

    /// Reserves space for the given number of bytes.
    private final func reserve(_ newCount: Int) {
        if count &+ newCount > capacity { grow(by: newCount) }
    }

    /// Writes the name of a column, qualified if the statement has several tables.
    package final func append(column: String) {
        if let qualifier { append(qualifier) }
        append(identifier: column)
    }

    /// Calls the closure, in which columns belong to the given table, or are written without a
    /// qualifier.
    final func withQualifier(_ qualifier: Qualifier?, _ body: () throws -> Void) rethrows {
        let former = self.qualifier
        self.qualifier = qualifier
        defer { self.qualifier = former }
        try body()
    }

    // MARK: - Names of tables

    /// The qualifier in front of the name of a column.
    enum Qualifier {
        case name(SourceName)
        /// No qualifier, unless the table later gets a name.
        case nameIfChanged(SourceName)
        /// A given name, which belongs to no known table.
        case given(String)
    }

    /// A position in the text that depends on the name of a table.
    private struct Mention {
        var start: Int
        var end: Int
        let name: SourceName
        /// The text before the name in its declaration; nil if the name qualifies a column.
        let separator: String?
    }

    /// Writes the qualifier and its period, if the column must be qualified.
    final func append(_ qualifier: Qualifier) {
        let start = count
        switch qualifier {
        case .name(let name):
            append(identifier: name.text)
            append(sql: ".")
            mentions.append(Mention(start: start, end: count, name: name, separator: nil))
        case .nameIfChanged(let name):
            mentions.append(Mention(start: start, end: count, name: name, separator: nil))
        case .given(let name):
            append(identifier: name)
            append(sql: ".")
        }
    }

    /// Writes the name that the table has in the query, unless it is the table's own name.
    final func append(declarationOf name: SourceName, ofTable table: String, separator: String) {
        let start = count
        if !name.text.hasSameBytes(as: table) {
            append(sql: separator)
            append(identifier: name.text)
        }
        mentions.append(Mention(start: start, end: count, name: name, separator: separator))
    }

    /// Replaces the names that have changed since they were written.
    final func bindNames() {
        guard mentions.contains(where: { $0.name.isChanged }) else { return }
        let written = UnsafeBufferPointer(start: memory, count: count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * count)
        var position = 0
        for index in mentions.indices {
            let mention = mentions[index]
            bytes += written[position..<mention.start]
            position = mention.end
            mentions[index].start = bytes.count
            if mention.name.isChanged {
                let name = mention.name.text.quotedDatabaseIdentifier
                bytes += (mention.separator.map { $0 + name } ?? name + ".").utf8
            } else {
                bytes += written[mention.start..<mention.end]
            }
            mentions[index].end = bytes.count
        }
        bytes += written[position...]
        count = 0
        bytes.withUnsafeBufferPointer { append(bytes: $0) }
    }

    /// Writes a placeholder or a literal for the value.
    package final func append(value: DatabaseValue) {
        switch (valueStyle, value.storage) {
        case (_, .null):
            append(sql: "NULL")
        case (.placeholder, _):
            append(sql: "?")
            arguments.values.append(value)
        case (.literal, _):
            append(sql: value.sqlLiteral)
        }
    }

    /// Writes a placeholder for an array, the argument of the `carray` table-valued function.
    ///
    /// - precondition: values are written as placeholders.
    final func append(array: ArrayArgument) {
        append(sql: "?")
        arguments.append(array)
    }

    /// Adds the arguments of SQL that contains its own placeholders.
    final func append(arguments newArguments: StatementArguments) throws {
        if newArguments.isEmpty { return }
        guard valueStyle == .placeholder else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "SQL with arguments can't be used where literals are required",
                sql: sql)
        }
        let replaced = arguments.append(contentsOf: newArguments)
        for (name, value) in replaced where arguments.namedValues[ExactText(name)] != value {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "already defined statement argument: \(name)", sql: sql)
        }
    }

    /// Writes nodes with commas between them.
    final func append(list nodes: some Sequence<some SQLFragment>, separator: String = ", ") throws
    {
        var isFirst = true
        for node in nodes {
            if !isFirst { append(sql: separator) }
            isFirst = false
            try node.write(to: self)
        }
    }
}

/// The name of a table in a statement.
///
/// The name is known when the whole statement is written. A query may refer to a table of an
/// enclosing query by a name that one of its own tables has, too. One of the two tables then gets
/// another name.
class SourceName {
    @exclusivity(unchecked)
    final var text: String

    /// Whether the name differs from the name that was written.
    @exclusivity(unchecked)
    final var isChanged = false

    init(_ text: String) {
        self.text = text
    }
}
