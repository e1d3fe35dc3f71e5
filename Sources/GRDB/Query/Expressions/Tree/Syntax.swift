/// A part of SQL whose syntax other modules know, which define no nodes. GRDBQueries writes `CASE` and
/// windows so.
package enum SyntaxPiece: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case expression(SQLExpression)
    /// An expression, in parentheses if it needs them as the operand of another one.
    case operand(SQLExpression)
    case ordering(SQLOrdering)

    package init(stringLiteral text: String) { self = .text(text) }
}

/// Pieces of SQL in the order in which they are written. Unlike an SQL literal, the node has only
/// the properties of the nodes in it: the text between them has no meaning for requests.
struct Syntax: SQLNode {
    let pieces: [SyntaxPiece]

    func write(to writer: SQLWriter) throws {
        for piece in pieces {
            switch piece {
            case .text(let sql): writer.append(sql: sql)
            case .expression(let expression): try expression.write(to: writer)
            case .operand(let expression): try expression.writeOperand(to: writer)
            case .ordering(let ordering): try ordering.write(to: writer)
            }
        }
    }

    var children: [any SQLNode] {
        pieces.compactMap { piece in
            switch piece {
            case .text: nil
            case .expression(let expression), .operand(let expression): expression.node
            case .ordering(let ordering): ordering.node
            }
        }
    }

    var traits: SQLTraits {
        children.reduce(into: []) { $0.formUnion($1.traits.whenInherited) }
    }

    var depth: Int { 1 + children.reduce(0) { max($0, $1.depth) } }
}

extension SQLWriter {
    package final func append(syntax pieces: [SyntaxPiece]) throws {
        try Syntax(pieces: pieces).write(to: self)
    }
}

extension SQLExpression {
    /// An expression that begins and ends with a word, so that it needs no parentheses.
    package init(syntax pieces: [SyntaxPiece]) {
        self.init(Syntax(pieces: pieces))
    }
}
