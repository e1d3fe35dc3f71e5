import GRDB
import GRDBTestSupport
import Testing

/// The order of callbacks, and what they may do wrong.
@Suite(.databases) struct PersistenceCallbackTests {
    /// A record that logs its callbacks.
    private struct Chatty: MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "player"

        var id: Int64?
        var name: String
        var log = Log<String>()
        var failure: String?

        init(id: Int64?, name: String) {
            self.id = id
            self.name = name
        }

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }

        private func add(_ event: String) { log.append(event) }

        private func check(_ callback: String) throws {
            add(callback)
            if failure == callback { throw TestError(callback) }
        }

        func willSave(_ db: Database) throws { try check("willSave") }

        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            try check("aroundSave")
            let saved = try save()
            add("aroundSave \(saved.persistenceContainer["id"]!)")
        }

        func didSave(_ saved: PersistenceSuccess) { add("didSave") }

        mutating func willInsert(_ db: Database) throws { try check("willInsert") }

        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            try check("aroundInsert")
            let inserted = try insert()
            add("aroundInsert \(inserted.rowIDColumn ?? "nil")")
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
            add("didInsert \(inserted.persistenceContainer.map { "\($0.0)=\($0.1)" })")
        }

        func willUpdate(_ db: Database, columns: Set<String>) throws {
            try check("willUpdate")
            add("\(columns.sorted())")
        }

        func aroundUpdate(
            _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
        ) throws {
            try check("aroundUpdate")
            _ = try update()
            add("aroundUpdate")
        }

        func didUpdate(_ updated: PersistenceSuccess) { add("didUpdate") }

        func willDelete(_ db: Database) throws { try check("willDelete") }

        func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
            try check("aroundDelete")
            try add("aroundDelete \(delete())")
        }

        func didDelete(deleted: Bool) { add("didDelete \(deleted)") }
    }

    private static let insertion = [
        "willSave", "aroundSave", "willInsert", "aroundInsert", "aroundInsert id",
    ]
    private static let update = [
        "willSave", "aroundSave", "willUpdate", "[\"id\", \"name\", \"score\"]", "aroundUpdate",
        "aroundUpdate", "didUpdate", "aroundSave 1", "didSave",
    ]

    @Test func insert() throws {
        try RecordTables.write { db in
            for id in 1...3 {
                var record = Chatty(id: nil, name: "\(id)")
                try record.insert(db)
                expectEqual(
                    record.log.elements,
                    Self.insertion + [
                        "didInsert [\"id=\(id)\", \"name=\\\"\(id)\\\"\"]", "aroundSave \(id)",
                        "didSave",
                    ])
            }
            var record = Chatty(id: nil, name: "4")
            _ = try record.insertAndFetch(db, as: Chatty.self)
            expectEqual(record.id, 4)
            expectEqual(record.log.elements.count, 8)
            let constant = Chatty(id: nil, name: "5")
            try expectEqual(constant.insertAndFetch(db).id, 5)
            expectEqual(constant.id, nil)
        }
    }

    @Test func upsert() throws {
        try RecordTables.write { db in
            for _ in 0..<2 {
                var record = Chatty(id: nil, name: "a")
                try record.upsert(db)
                expectEqual(
                    record.log.elements,
                    Self.insertion + [
                        "didInsert [\"id=1\", \"name=\\\"a\\\"\"]", "aroundSave 1", "didSave",
                    ])
            }
        }
    }

    @Test func update() throws {
        try RecordTables.write { db in
            let record = try Chatty(id: 1, name: "a").inserted(db)
            for _ in 0..<3 {
                record.log.removeAll()
                try record.update(db)
                expectEqual(record.log.elements, Self.update)
            }
            record.log.removeAll()
            try record.update(db, columns: ["name", "nope"])
            expectEqual(record.log.elements[3], "[\"name\", \"nope\"]")
        }
    }

    @Test func save() throws {
        try RecordTables.write { db in
            var record = Chatty(id: 1, name: "a")
            try record.save(db)
            expectEqual(
                record.log.elements,
                [
                    "willSave", "aroundSave", "willUpdate", "[\"id\", \"name\", \"score\"]",
                    "aroundUpdate", "willInsert", "aroundInsert", "aroundInsert id",
                    "didInsert [\"id=1\", \"name=\\\"a\\\"\"]", "aroundSave 1", "didSave",
                ])
            record.log.removeAll()
            try record.save(db)
            expectEqual(record.log.elements, Self.update)
            record.log.removeAll()
            record.id = nil
            record.name = "b"
            try record.save(db)
            expectEqual(Array(record.log.elements.prefix(5)), Self.insertion)
        }
    }

    @Test func delete() throws {
        try RecordTables.write { db in
            let record = try Chatty(id: 1, name: "a").inserted(db)
            record.log.removeAll()
            try record.delete(db)
            expectEqual(
                record.log.elements,
                [
                    "willDelete", "aroundDelete", "aroundDelete true", "didDelete true",
                ])
        }
    }

    @Test func unchangedRecordsCallNothing() throws {
        try RecordTables.write { db in
            var record = try Chatty(id: 1, name: "a").inserted(db)
            record.log.removeAll()
            try expectSQL("") {
                try expectTrue(!record.updateChanges(db) { $0.name = "a" })
            }
            expectEqual(record.log.elements, [])
        }
    }

    @Test(arguments: ["willSave", "aroundSave", "willInsert", "aroundInsert"])
    func failingInsertionCallbacks(callback: String) throws {
        try RecordTables.write { db in
            var record = Chatty(id: nil, name: "a")
            record.failure = callback
            expectError("TestError \(callback)") { try record.insert(db) }
            expectEqual(record.log.elements.last, callback)
            expectEqual(record.id, nil)
            try expectEqual(PlayerRecord.fetchCount(db), 0)
        }
    }

    @Test(arguments: ["willUpdate", "aroundUpdate"])
    func failingUpdateCallbacks(callback: String) throws {
        try RecordTables.write { db in
            var record = try Chatty(id: 1, name: "a").inserted(db)
            record.failure = callback
            expectError("TestError \(callback)") { try record.update(db) }
            expectError("TestError \(callback)") { try record.save(db) }
        }
    }

    @Test func failingDeletionCallbacks() throws {
        try RecordTables.write { db in
            var record = try Chatty(id: 1, name: "a").inserted(db)
            for callback in ["willDelete", "aroundDelete"] {
                record.failure = callback
                expectError("TestError \(callback)") { try record.delete(db) }
            }
            try expectTrue(record.exists(db))
        }
    }

    // MARK: - Incorrect callbacks

    private struct Lazy: MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "player"
        var lazyCallback: String
        init(_ callback: String) { lazyCallback = callback }
        init(row: Row) { lazyCallback = "" }
        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["name"] = "a"
        }
        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            if lazyCallback != "aroundSave" { _ = try save() }
        }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            if lazyCallback != "aroundInsert" { _ = try insert() }
        }
        func aroundUpdate(
            _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
        ) throws {
            if lazyCallback != "aroundUpdate" { _ = try update() }
        }
        func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
            if lazyCallback != "aroundDelete" { _ = try? delete() }
        }
    }

    private static func message(_ callback: String) -> String {
        """
        SQLite error 21: Incorrect implementation of the `Lazy.\(callback)` persistence callback: \
        the action function was not called, or its error was not rethrown.
        """
    }

    @Test func actionsThatAreNotCalled() throws {
        try RecordTables.write { db in
            for callback in ["aroundSave", "aroundInsert"] {
                var record = Lazy(callback)
                expectError(Self.message(callback)) { try record.insert(db) }
                expectError(Self.message(callback)) { try record.insertAndFetch(db) }
                expectError(Self.message(callback)) { try record.upsert(db) }
            }
            try PlayerRecord(id: 1, name: "a").inserted(db).update(db)
            for callback in ["aroundSave", "aroundUpdate"] {
                var record = Lazy(callback)
                expectError(Self.message(callback)) { try record.update(db) }
                expectError(Self.message(callback)) { try record.save(db) }
            }
            expectError(Self.message("aroundDelete")) { try Lazy("aroundDelete").delete(db) }
        }
    }

    private struct Swallowing: MutablePersistableRecord {
        static let databaseTableName = "player"
        func encode(to container: inout PersistenceContainer) { container["name"] = nil }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            _ = try? insert()
        }
    }

    @Test func errorsThatAreNotRethrown() throws {
        try RecordTables.write { db in
            var record = Swallowing()
            expectError(DatabaseError.self) { try record.insert(db) }
        }
    }

    // MARK: - Reentrancy

    /// A record whose callbacks use the statements of its own type.
    private struct Nested: MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var child: String?
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            let inserted = try insert()
            if let child {
                let other = try Nested(name: child).inserted(db)
                #expect(other.id != inserted.rowID)
            }
            // Not the values of the other record.
            expectEqual(inserted.persistenceContainer["name"] as? DatabaseValue, name.databaseValue)
        }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func willUpdate(_ db: Database, columns: Set<String>) throws {
            if let child { try Nested(id: 2, name: child).update(db) }
        }
    }

    @Test func nestedOperationsOnTheSameType() throws {
        try RecordTables.write { db in
            for index in 0..<3 {
                var record = Nested(name: "parent \(index)", child: "child \(index)")
                try record.insert(db)
                expectEqual(record.id, Int64(2 * index + 1))
            }
            for index in 0..<3 {
                try Nested(id: 1, name: "p\(index)", child: "c\(index)").update(db)
            }
            try expectEqual(PlayerRecord.fetchAll(db, keys: [1, 2]).map(\.name), ["p2", "c2"])
        }
    }

    private static let noteTable = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)
        """

    /// A record whose callbacks call those of another record, which are the default ones.
    private struct Forwarding: PersistableRecord {
        struct Inner: PersistableRecord {
            static let databaseTableName = "note"
            func encode(to container: inout PersistenceContainer) { container["name"] = "inner" }
        }

        static let databaseTableName = "note"
        var log: Log<String>
        func encode(to container: inout PersistenceContainer) { container["name"] = "outer" }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            log.append("aroundInsert")
            try Inner().aroundInsert(db, insert: insert)
        }
        func didInsert(_ inserted: InsertionSuccess) {
            log.append("didInsert")
            Inner().didInsert(inserted)
        }
        func didSave(_ saved: PersistenceSuccess) {
            log.append("didSave")
            Inner().didSave(saved)
        }
    }

    @Test func callbacksAreNeverTakenForDefaultOnes() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: Self.noteTable)
            let log = Log<String>()
            for _ in 0..<3 {
                try Forwarding(log: log).insert(db)
                try Forwarding.Inner().insert(db)
            }
            let once = ["aroundInsert", "didInsert", "didSave"]
            expectEqual(log.elements, once + once + once)
        }
    }

    /// A record that does not always set the same columns, without any `around` callback.
    private struct Changing: MutablePersistableRecord {
        static let databaseTableName = "note"
        var id: Int64?
        var score: Int?
        var log: Log<String>
        func encode(to container: inout PersistenceContainer) {
            container["name"] = "a"
            if let score { container["score"] = score }
        }
        mutating func willInsert(_ db: Database) throws { log.append("willInsert") }
        mutating func didInsert(_ inserted: InsertionSuccess) {
            log.append("didInsert \(inserted.persistenceContainer.count)")
            id = inserted.rowID
        }
    }

    @Test func callbacksOfRecordsThatSetOtherColumns() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: Self.noteTable)
            let log = Log<String>()
            for (index, score) in [nil, nil, 1, nil, 2, 3].enumerated() {
                var record = Changing(score: score, log: log)
                try record.insert(db)
                expectEqual(record.id, Int64(index + 1))
            }
            let expected = [1, 1, 2, 1, 2, 2].flatMap { ["willInsert", "didInsert \($0)"] }
            expectEqual(log.elements, expected)
            try expectEqual(
                Int?.fetchAll(db, sql: "SELECT score FROM note ORDER BY id"),
                [nil, nil, 1, nil, 2, 3])
        }
    }

    @Test func containersThatEscape() throws {
        struct Keeper: PersistableRecord {
            static let databaseTableName = "player"
            var name: String
            var containers: Log<Box>
            struct Box: @unchecked Sendable { var container: PersistenceContainer }
            func encode(to container: inout PersistenceContainer) { container["name"] = name }
            func didInsert(_ inserted: InsertionSuccess) {
                containers.append(Box(container: inserted.persistenceContainer))
            }
        }
        try RecordTables.write { db in
            let log = Log<Keeper.Box>()
            for name in ["a", "b", "c"] { try Keeper(name: name, containers: log).insert(db) }
            let containers = log.elements.map(\.container)
            expectEqual(containers.map { $0.first?.1 }, ["a", "b", "c"].map(\.databaseValue))
            var copy = containers[1]
            copy["name"] = "z"
            expectEqual(copy.first?.1, "z".databaseValue)
            expectEqual(containers[1].first?.1, "b".databaseValue)
        }
    }
}
