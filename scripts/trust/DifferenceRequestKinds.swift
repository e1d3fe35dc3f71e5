import Foundation
import GRDB
import GRDBQueries

/// What a request has returned, and the SQL that returns the same.
struct RequestCase {
    var sql: [String]
    var isOrdered: Bool
    var fetch: (Database) throws -> [[DatabaseValue]]
}

private func flat(_ request: QueryInterfaceRequest<Row>) -> (Database) throws -> [[DatabaseValue]] {
    { db in try Row.fetchAll(db, request).map { Array($0.unadapted.databaseValues) } }
}

extension RequestMaker {
    /// A request, its `WHERE` clause included.
    private mutating func filtered(_ table: String, _ depth: Int = 2) -> (
        QueryInterfaceRequest<Row>, String
    ) {
        var request = Table(table).all()
        var conditions: [String] = []
        for _ in 0..<number(0...2) {
            let part = condition(table, depth)
            // The three forms of a filter.
            switch number(0...2) {
            case 0: request = request.filter(part.swift)
            case 1: request = request.filter(literal: "\(part.swift)")
            default: request = request.filterWhenConnected { _ in part.swift }
            }
            conditions.append(part.of("t"))
        }
        return (request, conditions.isEmpty ? "1" : conditions.joined(separator: " AND "))
    }

    /// A total order, and its SQL.
    private mutating func order(_ table: String, _ alias: String = "t") -> (
        [any SQLOrderingTerm], String
    ) {
        let name = column(table)
        let sql = "\(alias).\(Self.quoted(name))"
        let id = chance(50)
        let first: (any SQLOrderingTerm, String)
        switch number(0...4) {
        case 0: first = (Column(name), sql)
        case 1: first = (Column(name).desc, sql + " DESC")
        case 2: first = (Column(name).ascNullsLast, sql + " ASC NULLS LAST")
        case 3: first = (Column(name).collating(.nocase).desc, sql + " COLLATE NOCASE DESC")
        default: first = (TypedColumn<Int?>(name).asc, sql + " ASC")
        }
        return (
            [first.0, id ? Column("id") : Column("id").desc],
            "\(first.1), \(alias).id\(id ? "" : " DESC")"
        )
    }

    mutating func next() -> RequestCase {
        let table = pick(["author", "book", "tag"])
        let made: RequestCase
        switch number(0...19) {
        case 0, 1, 2: made = plain(table)
        case 3: made = selected(table)
        case 4: made = annotated(table)
        case 5: made = grouped(table)
        case 6: made = counted(table)
        case 7: made = compound(table)
        case 8, 9: made = joined()
        case 10, 11: made = prefetched()
        case 12: made = aggregated()
        case 13, 14: made = updated(table)
        case 15: made = deleted(table)
        case 16: made = keyed(table)
        case 17: made = common(table)
        case 18: made = through()
        default: made = correlated()
        }
        var result = made
        result.sql = made.sql.map { $0.replacingOccurrences(of: "\u{1}", with: "%") }
        return result
    }

    private mutating func plain(_ table: String) -> RequestCase {
        var (request, sql) = filtered(table)
        sql = "SELECT t.* FROM \(table) t WHERE \(sql)"
        guard chance(70) else {
            return RequestCase(sql: [sql], isOrdered: false, fetch: flat(request))
        }
        let (terms, order) = order(table)
        request = request.order(terms)
        sql += " ORDER BY \(order)"
        if chance(20) {
            request = request.reversed().reversed()
        }
        if chance(60) {
            let limit = number(0...5)
            let offset = chance(40) ? number(0...3) : nil
            request = request.limit(limit, offset: offset)
            sql += " LIMIT \(limit) OFFSET \(offset ?? 0)"
        }
        if chance(15) {
            return RequestCase(
                sql: ["SELECT * FROM (\(sql)) LIMIT 1"], isOrdered: true,
                fetch: { db in
                    try Row.fetchOne(db, request).map { [Array($0.databaseValues)] } ?? []
                })
        }
        return RequestCase(sql: [sql], isOrdered: true, fetch: flat(request))
    }

