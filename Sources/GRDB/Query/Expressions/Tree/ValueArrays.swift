import Foundation

/// Many values, as few parameters of a statement: one array for each storage class.
///
/// The SQL text does not depend on the number of values: the prepared statement can be reused, and
/// SQLite's limit on the number of parameters is not met.
struct ValueArrays {
    /// Below this number of values, each is a parameter.
    static let minimumCount = 100

    private var integers: [Int64] = []
    private var reals: [Double] = []
    private var texts: [String] = []
    private var blobs: [Data] = []
    /// NULL, and texts with NUL characters, which an array can't hold.
    private var others: [DatabaseValue] = []

    /// - returns: nil if there are few expressions, if one of them is not a value, or if there are
    ///   many values that arrays can't hold.
    init?(_ expressions: [SQLExpression]) {
        guard expressions.count >= Self.minimumCount else { return nil }
        for expression in expressions {
            guard let value = expression.node as? DatabaseValue else { return nil }
            switch value.storage {
            case .int64(let integer):
                integers.append(integer)
            case .double(let real):
                reals.append(real)
            case .string(let text):
                if text.utf8.contains(0) {
                    others.append(value)
                } else {
                    texts.append(text)
                }
            case .blob(let blob):
                blobs.append(blob)
            case .null:
                // Repeated values are bound once.
                if !others.contains(where: \.isNull) { others.append(.null) }
            }
        }
        if others.count > Self.minimumCount { return nil }
    }

    private var arrays: [ArrayArgument] {
        var arrays: [ArrayArgument] = []
        if !integers.isEmpty { arrays.append(.integers(integers)) }
        if !reals.isEmpty { arrays.append(.reals(reals)) }
        if !texts.isEmpty { arrays.append(.texts(texts)) }
        if !blobs.isEmpty { arrays.append(.blobs(blobs)) }
        return arrays
    }

    /// The text of the query on an array, up to the function and its parameter.
    private static let arrayQuery = "SELECT +value FROM \(ArrayArgument.tableName)("

    /// Whether some SQL text starts with a part of the query on arrays.
    ///
    /// - parameter text: text that starts with a `SELECT`.
    static func isQuery(_ text: some Sequence<UInt8>) -> Bool {
        // One value, of those that an array can't hold.
        ["SELECT ?)", "SELECT ? UNION", "SELECT NULL)", "SELECT NULL UNION", arrayQuery]
            .contains { text.starts(with: $0.utf8) }
    }

    /// Writes the right side of `IN`: a query on the arrays.
    ///
    /// The unary plus makes expressions of its columns, so that values are converted to the
    /// affinity of the left side, like the values of a list.
    func write(to writer: SQLWriter) {
        var separator = "("
        for array in arrays {
            writer.append(sql: separator)
            writer.append(sql: Self.arrayQuery)
            writer.append(array: array)
            writer.append(sql: ")")
            separator = " UNION ALL "
        }
        for value in others {
            writer.append(sql: "\(separator)SELECT ")
            writer.append(value: value)
            separator = " UNION ALL "
        }
        writer.append(sql: ")")
    }
}
