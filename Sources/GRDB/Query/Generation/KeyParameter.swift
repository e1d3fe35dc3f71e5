/// `"id" = ?`, for a statement whose values are bound later.
struct KeyParameter: SQLLeaf {
    let column: String

    func write(to writer: SQLWriter) throws {
        writer.append(column: column)
        writer.append(sql: " = ?")
    }

    var traits: SQLTraits { .compound }
}
