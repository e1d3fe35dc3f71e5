/// `"id" = ?`, for a statement whose values are bound later.
struct KeyParameter: SQLNode {
    let column: String

    func write(to writer: SQLWriter) throws {
        writer.append(column: column)
        writer.append(sql: " = ?")
    }

    var isAtom: Bool { false }
}
