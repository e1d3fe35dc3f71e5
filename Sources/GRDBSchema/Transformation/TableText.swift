import GRDB

/// The SQL text of a table, as stored by SQLite, split into columns and constraints.
///
/// Unchanged columns and constraints keep their text, including comments.
struct TableText {
    /// A constraint of a column or of the table.
    struct Constraint {
        enum Kind {
            case primaryKey, notNull, null, unique, check, defaultValue, collation, references
            case generated, foreignKey
            /// `CONSTRAINT name`, without a constraint.
            case name
        }

        var kind: Kind

        /// The name of the constraint, if it has one.
        var name: String?

        /// The columns of a key of the table.
        var columns: [String] = []

        /// The tokens after the name.
        var tokens: [SQLToken] = []

        /// The whole text.
        var text: String

        /// The comments around a table constraint.
        var comments = Comments()

        func contains(_ keyword: String) -> Bool {
            tokens.contains { $0.isWord(keyword) }
        }
    }

    struct Column {
        var name: String

        /// The name as written in the text, with its quotes.
        var nameText: String
        var type: String
        var constraints: [Constraint]

        /// The whole text; nil once the column has changed.
        var unchangedText: String?
        var comments = Comments()

        var text: String {
            unchangedText
                ?? ([nameText, type].filter { !$0.isEmpty } + constraints.map(\.text))
                .joined(separator: " ")
        }

        func constraint(_ kind: Constraint.Kind) -> Constraint? {
            constraints.last { $0.kind == kind }
        }

        var isGenerated: Bool { constraint(.generated) != nil }

        mutating func setType(_ type: String) {
            self.type = type
            unchangedText = nil
        }

        /// Removes constraints.
        mutating func remove(where condition: (Constraint) -> Bool) {
            guard constraints.contains(where: condition) else { return }
            constraints.removeAll(where: condition)
            unchangedText = nil
        }

        mutating func append(_ kind: Constraint.Kind, _ text: String) {
            constraints.append(
                Constraint(kind: kind, tokens: SQLToken.tokens(of: text), text: text))
            unchangedText = nil
        }
    }

    /// The comments before and after an element.
    struct Comments {
        var before = ""
        var behind = ""

        func around(_ text: String) -> String {
            var text = text
            if !before.isEmpty { text = "\(before)\n\(text)" }
            if !behind.isEmpty { text = "\(text) \(behind)" + (behind.contains("--") ? "\n" : "") }
            return text
        }
    }

    var columns: [Column]
    var constraints: [Constraint]

    /// The table options, which follow the parentheses.
    var options: String

    /// - parameter sql: the stored text of a table.
    /// - returns: nil if the text does not define an ordinary table.
    init?(_ sql: String) {
        var parser = TableTextParser(sql)
        guard let text = parser.parseTable() else { return nil }
        self = text
    }

    init(columns: [Column], constraints: [Constraint], options: String) {
        self.columns = columns
        self.constraints = constraints
        self.options = options
    }

    /// Returns the statement that creates the table.
    func statement(creating name: String) -> String {
        let items =
            columns.map { $0.comments.around($0.text) }
            + constraints.map { $0.comments.around($0.text) }
        let tail = options.isEmpty ? "" : " \(options)"
        return "CREATE TABLE \(name) (\n  \(items.joined(separator: ",\n  "))\n)\(tail)"
    }

    // MARK: - Properties

    func index(of column: String) -> Int? {
        columns.firstIndex { ASCIICase.equal($0.name, column) }
    }

    func hasOption(_ keyword: String) -> Bool {
        SQLToken.tokens(of: options).contains { $0.isWord(keyword) }
    }

    var hasRowID: Bool { !hasOption("WITHOUT") }

    var isAutoincremented: Bool {
        columns.contains { $0.constraint(.primaryKey)?.contains("AUTOINCREMENT") == true }
            || constraints.contains { $0.kind == .primaryKey && $0.contains("AUTOINCREMENT") }
    }

    /// The column that is an alias of the rowid.
    var rowIDColumn: String? {
        guard hasRowID else { return nil }
        for column in columns {
            guard let primaryKey = column.constraint(.primaryKey) else { continue }
            return column.isInteger && !primaryKey.contains("DESC") ? column.name : nil
        }
        guard let key = constraints.first(where: { $0.kind == .primaryKey }),
            key.columns.count == 1, let index = index(of: key.columns[0])
        else { return nil }
        return columns[index].isInteger ? columns[index].name : nil
    }

    /// The columns of the primary key of a table without rowid; nil for other tables.
    var withoutRowIDKey: [CaseInsensitiveIdentifier]? {
        if hasRowID { return nil }
        let constraint = constraints.first { $0.kind == .primaryKey }
        let names =
            constraint?.columns
            ?? columns.filter { $0.constraint(.primaryKey) != nil }.map(\.name)
        return names.map { CaseInsensitiveIdentifier($0) }
    }

