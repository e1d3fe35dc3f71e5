import GRDBTestSupport
import Testing

@testable import GRDB

/// Builds random schemas, reads them back, and compares. A negated condition in the sources shows in
/// at least one table of forty.
@Suite struct RandomSchemaTests {
    @Test(arguments: 0..<4)
    func schemasAreReadBackAsTheyWereBuilt(part: Int) throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.create(table: "parent") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "country") { $0.primaryKey("code", .text) }
            try db.create(table: "pair") { t in
                t.primaryKey {
                    t.column("a", .text)
                    t.column("b", .integer)
                }
            }
            for round in 0..<40 {
                // Creates some tables, reads them, and forgets them.
                let first = part * 200 + round * 5
                try db.inSavepoint {
                    var tables: [RandomTable] = []
                    for seed in first..<first + 5 {
                        var generator = SchemaGenerator(seed: seed)
                        tables.append(generator.makeTable())
                        do {
                            try tables.last?.create(db)
                        } catch {
                            Issue.record("seed \(seed): \(error)")
                        }
                    }
                    for (index, table) in tables.enumerated() {
                        let problems = try table.differences(db)
                        if !problems.isEmpty {
                            Issue.record("seed \(first + index): \(problems)")
                        }
                    }
                    return .rollback
                }
            }
            try expectTrue(db.schemaObjects(ofType: .view).isEmpty)
            try expectTrue(db.schemaObjects(ofType: .table, in: "temp").isEmpty)
        }
    }
}

/// What a table should be.
private struct RandomTable {
    struct Column {
        var name: String
        var type: Database.ColumnType?
        var notNull: Database.ConflictResolution??
        var isUnique = false
        var isIndexed = false
        var check: String?
        var defaultValue: DatabaseValue?
        var collation: Database.CollationName?
        var generation: ColumnDefinition.GeneratedColumnQualification?
        var reference: Reference?
    }

    struct Reference {
        var table: String
        var columns: [String]
        var deleteAction: Database.ForeignKeyAction?
        var updateAction: Database.ForeignKeyAction?
        var isDeferred = false
    }

    enum PrimaryKey {
        case none
        case autoincrement
        case integer
        case text
        /// Existing columns, by their index.
        case constraint([Int])
        /// The first columns, in a closure.
        case closure(Int)
    }

    struct BelongsTo {
        var name: String
        var table: String
        var isNotNull: Bool
        var isUnique: Bool
        var reference: Reference
    }

    var name: String
    var options: TableOptions
    var keyName: String
    var primaryKey: PrimaryKey
    var columns: [Column]
    var uniqueKeys: [[Int]]
    var check: String?
    var foreignKey: (columns: [Int], reference: Reference)?
    var belongsTo: BelongsTo?

    // MARK: - Building

    func create(_ db: Database) throws {
        try db.create(table: name, options: options) { t in
            var columns = columns[...]
            switch primaryKey {
            case .autoincrement: t.autoIncrementedPrimaryKey(keyName)
            case .integer: t.primaryKey(keyName, .integer, onConflict: .replace)
            case .text: t.column(keyName, .text).primaryKey(onConflict: .fail)
            case .closure(let count):
                t.primaryKey {
                    for column in columns.prefix(count) { define(column, t) }
                }
                columns = columns.dropFirst(count)
            case .constraint(let indexes):
                t.primaryKey(indexes.map { self.columns[$0].name })
            case .none: break
            }
            for column in columns { define(column, t) }
            for key in uniqueKeys { t.uniqueKey(key.map { self.columns[$0].name }) }
            if let check { t.check(SQL("\(check) IS NOT \(GRDB.Column(self.columns[0].name))")) }
            if let (columns, reference) = foreignKey {
                t.foreignKey(
                    columns.map { self.columns[$0].name }, references: reference.table,
                    columns: reference.columns, onDelete: reference.deleteAction,
                    onUpdate: reference.updateAction, deferred: reference.isDeferred)
            }
            if let belongsTo {
                let definition = t.belongsTo(
                    belongsTo.name, inTable: belongsTo.table,
                    onDelete: belongsTo.reference.deleteAction,
                    onUpdate: belongsTo.reference.updateAction)
                if belongsTo.isNotNull { definition.notNull() }
                if belongsTo.isUnique { definition.unique() }
            }
        }
    }

