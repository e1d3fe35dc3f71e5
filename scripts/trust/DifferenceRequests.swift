import Foundation
import GRDB
import GRDBQueries

struct Author: TableRecord {
    static let databaseTableName = "author"
    static let books = hasMany(Book.self, key: "books", using: ForeignKey(["authorId"]))
    static let tags = hasMany(Tag.self, through: books, using: Book.tags)
}

struct Book: TableRecord {
    static let databaseTableName = "book"
    static let author = belongsTo(Author.self, key: "author", using: ForeignKey(["authorId"]))
    static let tags = hasMany(Tag.self, key: "tags", using: ForeignKey(["bookId"]))
}

struct Tag: TableRecord {
    static let databaseTableName = "tag"
    static let book = belongsTo(Book.self, key: "book", using: ForeignKey(["bookId"]))
}

/// An expression of the query interface, and the SQL that means the same. `%` stands for the name of the table.
struct Both {
    var swift: SQLExpression
    var sql: String

    func of(_ alias: String) -> String { sql.replacingOccurrences(of: "%", with: alias) }
}

/// Makes requests, with SQL that is written beside them, not derived from them.
struct RequestMaker {
    var random: SplitMix64
    /// The columns with any content, `pages` and the keys excepted.
    let columns: [String: [String]] = [
        "author": ["name", "score", "country", "a\"b c"], "book": ["title", "price", "extra"],
        "tag": ["label"],
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: Content

    mutating func value() -> DatabaseValue {
        switch number(0...9) {
        case 0: return .null
        case 1...4: return number(-3...12).databaseValue
        case 5:
            return pick([0.5, -1.5, 1e300, 9_007_199_254_740_992, 3.0, .infinity]).databaseValue
        case 6: return pick([Int64.max, Int64.min, 1 << 53]).databaseValue
        case 7: return pick([Data(), Data([0, 255]), Data("abc".utf8)]).databaseValue
        default:
            return pick([
                "", "a", "A", "abc", "ABC ", "Ä", "日本", "10", "1.5", "it's",
                "x\"(a); DROP TABLE v; --", "_x", "a_c",
            ])
            .databaseValue
        }
    }

    static func literal(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: return "NULL"
        case .int64(let value): return value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .double(let value):
            return value.isInfinite ? (value > 0 ? "9e999" : "-9e999") : "\(value)"
        case .string(let value): return "'" + value.replacingOccurrences(of: "'", with: "''") + "'"
        case .blob(let data): return "x'" + data.map { String(format: "%02x", $0) }.joined() + "'"
        }
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }

    /// The statements that create the tables.
    mutating func schema() -> [String] {
        var statements: [String] = []
        let own = [
            "author": "", "book": ", authorId INTEGER, pages INTEGER NOT NULL",
            "tag": ", bookId INTEGER",
        ]
        for table in ["author", "book", "tag"] {
            var definitions = "id INTEGER PRIMARY KEY\(own[table]!)"
            for column in columns[table]! {
                definitions +=
                    ", \(Self.quoted(column)) \(pick(["", "INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC"]))"
                definitions += pick(["", "", " COLLATE NOCASE", " COLLATE RTRIM"])
            }
            if chance(30) { definitions += ", double AS (id * 2) \(pick(["VIRTUAL", "STORED"]))" }
            statements.append("CREATE TABLE \(table) (\(definitions))")
            if chance(50) {
                statements.append(
                    "CREATE INDEX on\(table) ON \(table) (\(Self.quoted(pick(columns[table]!))))")
            }
        }
        if chance(50) { statements.append("CREATE INDEX bookOnAuthor ON book(authorId)") }
        for id in 1...number(3...8) { statements.append(insertion("author", id, [:])) }
        for id in 1...number(4...14) {
            let parent: DatabaseValue = chance(15) ? .null : number(1...9).databaseValue
            statements.append(
                insertion("book", id, ["authorId": parent, "pages": number(0...9).databaseValue]))
        }
        for id in 1...number(3...14) {
            statements.append(
                insertion("tag", id, ["bookId": chance(15) ? .null : number(1...15).databaseValue]))
        }
        return statements
    }

    private mutating func insertion(_ table: String, _ id: Int, _ values: [String: DatabaseValue])
        -> String
    {
        var names = ["id"]
        var literals = ["\(id)"]
        for name in values.keys.sorted() {
            names.append(name)
            literals.append(Self.literal(values[name]!))
        }
        for column in columns[table]! {
            names.append(Self.quoted(column))
            literals.append(Self.literal(value()))
        }
        return
            "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))"
    }