    private mutating func selected(_ table: String) -> RequestCase {
        let (request, condition) = filtered(table)
        let parts = (0..<number(1...4)).map { _ in operand(table, 2) }
        let distinct = chance(40)
        var made = request.select(parts.map(\.swift))
        // The representative of values that a collation makes equal depends on the plan.
        if distinct { made = request.select(parts.map { quote($0.swift) }).distinct() }
        let selection = parts.map { distinct ? "quote(\($0.of("t")))" : $0.of("t") }.joined(
            separator: ", ")
        return RequestCase(
            sql: [
                "SELECT \(distinct ? "DISTINCT " : "")\(selection) FROM \(table) t WHERE \(condition)"
            ],
            isOrdered: false, fetch: flat(made))
    }

    private mutating func annotated(_ table: String) -> RequestCase {
        let (request, condition) = filtered(table)
        let parts = (0..<number(1...3)).map { _ in operand(table, 2) }
        let made = request.annotated(
            with: parts.enumerated().map { $1.swift.forKey("extra \($0)\"") as any SQLSelectable })
        let selection = parts.map { $0.of("t") }.joined(separator: ", ")
        return RequestCase(
            sql: ["SELECT t.*, \(selection) FROM \(table) t WHERE \(condition)"], isOrdered: false,
            fetch: flat(made))
    }

    private mutating func grouped(_ table: String) -> RequestCase {
        let (request, condition) = filtered(table)
        let key = operand(table, 1)
        let minimum = number(0...3)
        let made = request.select(
            quote(key.swift), count(Column("id")), max(Column("id")), min(Column("id")),
            sum(Column("id")), average(Column("id")),
            total(Column("id")), count(distinct: quote(key.swift))
        )
        .group(quote(key.swift))
        .having(count(Column("id")) > minimum)
        let sql = """
            SELECT quote(\(key.of("t"))), count(t.id), max(t.id), min(t.id), sum(t.id), avg(t.id), total(t.id), \
            count(DISTINCT quote(\(key.of("t")))) \
            FROM \(table) t WHERE \(condition) GROUP BY quote(\(key.of("t"))) HAVING count(t.id) > \(minimum)
            """
        return RequestCase(sql: [sql], isOrdered: false, fetch: flat(made))
    }

    private mutating func counted(_ table: String) -> RequestCase {
        let (request, condition) = filtered(table)
        let limit = number(0...4)
        let offset = number(0...2)
        let part = operand(table, 1)
        switch number(0...5) {
        case 0:
            return RequestCase(
                sql: ["SELECT count(*) FROM \(table) t WHERE \(condition)"], isOrdered: true,
                fetch: { [[try request.fetchCount($0).databaseValue]] })
        case 1:
            return RequestCase(
                sql: ["SELECT NOT EXISTS (SELECT 1 FROM \(table) t WHERE \(condition))"],
                isOrdered: true,
                fetch: { [[try request.isEmpty($0).databaseValue]] })
        case 2:
            let made = request.limit(limit, offset: offset)
            return RequestCase(
                sql: [
                    "SELECT count(*) FROM (SELECT 1 FROM \(table) t WHERE \(condition) LIMIT \(limit) OFFSET \(offset))"
                ],
                isOrdered: true, fetch: { [[try made.fetchCount($0).databaseValue]] })
        case 3:
            let made = request.select(quote(part.swift)).distinct()
            return RequestCase(
                sql: [
                    "SELECT count(*) FROM (SELECT DISTINCT quote(\(part.of("t"))) FROM \(table) t WHERE \(condition))"
                ],
                isOrdered: true, fetch: { [[try made.fetchCount($0).databaseValue]] })
        case 4:
            let made = request.select(part.swift)
            return RequestCase(
                sql: ["SELECT count(*) FROM \(table) t WHERE \(condition)"],
                isOrdered: true, fetch: { [[try made.fetchCount($0).databaseValue]] })
        default:
            let made = request.select(max(Column("id"))).group(quote(part.swift))
            return RequestCase(
                sql: [
                    "SELECT count(*) FROM (SELECT 1 FROM \(table) t WHERE \(condition) GROUP BY quote(\(part.of("t"))))"
                ], isOrdered: true, fetch: { [[try made.fetchCount($0).databaseValue]] })
        }
    }