    /// A name of the rowid that is not the name of a column.
    var rowIDName: String? {
        ["rowid", "_rowid_", "oid"].first { index(of: $0) == nil }
    }
}

extension TableText.Column {
    fileprivate var isInteger: Bool {
        let tokens = SQLToken.tokens(of: type)
        return tokens.count == 1 && ASCIICase.equal(tokens[0].name, "INTEGER")
    }
}

/// A parser of the SQL text of a table.
///
/// SQLite has already accepted the text, so the parser only finds the ranges of columns and
/// constraints.
struct TableTextParser {
    private let bytes: [UInt8]
    private let tokens: [SQLToken]
    private var index = 0

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        tokens = SQLToken.tokens(of: sql)
    }

    /// The number of unread tokens.
    var remainingCount: Int { tokens.count - index }

    private var token: SQLToken? { index < tokens.count ? tokens[index] : nil }

    private func token(_ offset: Int) -> SQLToken? {
        index + offset < tokens.count ? tokens[index + offset] : nil
    }

    private func isAt(_ keywords: String...) -> Bool {
        for (offset, keyword) in keywords.enumerated() {
            guard let token = token(offset), token.isWord(keyword) else { return false }
        }
        return true
    }

    private mutating func skip(_ keywords: String...) -> Bool {
        for (offset, keyword) in keywords.enumerated() {
            guard let token = token(offset), token.isWord(keyword) else { return false }
        }
        index += keywords.count
        return true
    }

    /// Skips a group of parentheses.
    private mutating func skipParentheses() {
        guard token?.kind == .opening else { return }
        var depth = 0
        while let token {
            index += 1
            if token.kind == .opening { depth += 1 }
            if token.kind == .closing {
                depth -= 1
                if depth == 0 { return }
            }
        }
    }

    private func text(_ range: Range<Int>) -> String {
        guard !range.isEmpty else { return "" }
        let bytes = bytes[
            tokens[range.lowerBound].range
                .lowerBound..<tokens[range.upperBound - 1].range.upperBound]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the comments between two tokens.
    private func comments(after previous: Int, before next: Int) -> String {
        let end = next < tokens.count ? tokens[next].range.lowerBound : bytes.count
        return SQLText.trimmed(
            String(decoding: bytes[tokens[previous].range.upperBound..<end], as: UTF8.self))
    }

    // MARK: - Tables

    mutating func parseTable() -> TableText? {
        guard skip("CREATE"), skip("TABLE") else { return nil }
        index += 1
        guard token?.kind == .opening else { return nil }
        index += 1
        var text = TableText(columns: [], constraints: [], options: "")
        while let token, token.kind != .closing {
            if token.kind == .comma {
                index += 1
                continue
            }
            let start = index
            let before = comments(after: start - 1, before: start)
            if token.isWord(in: ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]) {
                guard var constraint = parseTableConstraint() else { return nil }
                constraint.comments = .init(
                    before: before, behind: comments(after: index - 1, before: index))
                if self.token?.kind != .comma, self.token?.kind != .closing {
                    // Without a comma, these comments belong to the next constraint.
                    constraint.comments.behind = ""
                }
                text.constraints.append(constraint)
            } else {
                guard var column = parseColumn() else { return nil }
                guard self.token?.kind == .comma || self.token?.kind == .closing else {
                    return nil
                }
                column.comments = .init(
                    before: before, behind: comments(after: index - 1, before: index))
                text.columns.append(column)
            }
        }
        guard token?.kind == .closing, !text.columns.isEmpty else { return nil }
        index += 1
        text.options = self.text(index..<tokens.count)
        return text
    }

    // MARK: - Columns

    mutating func parseColumn() -> TableText.Column? {
        let start = index
        guard let name = token, [.word, .quotedName, .string].contains(name.kind) else {
            return nil
        }
        index += 1
        let typeStart = index
        while let token {
            switch token.kind {
            case .word:
                if isColumnConstraint { break }
                index += 1
                continue
            case .quotedName, .string:
                index += 1
                continue
            case .opening:
                skipParentheses()
                continue
            default:
                break
            }
            break
        }
        let type = text(typeStart..<index)
        var constraints: [TableText.Constraint] = []
        while let token, token.kind != .comma, token.kind != .closing {
            guard let constraint = parseColumnConstraint() else { return nil }
            if constraint.kind == .references, constraint.tokens.isEmpty {
                // This is a clause of the previous constraint.
                guard let last = constraints.last else { return nil }
                constraints[constraints.count - 1].text = "\(last.text) \(constraint.text)"
            } else {
                constraints.append(constraint)
            }
        }
        return TableText.Column(
            name: name.name, nameText: name.text, type: type, constraints: constraints,
            unchangedText: text(start..<index))
    }

    private var isColumnConstraint: Bool {
        guard let token else { return false }
        let keywords = [
            "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE",
            "REFERENCES", "AS", "DEFERRABLE",
        ]
        return token.isWord(in: keywords) || isAt("GENERATED", "ALWAYS", "AS")
    }

    /// Parses a column constraint.
    ///
    /// - returns: for a clause such as `DEFERRABLE`, a `references` constraint without tokens.
    private mutating func parseColumnConstraint() -> TableText.Constraint? {
        let start = index
        let name = parseConstraintName()
        let bodyStart = index
        func constraint(_ kind: TableText.Constraint.Kind) -> TableText.Constraint {
            TableText.Constraint(
                kind: kind, name: name, tokens: Array(tokens[bodyStart..<index]),
                text: text(start..<index))
        }
        if skip("PRIMARY", "KEY") {
            _ = skip("ASC") || skip("DESC")
            skipConflictClause()
            _ = skip("AUTOINCREMENT")
            return constraint(.primaryKey)
        }
        if isAt("DEFERRABLE") || isAt("NOT", "DEFERRABLE") {
            skipDeferral()
            return TableText.Constraint(
                kind: .references, name: name, text: text(start..<index))
        }
        if skip("NOT", "NULL") {
            skipConflictClause()
            return constraint(.notNull)
        }
        if skip("NULL") {
            skipConflictClause()
            return constraint(.null)
        }
        if skip("UNIQUE") {
            skipConflictClause()
            return constraint(.unique)
        }
        if skip("CHECK") {
            skipParentheses()
            skipConflictClause()
            return constraint(.check)
        }
        if skip("DEFAULT") {
            if token?.kind == .opening {
                skipParentheses()
            } else {
                // Skip the sign.
                if token?.kind == .other { index += 1 }
                index += 1
            }
            return index <= tokens.count ? constraint(.defaultValue) : nil
        }
        if skip("COLLATE") {
            index += 1
            return index <= tokens.count ? constraint(.collation) : nil
        }
        if skip("REFERENCES") {
            skipReferences()
            return index <= tokens.count ? constraint(.references) : nil
        }
        if skip("GENERATED", "ALWAYS", "AS") || skip("AS") {
            skipParentheses()
            _ = skip("STORED") || skip("VIRTUAL")
            return constraint(.generated)
        }
        return name == nil ? nil : constraint(.name)
    }

    private mutating func parseConstraintName() -> String? {
        guard skip("CONSTRAINT"), let name = token else { return nil }
        index += 1
        return name.name
    }

    private mutating func skipConflictClause() {
        if skip("ON", "CONFLICT") { index = min(index + 1, tokens.count) }
    }

    private mutating func skipReferences() {
        index += 1
        skipParentheses()
        while true {
            if skip("MATCH") {
                index = min(index + 1, tokens.count)
            } else if isAt("ON", "DELETE") || isAt("ON", "UPDATE") || isAt("ON", "INSERT") {
                index += 2
                // SET NULL, SET DEFAULT, NO ACTION, CASCADE, RESTRICT
                index = min(index + (isAt("SET") || isAt("NO") ? 2 : 1), tokens.count)
            } else if isAt("DEFERRABLE") || isAt("NOT", "DEFERRABLE") {
                skipDeferral()
            } else {
                return
            }
        }
    }

    private mutating func skipDeferral() {
        _ = skip("NOT")
        _ = skip("DEFERRABLE")
        if skip("INITIALLY") { index = min(index + 1, tokens.count) }
    }

    // MARK: - Table constraints

    private mutating func parseTableConstraint() -> TableText.Constraint? {
        let start = index
        let name = parseConstraintName()
        let bodyStart = index
        var columns: [String] = []
        let kind: TableText.Constraint.Kind
        if skip("PRIMARY", "KEY") {
            kind = .primaryKey
            columns = parseKeyColumns()
            skipConflictClause()
        } else if skip("UNIQUE") {
            kind = .unique
            columns = parseKeyColumns()
            skipConflictClause()
        } else if skip("CHECK") {
            kind = .check
            skipParentheses()
            skipConflictClause()
        } else if skip("FOREIGN", "KEY") {
            kind = .foreignKey
            columns = parseKeyColumns()
            guard skip("REFERENCES") else { return nil }
            skipReferences()
        } else if name != nil {
            kind = .name
        } else {
            return nil
        }
        guard index <= tokens.count else { return nil }
        return TableText.Constraint(
            kind: kind, name: name, columns: columns, tokens: Array(tokens[bodyStart..<index]),
            text: text(start..<index))
    }

    /// Returns the first token of each term in the parentheses.
    private mutating func parseKeyColumns() -> [String] {
        guard token?.kind == .opening else { return [] }
        let start = index
        skipParentheses()
        var columns: [String] = []
        var depth = 0
        var isFirst = false
        for token in tokens[start..<index] {
            switch token.kind {
            case .opening:
                depth += 1
                isFirst = depth == 1
            case .closing: depth -= 1
            case .comma where depth == 1: isFirst = true
            default:
                if isFirst { columns.append(token.name) }
                isFirst = false
            }
        }
        return columns
    }
}