    private func define(_ column: Column, _ t: TableDefinition) {
        let definition = t.column(column.name, column.type)
        if let conflict = column.notNull { definition.notNull(onConflict: conflict) }
        if column.isUnique { definition.unique() }
        if column.isIndexed { definition.indexed() }
        if let check = column.check { definition.check { SQL("\($0) <> \(check)") } }
        if let value = column.defaultValue { definition.defaults(to: value) }
        if let collation = column.collation { definition.collate(collation) }
        if let generation = column.generation { definition.generatedAs(sql: "1", generation) }
        if let reference = column.reference {
            definition.references(
                reference.table, onDelete: reference.deleteAction,
                onUpdate: reference.updateAction, deferred: reference.isDeferred)
        }
    }

    // MARK: - Reading back

    private var hasKeyColumn: Bool {
        switch primaryKey {
        case .autoincrement, .integer, .text: true
        default: false
        }
    }

    private var keyColumns: [String] {
        switch primaryKey {
        case .autoincrement, .integer, .text: [keyName]
        case .constraint(let indexes): indexes.map { columns[$0].name }
        case .closure(let count): columns.prefix(count).map(\.name)
        case .none: []
        }
    }

    private var belongsToColumns: [String] {
        belongsTo.map { belongsTo in
            belongsTo.reference.columns.map { belongsTo.name + $0.uppercased(prefix: 1) }
        } ?? []
    }

    func differences(_ db: Database) throws -> [String] {
        var problems: [String] = []
        func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
            if !condition { problems.append(message()) }
        }

        let schema = options.contains(.temporary) ? "temp" : "main"
        expect(try db.tableExists(name, in: schema), "exists")

        // Columns
        let infos = try db.columns(in: name)
        let names = (hasKeyColumn ? [keyName] : []) + columns.map(\.name) + belongsToColumns
        expect(infos.map(\.name) == names, "names: \(infos.map(\.name)) instead of \(names)")
        guard problems.isEmpty else { return problems }
        let isWithoutRowID = options.contains(.withoutRowID)
        for (column, info) in zip(columns, infos.dropFirst(hasKeyColumn ? 1 : 0)) {
            expect(info.type == column.type?.rawValue ?? "", "type of \(column)")
            let keyIndex = keyColumns.firstIndex(of: column.name).map { $0 + 1 } ?? 0
            expect(info.primaryKeyIndex == keyIndex, "key index of \(column)")
            // SQLite makes the keys of these tables NOT NULL on its own, but for the rowid.
            let isRowID = keyColumns.count == 1 && column.type == .integer
            let isKeyNotNull = isWithoutRowID || options.contains(.strict) && !isRowID
            var isNotNull = column.notNull != nil || isKeyNotNull && keyIndex > 0
            if case .closure = primaryKey, keyIndex > 0 { isNotNull = true }
            expect(info.isNotNull == isNotNull, "NOT NULL of \(column)")
            let isGenerated = column.generation != nil
            expect(info.isGenerated == isGenerated, "generation of \(column)")
            expect(info.isStored == (column.generation != .virtual), "generation of \(column)")
            let literal = column.defaultValue.map(\.sqlLiteral)
            expect(info.defaultValueSQL == literal, "default of \(column)")
        }
        if let belongsTo {
            for info in infos.suffix(belongsToColumns.count) {
                expect(info.isNotNull == belongsTo.isNotNull, "NOT NULL of \(info.name)")
            }
        }

        // Keys
        let key = try db.primaryKey(name)
        // Without a declared key, it is the rowid, under a name that no column has taken.
        let rowIDNames = ["rowid", "oid", "_rowid_"].filter { name in
            !names.contains { ASCIICase.equal($0, name) }
        }
        let expectedKey = keyColumns.isEmpty ? Array(rowIDNames.prefix(1)) : keyColumns
        expect(key.columns == expectedKey, "key \(key)")
        expect(key.tableHasRowID == !isWithoutRowID, "rowid")
        switch primaryKey {
        case .autoincrement, .integer:
            expect(key.rowIDColumn == (isWithoutRowID ? nil : keyName), "rowid column")
        case .none:
            expect(key.isRowID && key.rowIDColumn == nil, "hidden rowid")
        default:
            expect(key.rowIDColumn == nil || keyColumns.count == 1, "rowid column")
        }
        var uniqueColumns = uniqueKeys.map { $0.map { columns[$0].name } }
        uniqueColumns += columns.filter(\.isUnique).map { [$0.name] }
        if belongsTo?.isUnique == true { uniqueColumns.append(belongsToColumns) }
        for columns in uniqueColumns {
            expect(try db.table(name, hasUniqueKey: columns), "unique \(columns)")
        }

