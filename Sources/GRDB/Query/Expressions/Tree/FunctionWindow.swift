// Calls of functions on windows, which GRDBQueries defines.

extension SQLExpression {
    /// `function OVER window`, for GRDBQueries and GRDBTables. If the expression is not the call of a
    /// function, or has a window, the statement throws an error.
    package func calling(over window: [SyntaxPiece]) -> SQLExpression {
        if let qualified = node(as: QualifiedNode.self) {
            return qualified.alias[SQLExpression(qualified.base).calling(over: window)]
        }
        guard var call = node(as: FunctionCall.self), call.window == nil else {
            return SQLExpression(MisplacedWindow())
        }
        call.window = Syntax(pieces: window)
        return SQLExpression(call)
    }
}

/// `OVER` after an expression that is not a function call.
private struct MisplacedWindow: SQLLeaf {
    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "over() needs the call of an aggregate function without a window",
            sql: writer.sql)
    }
}

/// `"name" AS (…)`
struct NamedWindow: SQLFragment {
    let name: String
    let definition: Syntax

    func write(to writer: SQLWriter) throws {
        writer.append(identifier: name)
        writer.append(sql: " AS ")
        try definition.write(to: writer)
    }
}

extension QueryInterfaceRequest {
    /// Adds a window to the clause `WINDOW`, for GRDBQueries.
    package func adding(windowNamed name: String, _ definition: [SyntaxPiece]) -> Self {
        let window = NamedWindow(name: name, definition: Syntax(pieces: definition))
        return QueryInterfaceRequest(relation: relation.with { $0.add(window) })
    }
}
