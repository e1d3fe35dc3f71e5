/// `name(argument, …)`
struct FunctionCall: SQLNode {
    let name: String
    let arguments: [SQLExpression]

    func write(to writer: any SQLWriter) throws {
        writer.append(sql: name.isPlainIdentifier ? name : name.quotedDatabaseIdentifier)
        writer.append(sql: "(")
        for (index, argument) in arguments.enumerated() {
            if index > 0 { writer.append(sql: ", ") }
            try argument.write(to: writer)
        }
        writer.append(sql: ")")
    }
}

extension DatabaseFunction {
    /// Returns an SQL expression that calls the function.
    ///
    /// ```swift
    /// // reverse("name")
    /// let reverse = DatabaseFunction("reverse", argumentCount: 1) { dbValues in ... }
    /// try db.execute(literal: "UPDATE player SET name = \(reverse(Column("name")))")
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        SQLExpression(FunctionCall(name: name, arguments: arguments.map(\.sqlExpression)))
    }
}

extension String {
    /// Whether the string needs no quotes as a function name.
    fileprivate var isPlainIdentifier: Bool {
        guard let first = utf8.first, !(0x30...0x39 ~= first) else { return false }
        return utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 || $0 == 0x5f
        } && !RawSQLite.isKeyword(self)
    }
}