        // Indexes
        var indexes = columns.filter { $0.isIndexed && !$0.isUnique }
            .map { ("\(name)_on_\($0.name)", [$0.name]) }
        if let belongsTo, !belongsTo.isUnique || belongsToColumns.count > 1 {
            let prefix = belongsToColumns.count > 1 ? "index_" : ""
            let suffix = belongsToColumns.joined(separator: "_")
            indexes.append(("\(prefix)\(name)_on_\(suffix)", belongsToColumns))
        }
        let created = try db.indexes(on: name).filter { $0.origin == .createIndex }
        expect(
            Set(created.map(\.name)) == Set(indexes.map(\.0)), "indexes \(created.map(\.name))")
        for (name, columns) in indexes {
            expect(created.first { $0.name == name }?.columns == columns, "index \(name)")
        }

        // Foreign keys
        var references = columns.compactMap { column in
            column.reference.map { ([column.name], $0) }
        }
        if let (columns, reference) = foreignKey {
            references.append((columns.map { self.columns[$0].name }, reference))
        }
        if let belongsTo { references.append((belongsToColumns, belongsTo.reference)) }
        let expected = references.map { Self.describe($0.0, $0.1) }.sorted()
        let found = try db.foreignKeys(on: name).map { foreignKey in
            Self.describe(
                foreignKey.originColumns,
                Reference(
                    table: foreignKey.destinationTable, columns: foreignKey.destinationColumns,
                    deleteAction: foreignKey.deleteAction, updateAction: foreignKey.updateAction))
        }.sorted()
        expect(found == expected, "foreign keys \(found) instead of \(expected)")

        // What no pragma tells
        let sql =
            try db.schemaObjects(ofType: .table, in: schema)
            .first { $0.name == name }?.sql ?? ""
        for check in columns.compactMap(\.check) + (check.map { [$0] } ?? []) {
            expect(sql.contains(check.databaseValue.sqlLiteral), "check \(check)")
        }
        for collation in columns.compactMap(\.collation) {
            expect(sql.contains("COLLATE \(collation.rawValue)"), "collation \(collation)")
        }
        return problems
    }

    private static func describe(_ columns: [String], _ reference: Reference) -> String {
        let actions = [reference.deleteAction, reference.updateAction]
        return "\(columns) \(reference.table)\(reference.columns) \(actions.map { $0?.rawValue })"
    }
}

extension String {
    fileprivate func uppercased(prefix count: Int) -> String {
        prefix(count).uppercased() + dropFirst(count)
    }
}

/// Makes random tables. The same seed always gives the same table.
private struct SchemaGenerator {
    private var random: SplitMix64

    /// The names that are taken.
    private var names: Set<String> = []

    /// The seed is a part of all names, so that they differ from those of other tables.
    private let suffix: String

    init(seed: Int) {
        random = SplitMix64(seed: UInt64(seed))
        suffix = String(seed, radix: 36)
        // Not one after the other, or all would begin alike.
        for _ in 0..<4 { _ = random.next() }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values.randomElement(using: &random)!
    }

    private static let fragments = [
        "\"", "\"\"", "'", "`", "[", "]", " ", ".", ";", "--", "/*", "*/", "é", "日本", "😀", "\n",
        "\t", "%", "?", ":a", "@", "$1", "\\", "(", ")", ",", "select", "TABLE", "order", "a", "B",
        "_", "0", "1e5", "NULL", "rowid", "main", "temp", "\u{0301}", "\u{200d}", "x'", "||",
    ]

    /// A table name of odd characters, other than those of other generators.
    private mutating func makeTableName() -> String {
        makeName() + suffix + pick(Self.fragments)
    }

    /// A name of odd characters, other than those before, also for SQLite.
    private mutating func makeName() -> String {
        while true {
            let count = Int.random(in: 1...3, using: &random)
            let name = (0..<count).map { _ in pick(Self.fragments) }.joined()
            guard names.insert(ASCIICase.lowercased(name)).inserted else { continue }
            return name
        }
    }