    private mutating func compound(_ table: String) -> RequestCase {
        let part = operand(table, 1)
        let (first, one) = filtered(table, 1)
        let (second, two) = filtered(table, 1)
        let left = first.select(quote(part.swift).forKey("k"), Column("id"))
        let right = second.select(quote(part.swift).forKey("k"), Column("id"))
        let kind = number(0...3)
        let name = ["UNION", "UNION ALL", "INTERSECT", "EXCEPT"][kind]
        var made: CompoundRequest<Row>
        switch kind {
        case 0: made = left.union(right)
        case 1: made = left.unionAll(right)
        case 2: made = left.intersect(right)
        default: made = left.except(right)
        }
        var sql =
            "SELECT quote(\(part.of("t"))) AS k, t.id AS i FROM \(table) t WHERE \(one) \(name) "
        sql += "SELECT quote(\(part.of("t"))), t.id FROM \(table) t WHERE \(two)"
        if chance(60) {
            let limit = number(0...6)
            made = made.order(Column("id").desc, Column("k")).limit(limit)
            sql += " ORDER BY i DESC, k LIMIT \(limit)"
            return RequestCase(
                sql: [sql], isOrdered: true,
                fetch: { db in try Row.fetchAll(db, made).map { Array($0.databaseValues) } })
        }
        if chance(40) {
            return RequestCase(
                sql: ["SELECT count(*) FROM (\(sql))"], isOrdered: true,
                fetch: { [[try made.fetchCount($0).databaseValue]] })
        }
        return RequestCase(
            sql: [sql], isOrdered: false,
            fetch: { db in try Row.fetchAll(db, made).map { Array($0.databaseValues) } })
    }

    /// The kinds of joins of books with authors, or of tags with books and authors.
    private mutating func joined() -> RequestCase {
        let other = condition("author", 1)
        let own = condition("book", 1)
        let filtersOther = chance(50)
        let association = filtersOther ? Book.author.filter(other.swift) : Book.author
        let on = "a.id = b.authorId" + (filtersOther ? " AND \(other.of("a"))" : "")
        let base = Book.filter(own.swift)
        switch number(0...6) {
        case 0:
            return RequestCase(
                sql: ["SELECT b.*, a.* FROM book b JOIN author a ON \(on) WHERE \(own.of("b"))"],
                isOrdered: false,
                fetch: flat(base.including(required: association).asRequest(of: Row.self)))
        case 1:
            return RequestCase(
                sql: [
                    "SELECT b.*, a.* FROM book b LEFT JOIN author a ON \(on) WHERE \(own.of("b"))"
                ], isOrdered: false,
                fetch: flat(base.including(optional: association).asRequest(of: Row.self)))
        case 2:
            return RequestCase(
                sql: ["SELECT b.* FROM book b JOIN author a ON \(on) WHERE \(own.of("b"))"],
                isOrdered: false,
                fetch: flat(base.joining(required: association).asRequest(of: Row.self)))
        case 3:
            let alias = TableAlias()
            let name = column("author")
            return RequestCase(
                sql: [
                    "SELECT b.*, a.\(Self.quoted(name)) FROM book b LEFT JOIN author a ON \(on) "
                        + "WHERE \(own.of("b")) AND (a.\(Self.quoted(name)) IS NULL OR a.id > 2)"
                ],
                isOrdered: false,
                fetch: flat(
                    base.joining(optional: association.aliased(alias))
                        .annotated(with: alias[Column(name)].forKey("other"))
                        .filter(alias[Column(name)] == nil || alias[Column("id")] > 2).asRequest(
                            of: Row.self)))
        case 4:
            let tag = condition("tag", 1)
            let request = Tag.filter(tag.swift)
                .including(required: Tag.book.filter(own.swift).including(optional: association))
            return RequestCase(
                sql: [
                    "SELECT t.*, b.*, a.* FROM tag t JOIN book b ON b.id = t.bookId AND \(own.of("b")) "
                        + "LEFT JOIN author a ON \(on) WHERE \(tag.of("t"))"
                ], isOrdered: false, fetch: flat(request.asRequest(of: Row.self)))
        case 5:
            let request = Author.filter(other.swift).joining(
                required: Author.books.filter(own.swift))
            return RequestCase(
                sql: [
                    "SELECT count(*) FROM author a JOIN book b ON b.authorId = a.id AND \(own.of("b")) WHERE \(other.of("a"))"
                ],
                isOrdered: true, fetch: { [[try request.fetchCount($0).databaseValue]] })
        default:
            let names = ["id", column("author")]
            let selection = names.map { "a.\(Self.quoted($0))" }.joined(separator: ", ")
            return RequestCase(
                sql: [
                    "SELECT b.*, \(selection) FROM book b LEFT JOIN author a ON \(on) WHERE \(own.of("b"))"
                ],
                isOrdered: false,
                fetch: flat(
                    base.including(
                        optional: association.select(names.map { Column($0) as any SQLSelectable })
                    )
                    .asRequest(of: Row.self)))
        }
    }

