/// Collects the SQL text and the arguments of a statement.
///
/// This part stands here because values, the leaves of SQL trees, write themselves, too. Every
/// writer is a generation context of the Query layer, which knows the tables of the statement.
class SQLWriter {
    /// How values appear in the SQL text.
    enum ValueStyle {
        /// As `?`, with an argument.
        case placeholder
        /// As a literal, where SQLite accepts no parameter: in the definition of views, say.
        case literal
    }

    final let valueStyle: ValueStyle

    // The text is made of many short pieces. Bytes are just copied; a string would check its own
    // state and that of each piece again and again.
    @exclusivity(unchecked)
    private final var text: UnsafeMutablePointer<UInt8>

    @exclusivity(unchecked)
    private final var count = 0

    @exclusivity(unchecked)
    private final var capacity = 256

    @exclusivity(unchecked)
    final private(set) var arguments = StatementArguments()

    /// The quoted name of the table that columns belong to, with its period. Nil where columns
    /// stand without a table.
    @exclusivity(unchecked)
    final var qualifier: String?

    /// Where the stack of the thread is nearly used up.
    private final let stackLimit = ThreadStack.limit

    init(valueStyle: ValueStyle) {
        self.valueStyle = valueStyle
        text = .allocate(capacity: capacity)
    }

    deinit {
        text.deallocate()
    }

    /// What was written so far.
    final var sql: String {
        String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    final func append(sql: String) {
        sql.withUnsafeUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return }
            reserve(utf8.count)
            (text + count).initialize(from: start, count: utf8.count)
            count &+= utf8.count
        }
    }

    /// Writes a quoted name.
    final func append(identifier: String) {
        let quote = UInt8(ascii: "\"")
        identifier.withUnsafeUTF8 { utf8 in
            // Room for the worst case: each byte is a quote, which is doubled.
            reserve(2 * utf8.count + 2)
            var end = text + count
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
            count = end + 1 - text
        }
    }

    /// Throws if the stack is nearly used up: to be called at each level of the tree.
    @inline(__always)
    final func checkStack() throws {
        if ThreadStack.isBelow(stackLimit) { throw Self.stackError }
    }

    private static var stackError: DatabaseError {
        DatabaseError(message: "The SQL is nested too deeply for the stack of the thread")
    }

    /// Makes room for as many bytes.
    @inline(__always)
    private final func reserve(_ newCount: Int) {
        if count &+ newCount > capacity { grow(count + newCount) }
    }

    @inline(never)
    private final func grow(_ minimum: Int) {
        capacity = max(minimum, 2 * capacity)
        let newText = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        newText.initialize(from: text, count: count)
        text.deallocate()
        text = newText
    }

    /// Writes the name of a column, qualified where the table must be told.
    final func append(column: String) {
        if let qualifier {
            append(sql: qualifier)
        }
        append(identifier: column)
    }

    /// Writes the columns in the closure with the name of a table, or without any.
    final func withQualifier(_ qualifier: String?, _ body: () throws -> Void) rethrows {
        let former = self.qualifier
        self.qualifier = qualifier
        defer { self.qualifier = former }
        try body()
    }

    /// Writes a placeholder or a literal for the value.
    final func append(value: DatabaseValue) {
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

    /// Adds the arguments of SQL that has its own placeholders.
    final func append(arguments newArguments: StatementArguments) throws {
        if newArguments.isEmpty { return }
        guard valueStyle == .placeholder else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "SQL with arguments can't be used where literals are required",
                sql: sql)
        }
        let replaced = arguments.append(contentsOf: newArguments)
        for (name, value) in replaced where arguments.namedValues[name] != value {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "already defined statement argument: \(name)", sql: sql)
        }
    }

    /// Writes nodes with commas between them.
    final func append(list nodes: some Sequence<some SQLNode>, separator: String = ", ") throws {
        var isFirst = true
        for node in nodes {
            if !isFirst { append(sql: separator) }
            isFirst = false
            try node.write(to: self)
        }
    }
}