    // MARK: Expressions

    mutating func column(_ table: String) -> String {
        let name =
            chance(25) ? "id" : table == "book" && chance(20) ? "pages" : pick(columns[table]!)
        return name
    }

    mutating func operand(_ table: String, _ depth: Int) -> Both {
        if depth == 0 || chance(50) {
            let name = column(table)
            return Both(swift: Column(name).sqlExpression, sql: "%.\(Self.quoted(name))")
        }
        let inner = operand(table, depth - 1)
        let other = operand(table, depth - 1)
        let small = number(-2...4)
        switch number(0...13) {
        case 0: return Both(swift: inner.swift + other.swift, sql: "(\(inner.sql) + \(other.sql))")
        case 1: return Both(swift: inner.swift - small, sql: "(\(inner.sql) - (\(small)))")
        case 2: return Both(swift: inner.swift * small, sql: "(\(inner.sql) * (\(small)))")
        case 3: return Both(swift: inner.swift / other.swift, sql: "(\(inner.sql) / \(other.sql))")
        case 4: return Both(swift: length(inner.swift), sql: "length(\(inner.sql))")
        case 5: return Both(swift: upper(inner.swift), sql: "upper(\(inner.sql))")
        case 6: return Both(swift: lower(inner.swift), sql: "lower(\(inner.sql))")
        case 7: return Both(swift: inner.swift ?? small, sql: "coalesce(\(inner.sql), \(small))")
        case 8: return Both(swift: -inner.swift, sql: "-(\(inner.sql))")
        case 9: return Both(swift: hex(inner.swift), sql: "hex(\(inner.sql))")
        case 10: return Both(swift: typeOf(inner.swift), sql: "typeof(\(inner.sql))")
        case 11: return Both(swift: quote(inner.swift), sql: "quote(\(inner.sql))")
        case 12: return Both(swift: inner.swift & small, sql: "(\(inner.sql) & (\(small)))")
        default:
            return Both(
                swift: [inner.swift, other.swift].joined(operator: .concat),
                sql: "(\(inner.sql) || \(other.sql))")
        }
    }

