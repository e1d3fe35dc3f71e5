import GRDB

extension TableText {
    /// Returns whether `ALTER TABLE DROP COLUMN` can drop a column. It can't drop keys, and columns
    /// that other columns or constraints use.
    func canDropColumn(at index: Int) -> Bool {
        let column = columns[index]
        let kinds: [Constraint.Kind] = [.notNull, .null, .defaultValue, .collation, .check]
        guard columns.count > 1, column.constraints.allSatisfy({ kinds.contains($0.kind) }) else {
            return false
        }
        var others = constraints
        for (other, column) in columns.enumerated() where other != index {
            others += column.constraints
        }
        return !others.contains { constraint in
            constraint.tokens.contains { ASCIICase.equal($0.name, column.name) }
        }
    }

    /// Returns the column of a definition; nil if `ALTER TABLE ADD COLUMN` does not accept it.
    static func addableColumn(_ definition: String) -> Column? {
        var parser = TableTextParser(definition)
        guard let column = parser.parseColumn(), parser.isAtEnd else { return nil }
        var hasDefault = false
        var needsDefault = false
        var hasReference = false
        for constraint in column.constraints {
            switch constraint.kind {
            case .null, .collation, .check: break
            case .notNull: needsDefault = true
            case .references: hasReference = true
            case .defaultValue:
                guard let value = constraint.tokens.last,
                    value.kind == .literal || value.kind == .string
                else { return nil }
                hasDefault = true
            case .generated:
                if constraint.contains("STORED") { return nil }
                hasDefault = true
            default: return nil
            }
        }
        return needsDefault && !hasDefault || hasReference && hasDefault ? nil : column
    }

    /// Removes table qualifiers from checks, because the table has another name while rows are
    /// copied.
    mutating func removeQualifiers(_ table: DatabaseObjectID) {
        func replacing(_ constraint: Constraint) -> String? {
            guard constraint.kind == .check else { return nil }
            let text = SQLToken.removingQualifiers(
                in: constraint.text, table: table.name, schema: table.schemaID.name)
            return text == constraint.text ? nil : text
        }
        replaceTexts(replacing)
    }

    /// Replaces strings in double quotes, found in old definitions, with strings in single quotes.
    mutating func replaceQuotedStrings(columns names: [String]) {
        func replacing(_ constraint: Constraint) -> String? {
            guard constraint.kind == .check || constraint.kind == .generated else { return nil }
            let start = constraint.tokens.first?.text ?? ""
            let text = SQLToken.replacingQuotedStrings(
                in: constraint.text,
                // The name of the constraint is not a string.
                columns: names + (constraint.name.map { [$0] } ?? []) + [start])
            return text == constraint.text ? nil : text
        }
        replaceTexts(replacing)
    }

    /// Replaces the texts of constraints for which the closure returns a string.
    private mutating func replaceTexts(_ replacing: (Constraint) -> String?) {
        for index in columns.indices {
            for other in columns[index].constraints.indices {
                if let text = replacing(columns[index].constraints[other]) {
                    columns[index].constraints[other].text = text
                    columns[index].unchangedText = nil
                }
            }
        }
        for index in constraints.indices {
            if let text = replacing(constraints[index]) { constraints[index].text = text }
        }
    }
}
