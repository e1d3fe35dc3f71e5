import _GRDBSystem

/// Many values of one storage class, as an array for `carray`.
private struct ValueColumn {
    private var integers: [Int64] = []
    private var reals: [Double] = []
    private var texts: [String] = []
    private var blobs: [Data] = []

    /// Appends a value.
    ///
    /// - returns: the storage class of the value; nil if an array can't hold the value, because it
    ///   is NULL or a string with NUL characters.
    mutating func append(_ value: DatabaseValue) -> StorageClass? {
        let storageClass = StorageClass(value)
        switch value.storage {
        case .int64(let integer): integers.append(integer)
        case .double(let real): reals.append(real)
        case .string(let text): if storageClass != nil { texts.append(text) }
        case .blob(let blob): blobs.append(blob)
        case .null: break
        }
        return storageClass
    }

    enum StorageClass: Hashable {
        case integer, real, text, blob

        init?(_ value: DatabaseValue) {
            switch value.storage {
            case .int64: self = .integer
            case .double: self = .real
            case .string(let text) where !text.utf8.contains(0): self = .text
            case .blob: self = .blob
            case .string, .null: return nil
            }
        }
    }

    var arrays: [ArrayArgument] {
        var arrays: [ArrayArgument] = []
        if !integers.isEmpty { arrays.append(.integers(integers)) }
        if !reals.isEmpty { arrays.append(.reals(reals)) }
        if !texts.isEmpty { arrays.append(.texts(texts)) }
        if !blobs.isEmpty { arrays.append(.blobs(blobs)) }
        return arrays
    }
}

/// Many values as few parameters of a statement: one array per storage class.
///
/// The SQL text does not depend on the number of values. The prepared statement can be reused, and
/// SQLite's limit on the number of parameters does not apply.
struct ValueArrays {
    /// Below this number of values, each is a parameter.
    static let minimumCount = 100

    private var column = ValueColumn()

    /// NULL and texts with NUL characters, which an array can't hold.
    private var others: [DatabaseValue] = []

    /// - returns: nil if there are few expressions, if an expression is not a value, or if there
    ///   are many values that arrays can't hold.
    init?(_ expressions: [SQLExpression]) {
        guard expressions.count >= Self.minimumCount else { return nil }
        for expression in expressions {
            guard let value = expression.node(as: DatabaseValue.self) else { return nil }
            // One NULL has the same effect as several.
            if column.append(value) == nil, !value.isNull || !others.contains(where: \.isNull) {
                others.append(value)
            }
        }
        if others.count > Self.minimumCount { return nil }
    }

    /// Writes the right operand of `IN`: a query on the arrays.
    ///
    /// The unary plus turns the columns of the query into expressions, so that values are converted
    /// to the affinity of the left operand, like the values of a list.
    func write(to writer: SQLWriter) {
        var separator = "("
        for array in column.arrays {
            writer.append(sql: "\(separator)SELECT +value FROM \(ArrayArgument.tableName)(")
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

/// The argument of `carray`: values of one storage class as a single parameter.
struct ArrayNode: SQLLeaf {
    var traits: SQLTraits { [] }

    private let column: ValueColumn

    /// The value that an array can't hold.
    private let refused: DatabaseValue?

    init(_ values: [DatabaseValue]) {
        var column = ValueColumn()
        refused = values.first { column.append($0) == nil }
        self.column = column
    }

    func write(to writer: SQLWriter) throws {
        if let refused { throw Self.error("can't contain \(refused)") }
        let arrays = column.arrays
        guard arrays.count <= 1 else {
            throw Self.error("must contain values of one storage class")
        }
        guard writer.valueStyle == .placeholder else {
            throw Self.error("can't be used where literals are required")
        }
        guard let array = arrays.first else {
            // SQLite can't bind an empty array.
            return writer.append(value: .null)
        }
        writer.append(array: array)
    }

    private static func error(_ problem: String) -> DatabaseError {
        DatabaseError(misuse: "The values of a table function \(problem)")
    }
}

extension SQLExpression {
    /// The argument of `carray`, for GRDBTables.
    package static func array(_ values: [DatabaseValue]) -> SQLExpression {
        SQLExpression(ArrayNode(values))
    }
}

/// Many row values as few parameters of a statement: one array per column.
///
/// ```swift
/// // ("a", "b") IN (
/// //     WITH grdb_1 AS MATERIALIZED (SELECT rowid AS i, value AS v FROM carray(…)),
/// //          grdb_2 AS MATERIALIZED (SELECT rowid AS i, value AS v FROM carray(…))
/// //     SELECT grdb_1.v, grdb_2.v FROM grdb_1 JOIN grdb_2 USING (i))
/// ```
///
/// An array holds values of one storage class. Rows with other storage classes have their own
/// arrays.
struct RowValueArrays {
    private struct Group {
        var classes: [ValueColumn.StorageClass]
        var columns: [ValueColumn]
    }

    private var groups: [Group] = []

    /// - returns: nil if there are few expressions, or if an expression is not a row value that
    ///   arrays can hold.
    init?(_ expressions: [SQLExpression]) {
        guard expressions.count >= ValueArrays.minimumCount,
            let width = expressions[0].node(as: RowValue.self)?.expressions.count
        else { return nil }
        var classes: [ValueColumn.StorageClass] = []
        var indexes: [[ValueColumn.StorageClass]: Int] = [:]
        for expression in expressions {
            guard let row = expression.node(as: RowValue.self)?.expressions, row.count == width
            else { return nil }
            classes.removeAll(keepingCapacity: true)
            for expression in row {
                guard let value = expression.node(as: DatabaseValue.self),
                    let storageClass = ValueColumn.StorageClass(value)
                else { return nil }
                classes.append(storageClass)
            }
            // Usually, all rows have the same storage classes.
            var index = 0
            if groups.first?.classes != classes {
                index = indexes[classes] ?? groups.count
                if index == groups.count {
                    indexes[classes] = index
                    let columns = [ValueColumn](repeating: ValueColumn(), count: width)
                    groups.append(Group(classes: classes, columns: columns))
                }
            }
            for (column, expression) in row.enumerated() {
                guard let value = expression.node(as: DatabaseValue.self) else { return nil }
                _ = groups[index].columns[column].append(value)
            }
        }
    }

    /// Writes the right operand of `IN`: a query on the arrays. See ``ValueArrays/write(to:)`` for
    /// the unary plus.
    func write(to writer: SQLWriter) {
        var number = 0
        var selections: [String] = []
        for group in groups {
            var names: [String] = []
            for array in group.columns.flatMap(\.arrays) {
                number += 1
                names.append("grdb_\(number)")
                writer.append(sql: number == 1 ? "(WITH " : ", ")
                writer.append(
                    sql: """
                        grdb_\(number) AS MATERIALIZED (SELECT rowid AS i, value AS v \
                        FROM \(ArrayArgument.tableName)(
                        """)
                writer.append(array: array)
                writer.append(sql: "))")
            }
            let columns = names.map { "+\($0).v" }.joined(separator: ", ")
            let joins = names.dropFirst().map { " JOIN \($0) ON \($0).i = \(names[0]).i" }
            selections.append("SELECT \(columns) FROM \(names[0])\(joins.joined())")
        }
        writer.append(sql: " \(selections.joined(separator: " UNION ALL ")))")
    }
}
