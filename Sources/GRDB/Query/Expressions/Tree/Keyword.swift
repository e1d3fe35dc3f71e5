/// SQL text without parameters: a literal, or the number of a result column.
struct Keyword: SQLLeaf {
    let sql: String

    var traits: SQLTraits { .repeatable }

    func write(to writer: SQLWriter) throws {
        writer.append(sql: sql)
    }
}

extension SQLExpression {
    /// SQL text without parameters, such as a literal. For the functions and constants of GRDBQueries.
    package static func keyword(_ sql: String) -> SQLExpression { SQLExpression(Keyword(sql: sql)) }
}