    mutating func condition(_ table: String, _ depth: Int) -> Both {
        if depth > 0, chance(35) {
            let left = condition(table, depth - 1)
            let right = condition(table, depth - 1)
            switch number(0...3) {
            case 0:
                return Both(swift: left.swift && right.swift, sql: "(\(left.sql) AND \(right.sql))")
            case 1:
                return Both(swift: left.swift || right.swift, sql: "(\(left.sql) OR \(right.sql))")
            case 2: return Both(swift: !left.swift, sql: "(NOT \(left.sql))")
            default:
                return Both(
                    swift: [left.swift, right.swift].joined(operator: .or),
                    sql: "(\(left.sql) OR \(right.sql))")
            }
        }
        if chance(40) { return typedCondition(table) }
        let left = operand(table, depth)
        let value = self.value()
        let literal = Self.literal(value)
        switch number(0...14) {
        case 0:
            return Both(
                swift: left.swift == value,
                sql: value.isNull ? "(\(left.sql) IS NULL)" : "(\(left.sql) = \(literal))")
        case 1:
            return Both(
                swift: left.swift != value,
                sql: value.isNull ? "(\(left.sql) IS NOT NULL)" : "(\(left.sql) <> \(literal))")
        case 2: return Both(swift: left.swift < value, sql: "(\(left.sql) < \(literal))")
        case 3: return Both(swift: left.swift >= value, sql: "(\(left.sql) >= \(literal))")
        case 4: return Both(swift: left.swift == nil, sql: "(\(left.sql) IS NULL)")
        case 5: return Both(swift: left.swift != nil, sql: "(\(left.sql) IS NOT NULL)")
        case 6:
            let values = (0..<number(0...4)).map { _ in self.value() }.filter { !$0.isNull }
            let list = values.map(Self.literal).joined(separator: ", ")
            return Both(swift: values.contains(left.swift), sql: "(\(left.sql) IN (\(list)))")
        case 7:
            let low = number(-2...5)
            return Both(
                swift: (low...low + 4).contains(left.swift),
                sql: "(\(left.sql) BETWEEN \(low) AND \(low + 4))")
        case 8:
            let low = number(-2...5)
            return Both(
                swift: (low..<low + 4).contains(left.swift),
                sql: "(\(left.sql) >= \(low) AND \(left.sql) < \(low + 4))")
        case 9:
            // Not `id`: SQLite returns no rows for `LEFT JOIN … ON book.id LIKE 'a%'`, in all versions.
            let name = pick(columns[table]!)
            let pattern = pick(["a%", "%B%", "_", "%", "a!_c"])
            let escape = pattern.contains("!") ? "!" : nil
            return Both(
                swift: Column(name).like(pattern, escape: escape),
                sql:
                    "(%.\(Self.quoted(name)) LIKE '\(pattern.replacingOccurrences(of: "%", with: "\u{1}"))'"
                    + (escape == nil ? ")" : " ESCAPE '!')"))
        case 10:
            return Both(
                swift: left.swift.collating(.nocase) == "ABC",
                sql: "(\(left.sql) = 'ABC' COLLATE NOCASE)")
        case 11:
            let right = operand(table, 0)
            return Both(swift: left.swift == right.swift, sql: "(\(left.sql) = \(right.sql))")
        case 12:
            let right = operand(table, 0)
            return Both(swift: left.swift === right.swift, sql: "(\(left.sql) IS \(right.sql))")
        case 13:
            let inner = pick(["author", "book", "tag"])
            let name = column(inner)
            let part = condition(inner, 0)
            return Both(
                swift: Table(inner).filter(part.swift).select(Column(name)).contains(left.swift),
                sql:
                    "(\(left.sql) IN (SELECT s.\(Self.quoted(name)) FROM \(inner) s WHERE \(part.of("s"))))"
            )
        default:
            let inner = pick(["author", "book", "tag"])
            let aggregate = Bool.random(using: &random)
            let subquery = Table(inner).select(aggregate ? max(Column("id")) : count(Column("id")))
            return Both(
                swift: left.swift <= subquery,
                sql:
                    "(\(left.sql) <= (SELECT \(aggregate ? "max" : "count")(s.id) FROM \(inner) s))"
            )
        }
    }

    /// The same conditions, on columns with a type.
    private mutating func typedCondition(_ table: String) -> Both {
        let name = column(table)
        let sql = "%.\(Self.quoted(name))"
        let number = TypedColumn<Int?>(name)
        let key = TypedColumn<Int64>("id")
        // Not `id`, as for the conditions without types.
        let textName = pick(columns[table]!)
        let textSQL = "%.\(Self.quoted(textName))"
        let text = TypedColumn<String?>(textName)
        let real = TypedColumn<Double?>(name)
        let value = self.number(-2...12)
        switch self.number(0...14) {
        case 0: return Both(swift: number == value, sql: "(\(sql) = \(value))")
        case 1: return Both(swift: number != value, sql: "(\(sql) <> \(value))")
        case 2: return Both(swift: number < value, sql: "(\(sql) < \(value))")
        case 3: return Both(swift: real >= 1.5, sql: "(\(sql) >= 1.5)")
        case 4: return Both(swift: text == "abc", sql: "(\(textSQL) = 'abc')")
        case 5: return Both(swift: text == nil, sql: "(\(textSQL) IS NULL)")
        case 6: return Both(swift: text != nil, sql: "(\(textSQL) IS NOT NULL)")
        case 7: return Both(swift: number !== value, sql: "(\(sql) IS NOT \(value))")
        case 8:
            return Both(swift: [1, 2, value].contains(number), sql: "(\(sql) IN (1, 2, \(value)))")
        case 9:
            return Both(
                swift: (0...value.magnitude.asInt).contains(number),
                sql: "(\(sql) BETWEEN 0 AND \(value.magnitude))")
        case 10: return Both(swift: key <= Int64(value), sql: "(%.id <= \(value))")
        case 11: return Both(swift: text.like("a%"), sql: "(\(textSQL) LIKE 'a\u{1}')")
        case 12: return Both(swift: number + 1 > value, sql: "((\(sql) + 1) > \(value))")
        case 13:
            return Both(
                swift: (text ?? "none") == "none", sql: "(coalesce(\(textSQL), 'none') = 'none')")
        default: return Both(swift: number == key.sqlExpression, sql: "(\(sql) = %.id)")
        }
    }
}

extension UInt { fileprivate var asInt: Int { Int(self) } }