    private mutating func prefetched() -> RequestCase {
        let own = condition("author", 1)
        let inner = condition("book", 1)
        let (terms, order) = order("author", "p")
        let limit = chance(40) ? number(0...4) : 1000
        let descending = chance(50)
        let request = Author.filter(own.swift).order(terms).limit(limit)
            .including(
                all: Author.books.filter(inner.swift).order(
                    descending ? Column("id").desc : Column("id").asc)
            )
            .asRequest(of: Row.self)
        let names = ["id", "authorId", "pages"] + columns["book"]!
        let selection = names.map { "b.\(Self.quoted($0))" }.joined(separator: ", ")
        let parents =
            "SELECT p.* FROM author p WHERE \(own.of("p")) ORDER BY \(order) LIMIT \(limit)"
        return RequestCase(
            sql: [
                parents,
                "SELECT \(selection) FROM (\(parents)) p JOIN book b ON b.authorId = p.id "
                    + "WHERE \(inner.of("b")) ORDER BY \(order), b.id\(descending ? " DESC" : "")",
            ],
            isOrdered: true,
            fetch: { db in
                let rows = try Row.fetchAll(db, request)
                var children: [[DatabaseValue]] = []
                for row in rows {
                    for child in row.prefetchedRows["books"] ?? [] {
                        children.append(names.map { child[$0] as DatabaseValue })
                    }
                }
                return rows.map { Array($0.databaseValues) } + children
            })
    }

    private mutating func aggregated() -> RequestCase {
        let own = condition("author", 1)
        let inner = condition("book", 0)
        let books = Author.books.filter(inner.swift)
        let source = "FROM author a WHERE \(own.of("a"))"
        let of = "FROM book b WHERE b.authorId = a.id AND \(inner.of("b"))"
        let base = Author.filter(own.swift)
        let minimum = number(0...3)
        switch number(0...4) {
        case 0:
            return RequestCase(
                sql: ["SELECT a.*, (SELECT count(*) \(of)) \(source)"], isOrdered: false,
                fetch: flat(base.annotated(with: books.count).asRequest(of: Row.self)))
        case 1:
            return RequestCase(
                sql: [
                    "SELECT a.*, (SELECT max(b.pages) \(of)), (SELECT min(b.pages) \(of)), (SELECT sum(b.pages) \(of)), "
                        + "(SELECT avg(b.pages) \(of)), (SELECT total(b.pages) \(of)) \(source)"
                ], isOrdered: false,
                fetch: flat(
                    base.annotated(
                        with: books.max(Column("pages")), books.min(Column("pages")),
                        books.sum(Column("pages")),
                        books.average(Column("pages")), books.total(Column("pages"))
                    ).asRequest(of: Row.self)))
        case 2:
            return RequestCase(
                sql: ["SELECT a.* \(source) AND (SELECT count(*) \(of)) > \(minimum)"],
                isOrdered: false,
                fetch: flat(base.having(books.count > minimum).asRequest(of: Row.self)))
        case 3:
            return RequestCase(
                sql: ["SELECT a.* \(source) AND NOT EXISTS (SELECT 1 \(of))"], isOrdered: false,
                fetch: flat(base.having(books.isEmpty).asRequest(of: Row.self)))
        default:
            return RequestCase(
                sql: [
                    "SELECT count(*) FROM (SELECT 1 \(source) AND (SELECT count(*) \(of)) = \(minimum))"
                ],
                isOrdered: true,
                fetch: { [[try base.having(books.count == minimum).fetchCount($0).databaseValue]] })
        }
    }

