/// What rows a window function looks at: `("team", ORDER BY …)`.
struct Window: SQLNode {
    var partitions: [SQLExpression] = []
    var orderings: [SQLOrdering] = []
    var frame: String?

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "(")
        var separator = ""
        if !partitions.isEmpty {
            writer.append(sql: "PARTITION BY ")
            try writer.append(list: partitions)
            separator = " "
        }
        if !orderings.isEmpty {
            writer.append(sql: "\(separator)ORDER BY ")
            try writer.append(list: orderings)
            separator = " "
        }
        if let frame {
            writer.append(sql: "\(separator)\(frame)")
        }
        writer.append(sql: ")")
    }
}