    private mutating func makeAction() -> Database.ForeignKeyAction? {
        chance(50) ? pick([.cascade, .restrict, .setNull, .setDefault]) : nil
    }

    private mutating func makeReference(
        _ table: String, _ columns: [String]
    ) -> RandomTable.Reference {
        RandomTable.Reference(
            table: table, columns: columns, deleteAction: makeAction(),
            updateAction: makeAction(), isDeferred: chance(30))
    }

    private mutating func makeColumn(_ options: TableOptions) -> RandomTable.Column {
        let isStrict = options.contains(.strict)
        let types: [Database.ColumnType] =
            isStrict
            ? [.text, .integer, .real, .blob, .any]
            : [
                .text, .integer, .double, .real, .numeric, .boolean, .blob, .date, .datetime, .any,
                .init(rawValue: "VARCHAR(10)"), .init(rawValue: "DECIMAL(10, 2)"),
            ]
        var column = RandomTable.Column(
            name: makeName(), type: isStrict || chance(80) ? pick(types) : nil)
        if chance(30) {
            column.notNull = chance(70) ? .some(nil) : .some(pick([.ignore, .replace, .fail]))
        }
        column.isUnique = chance(15)
        column.isIndexed = chance(15)
        if chance(15) { column.check = makeName() }
        if chance(15) { column.collation = pick([.nocase, .rtrim, .binary]) }
        if chance(15) {
            column.reference =
                chance(50)
                ? makeReference("parent", ["id"]) : makeReference("country", ["code"])
        }
        if chance(20) {
            column.defaultValue = pick([
                1.databaseValue, (-1).databaseValue, Int64.min.databaseValue, 1.5.databaseValue,
                "it's".databaseValue, makeName().databaseValue, DatabaseValue.null,
                "".databaseValue,
            ])
        }
        return column
    }

    mutating func makeTable() -> RandomTable {
        var options: TableOptions = []
        if chance(20) { options.insert(.temporary) }
        if chance(10) { options.insert(.ifNotExists) }
        if chance(15) { options.insert(.strict) }
        let name = makeTableName()
        let keyName = makeName()
        var columns = (0..<Int.random(in: 1...4, using: &random)).map { _ in makeColumn(options) }

        let primaryKey: RandomTable.PrimaryKey =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .none
            case 1: .autoincrement
            case 2: .integer
            case 3: .text
            case 4:
                .constraint(
                    Array(
                        columns.indices.shuffled(using: &random)
                            .prefix(Int.random(in: 1...3, using: &random))))
            default: .closure(Int.random(in: 1...columns.count, using: &random))
            }
        switch primaryKey {
        case .none, .autoincrement: break
        default: if chance(30) { options.insert(.withoutRowID) }
        }

        // Generated columns can't be in a primary key, and there must be another column.
        var keyIndexes: Set<Int> = [0]
        switch primaryKey {
        case .constraint(let indexes): keyIndexes.formUnion(indexes)
        case .closure(let count): keyIndexes.formUnion(0..<count)
        default: break
        }
        for index in columns.indices where !keyIndexes.contains(index) && chance(20) {
            columns[index].generation = pick([.virtual, .stored])
            columns[index].defaultValue = nil
        }

        var table = RandomTable(
            name: name, options: options, keyName: keyName, primaryKey: primaryKey,
            columns: columns, uniqueKeys: [])
        if chance(30) {
            table.uniqueKeys.append(
                Array(columns.indices.shuffled(using: &random).prefix(2)))
        }
        if chance(20) { table.check = makeName() }
        // A table of the temp schema finds the keys, too, where they are.
        if columns.count > 1, chance(20) {
            table.foreignKey = ([1, 0], makeReference("pair", ["a", "b"]))
        }
        if chance(30) {
            let (destination, keys): (String, [String]) = pick([
                ("parent", ["id"]), ("country", ["code"]), ("pair", ["a", "b"]),
            ])
            let reference = makeReference(destination, keys)
            table.belongsTo = RandomTable.BelongsTo(
                // Its columns must not be among the others.
                name: makeName() + "Ref", table: destination, isNotNull: chance(50),
                isUnique: chance(30),
                reference: reference)
        }
        return table
    }
}