    private mutating func limited(_ table: String) -> (QueryInterfaceRequest<Row>, String) {
        let (request, condition) = filtered(table)
        guard chance(25) else { return (request, condition) }
        let (terms, order) = order(table)
        let limit = number(0...4)
        return (
            request.order(terms).limit(limit),
            "t.id IN (SELECT t.id FROM \(table) t WHERE \(condition) ORDER BY \(order) LIMIT \(limit))"
        )
    }

    private mutating func updated(_ table: String) -> RequestCase {
        let (request, condition) = limited(table)
        let name = pick(columns[table]!)
        let part = operand(table, 1)
        let value = self.value()
        let assignments: [ColumnAssignment]
        let sets: String
        let quotedName = Self.quoted(name)
        switch number(0...3) {
        case 0:
            (assignments, sets) = (
                [Column(name).set(to: value)], "\(quotedName) = \(Self.literal(value))"
            )
        case 1:
            (assignments, sets) = (
                [Column(name).set(to: part.swift)], "\(quotedName) = \(part.of("t"))"
            )
        case 2: (assignments, sets) = ([Column(name) += 2], "\(quotedName) = t.\(quotedName) + 2")
        default: (assignments, sets) = ([TypedColumn<Int?>(name).set(to: 7)], "\(quotedName) = 7")
        }
        return RequestCase(
            sql: [
                "UPDATE \(table) AS t SET \(sets) WHERE \(condition)", "SELECT changes()",
                "SELECT * FROM \(table) ORDER BY id",
            ],
            isOrdered: true,
            fetch: { db in
                let count = try request.updateAll(db, assignments)
                return [[count.databaseValue]]
                    + (try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id")).map {
                        Array($0.databaseValues)
                    }
            })
    }

    private mutating func deleted(_ table: String) -> RequestCase {
        let (request, condition) = limited(table)
        return RequestCase(
            sql: [
                "DELETE FROM \(table) AS t WHERE \(condition)", "SELECT changes()",
                "SELECT * FROM \(table) ORDER BY id",
            ],
            isOrdered: true,
            fetch: { db in
                let count = try request.deleteAll(db)
                return [[count.databaseValue]]
                    + (try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id")).map {
                        Array($0.databaseValues)
                    }
            })
    }

    private mutating func keyed(_ table: String) -> RequestCase {
        let keys = (0..<number(0...6)).map { _ in number(-1...9) }
        let (request, condition) = filtered(table, 1)
        if chance(40) {
            let key = number(0...9)
            return RequestCase(
                sql: ["SELECT t.* FROM \(table) t WHERE \(condition) AND t.id = \(key)"],
                isOrdered: false,
                fetch: flat(request.filter(key: key)))
        }
        let list = keys.map(String.init).joined(separator: ", ")
        return RequestCase(
            sql: ["SELECT t.* FROM \(table) t WHERE \(condition) AND t.id IN (\(list))"],
            isOrdered: false,
            fetch: flat(request.filter(keys: keys)))
    }

    private mutating func common(_ table: String) -> RequestCase {
        let (request, condition) = filtered(table, 1)
        let after = self.condition(table, 1)
        let name = pick(["cte", "a \"b\" c", "x\"(a); DROP TABLE v; --"])
        let cte = CommonTableExpression<Row>(named: name, request: request)
        return RequestCase(
            sql: [
                "WITH c AS (SELECT t.* FROM \(table) t WHERE \(condition)) SELECT * FROM c WHERE \(after.of("c"))"
            ], isOrdered: false, fetch: flat(cte.all().with(cte).filter(after.swift)))
    }

