extension Row: RandomAccessCollection {
    /// A position in a ``Row``: the position of one column and its value.
    public struct Index: Sendable {
        let index: Int

        init(_ index: Int) {
            self.index = index
        }
    }

    public var startIndex: Index { Index(0) }

    public var endIndex: Index { Index(count) }

    /// The name of a column, and its value.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.index)
        return (
            layout.names[position.index], databaseValue(uncheckedIndex: position.index)
        )
    }
}

extension Row.Index: Comparable {
    public static func == (lhs: Row.Index, rhs: Row.Index) -> Bool {
        lhs.index == rhs.index
    }

    public static func < (lhs: Row.Index, rhs: Row.Index) -> Bool {
        lhs.index < rhs.index
    }
}

extension Row.Index: Strideable {
    public func distance(to other: Row.Index) -> Int {
        other.index - index
    }

    public func advanced(by n: Int) -> Row.Index {
        Row.Index(index + n)
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row from column names and values, in the order of the literal.
    public convenience init(
        dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...
    ) {
        self.init(
            values: elements.map { $0.1?.databaseValue ?? .null },
            layout: RowLayout(names: elements.map { $0.0 }))
    }
}

/// Rows are equal when they have the same columns in the same order, with the same names and
/// values, and equal scopes and prefetched rows.
extension Row: Hashable {
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.count == rhs.count else { return false }
        guard lhs.layout === rhs.layout || lhs.layout.names.hasSameBytes(as: rhs.layout.names)
        else {
            return false
        }
        for index in 0..<lhs.count {
            guard
                lhs.databaseValue(uncheckedIndex: index)
                    == rhs.databaseValue(uncheckedIndex: index)
            else { return false }
        }
        let lhsScopes = lhs.scopes
        let rhsScopes = rhs.scopes
        guard lhsScopes.count == rhsScopes.count else { return false }
        for (name, row) in lhsScopes {
            guard rhsScopes[name] == row else { return false }
        }
        return lhs.prefetches == rhs.prefetches
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Row: CustomStringConvertible {
    /// The columns and values, as in `[id:1 name:"Arthur"]`.
    public var description: String {
        columnsText(layout.names, valueArray.map(\.description))
    }

    /// The values of all columns.
    @inline(never)
    var valueArray: [DatabaseValue] { (0..<count).map { databaseValue(uncheckedIndex: $0) } }
}

/// The text of columns and their values, as in `[id:1 name:"Arthur"]`.
func columnsText(_ names: [String], _ values: [String]) -> String {
    "[" + names.indices.map { "\(names[$0]):\(values[$0])" }.joined(separator: " ") + "]"
}

extension Row: CustomDebugStringConvertible {
    /// The description of the row, of the raw row, of scopes and of prefetched rows, one per line.
    public var debugDescription: String {
        var lines = debugLines(level: 0)
        guard lines.count > 1 || unadapted !== self else { return description }
        lines[0] = "▿ " + lines[0]
        if unadapted !== self {
            lines.insert("  unadapted: \(unadapted)", at: 1)
        }
        return lines.joined(separator: "\n")
    }

    private func debugLines(level: Int) -> [String] {
        var lines = [description]
        let indentation = String(repeating: "  ", count: level + 1)
        for name in scopes.names.ordered() {
            guard let row = scopes[name] else { continue }
            let scopeLines = row.debugLines(level: level + 1)
            lines.append("\(indentation)- \(name): \(scopeLines[0])")
            lines += scopeLines.dropFirst()
        }
        for key in prefetches.ownKeys.ordered() {
            let count = prefetches.group(key)?.count ?? 0
            lines.append("\(indentation)+ \(key): \(count) row\(count == 1 ? "" : "s")")
        }
        return lines
    }
}