    private mutating func through() -> RequestCase {
        let own = condition("author", 1)
        let inner = condition("tag", 1)
        if chance(50) {
            let request = Author.filter(own.swift).joining(
                required: Author.tags.filter(inner.swift)
            )
            .asRequest(of: Row.self)
            return RequestCase(
                sql: [
                    "SELECT a.* FROM author a JOIN book b ON b.authorId = a.id JOIN tag t ON t.bookId = b.id "
                        + "AND \(inner.of("t")) WHERE \(own.of("a"))"
                ], isOrdered: false, fetch: flat(request))
        }
        let request = Author.filter(own.swift).order(Column("id"))
            .including(all: Author.tags.filter(inner.swift).order(Column("id")).forKey("tags"))
            .asRequest(of: Row.self)
        return RequestCase(
            sql: [
                "SELECT a.* FROM author a WHERE \(own.of("a")) ORDER BY a.id",
                "SELECT t.id, t.bookId, t.label FROM author a JOIN book b ON b.authorId = a.id "
                    + "JOIN tag t ON t.bookId = b.id WHERE \(own.of("a")) AND \(inner.of("t")) ORDER BY a.id, t.id",
            ], isOrdered: true,
            fetch: { db in
                let rows = try Row.fetchAll(db, request)
                let children = rows.flatMap { $0.prefetchedRows["tags"] ?? [] }
                return rows.map { Array($0.databaseValues) }
                    + children.map { child in
                        ["id", "bookId", "label"].map { child[$0] as DatabaseValue }
                    }
            })
    }

    private mutating func correlated() -> RequestCase {
        let inner = condition("book", 0)
        let own = condition("author", 1)
        let author = TableAlias(name: "w \"x")
        let subquery = Table("book").filter(Column("authorId") == author[Column("id")]).filter(
            inner.swift)
        let base = Table("author").aliased(author).filter(own.swift)
        if chance(50) {
            return RequestCase(
                sql: [
                    "SELECT a.* FROM author a WHERE \(own.of("a")) AND EXISTS (SELECT 1 FROM book b "
                        + "WHERE b.authorId = a.id AND \(inner.of("b")))"
                ], isOrdered: false, fetch: flat(base.filter(subquery.exists())))
        }
        return RequestCase(
            sql: [
                "SELECT a.*, (SELECT max(b.pages) FROM book b WHERE b.authorId = a.id AND \(inner.of("b"))) "
                    + "FROM author a WHERE \(own.of("a"))"
            ], isOrdered: false,
            fetch: flat(
                base.annotated(with: [
                    subquery.select(max(Column("pages"))).sqlExpression.forKey("most")
                ])))
    }
}

/// Writes databases, requests, their SQL and their rows: FIRST SEED, COUNT of databases, requests of each, and the file.
func runDifferenceRequests(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 4, let first = UInt64(arguments[0]), let count = UInt64(arguments[1]),
        let requests = Int(arguments[2]), let output = FileHandle(forWritingAtPath: arguments[3])
    else { throw Failed("usage: trust requests SEED COUNT REQUESTS OUTPUT") }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    for seed in first..<first + count {
        var maker = RequestMaker(seed: seed)
        let schema = maker.schema()
        let queue = try DatabaseQueue(configuration: configuration)
        var results = ByteWriter()
        results.texts(schema)
        results.integer(requests)
        try queue.writeWithoutTransaction { db in
            for statement in schema { try db.execute(sql: statement) }
            for _ in 0..<requests {
                let made = maker.next()
                results.texts(made.sql)
                results.integer(made.isOrdered ? 1 : 0)
                do {
                    try db.beginTransaction()
                    let rows = try made.fetch(db)
                    results.integer(rows.count)
                    for row in rows { results.row(row) }
                } catch let error as DatabaseError {
                    results.integer(-1)
                    results.integer(Int(error.extendedResultCode.rawValue))
                    results.row([(error.description).databaseValue])
                }
                if db.isInsideTransaction { try db.rollback() }
            }
        }
        try queue.close()
        try output.write(contentsOf: results.bytes)
    }
    try output.close()
}

extension ByteWriter {
    fileprivate mutating func texts(_ texts: [String]) {
        integer(texts.count)
        for text in texts { row([text.databaseValue]) }
    }

    fileprivate mutating func row(_ values: [DatabaseValue]) {
        var part = ByteWriter()
        for value in values { part.value(value) }
        integer(part.bytes.count)
        append(part)
    }
}
