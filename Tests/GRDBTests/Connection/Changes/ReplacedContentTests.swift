import Foundation
import GRDB
import GRDBServer
import GRDBChanges
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Each consumer of changes answers each way to replace the content of a schema as a whole.
@Suite(.databases) struct ReplacedContentTests {
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case backup, copy, steps, stepsWithoutFinish, releasedSteps, erase
        case attachment, attachmentInC, deserialization

        var testDescription: String { rawValue }
        var isAttachment: Bool { self == .attachment || self == .attachmentInC }
        /// The schema whose content is replaced.
        var schema: String { isAttachment ? "other" : "main" }
    }

    enum Consumer: String, CaseIterable, CustomTestStringConvertible {
        case value, row, region, list, feed, sequence, outbox, outboxIteration, undo, storedUndo
        case announcer, session, statements, schema, effects, blob, observer

        var testDescription: String { rawValue }

        /// Whether the consumer follows the main schema only.
        var isOfMain: Bool {
            switch self {
            case .outbox, .outboxIteration, .undo, .storedUndo, .announcer: true
            default: false
            }
        }
    }

    /// The content before and after.
    private struct Setting {
        let way: Way
        let writer: any DatabaseWriter
        let source: DatabaseQueue

        init(_ way: Way, _ kind: DatabaseKind) throws {
            self.way = way
            let former = TestDatabases.makePath()
            writer = try TestDatabases.makeWriter(kind)
            source = try TestDatabases.openQueue(TestDatabases.makePath())
            let old = "(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'old')"
            let new = """
                (extra INTEGER DEFAULT 5, id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO t (id, name) VALUES (1, 'new'), (2, 'newer')
                """
            try source.write { try $0.execute(sql: "CREATE TABLE t\(new)") }
            if way.isAttachment {
                let queue = try TestDatabases.openQueue(former)
                try queue.write { try $0.execute(sql: "CREATE TABLE t\(old)") }
                try queue.close()
                try writer.writeWithoutTransaction {
                    try $0.execute(sql: TestDatabases.attachment(former, as: "other"))
                }
            } else {
                try writer.write { try $0.execute(sql: "CREATE TABLE t\(old)") }
            }
        }

        func replace() throws {
            let path = source.path
            switch way {
            case .backup: try source.backup(to: writer)
            case .copy:
                try source.read { source in
                    try writer.barrierWriteWithoutTransaction { try source.copy(to: $0) }
                }
            case .steps, .stepsWithoutFinish:
                try source.read { source in
                    try writer.barrierWriteWithoutTransaction { db in
                        let backup = try DatabaseBackup(from: source, to: db)
                        while try backup.step(pages: 1) {}
                        if way == .steps { try backup.finish() }
                    }
                }
            case .releasedSteps:
                try source.read { source in
                    try writer.barrierWriteWithoutTransaction { db in
                        _ = try DatabaseBackup(from: source, to: db).step(pages: -1)
                        // The next statement frees it.
                        _ = try? db.execute(sql: "SELECT 1")
                    }
                }
            case .erase: try writer.erase()
            case .attachment:
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "DETACH other")
                    try db.execute(sql: TestDatabases.attachment(path, as: "other"))
                }
            case .attachmentInC:
                writer.writeWithoutTransaction { db in
                    let sql = "DETACH other; " + TestDatabases.attachment(path, as: "other")
                    expectEqual(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil), SQLITE_OK)
                }
            case .deserialization:
                let image = try source.read { try $0.serialized() }
                writer.unsafeReentrantWrite { db in
                    let bytes = sqlite3_malloc64(UInt64(image.count))!
                    image.copyBytes(
                        to: UnsafeMutableRawBufferPointer(start: bytes, count: image.count))
                    expectEqual(
                        sqlite3_deserialize(
                            db.sqliteConnection, "main",
                            bytes.assumingMemoryBound(to: UInt8.self), Int64(image.count),
                            Int64(image.count),
                            UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)),
                        SQLITE_OK)
                }
            }
        }

        /// The names in the table, if there is one.
        @Sendable static func names(_ db: Database) throws -> [String] {
            guard try db.tableExists("t") else { return [] }
            return try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY id")
        }

        var newNames: [String] { way == .erase ? [] : ["new", "newer"] }

        /// Makes a change that all consumers can follow.
        func insert(_ db: Database) throws {
            if way == .erase {
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name)")
            }
            try db.execute(sql: "INSERT INTO t (id, name) VALUES (9, 'last')")
        }
    }

    /// A pool has other connections, which must see the new content, too. They have other attached databases and
    /// can't see an image.
    private static let pairs = Way.allCases.flatMap { way in
        Consumer.allCases.filter { !(way.isAttachment && $0.isOfMain) }.map { (way, $0) }
    }

    @Test(arguments: DatabaseKind.allCases, pairs)
    func answers(kind: DatabaseKind, pair: (Way, Consumer)) async throws {
        let (way, consumer) = pair
        let isShared = way.isAttachment || way == .deserialization
        if isShared, kind == .pool || consumer == .announcer { return }
        let setting = try Setting(way, kind)
        let writer = setting.writer
        let log = Log<[String]>()
        switch consumer {
        case .value:
            let cancellable = ValueObservation.tracking(Setting.names).start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                onError: { log.append(["\($0)"]) }, onChange: { log.append($0) })
            defer { cancellable.cancel() }
            await expectEqual(log.wait(forCount: 1), [["old"]])
            try setting.replace()
            await expectEqual(log.wait(forCount: 2).last, setting.newNames)
            try await writer.write { try setting.insert($0) }
            await expectEqual(log.wait(forCount: 3).last, setting.newNames + ["last"])
        case .row:
            // Observes one row.
            let observation = ValueObservation.tracking { db -> [String] in
                guard try db.tableExists("t") else { return [] }
                return try String.fetchAll(db, sql: "SELECT name FROM t WHERE id = 1")
            }
            let cancellable = observation.start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                onError: { log.append(["\($0)"]) }, onChange: { log.append($0) })
            defer { cancellable.cancel() }
            await log.wait(forCount: 1)
            try setting.replace()
            await expectEqual(log.wait(forCount: 2).last, Array(setting.newNames.prefix(1)))
        case .region:
            let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(
                in: writer, onError: { log.append(["\($0)"]) },
                onChange: { db in log.append((try? Setting.names(db)) ?? []) })
            defer { cancellable.cancel() }
            try setting.replace()
            await expectEqual(log.wait(forCount: 1), [setting.newNames])
        case .list:
            let list = ListObservation.tracking(SQLRequest<Named>(sql: "SELECT id, name FROM t"))
                .start(
                    in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                    onError: { _ in log.append([]) },
                    onChange: { log.append($0.elements.map(\.name)) })
            await log.wait(forCount: 1)
            try setting.replace()
            await expectEqual(log.wait(forCount: 2), [["old"], setting.newNames])
            list.cancel()
        case .feed:
            let cancellable = DatabaseChangeFeed(tracking: .table("t")).start(
                in: writer, onError: { log.append(["\($0)"]) }, onChange: { _ in log.append([]) })
            defer { cancellable.cancel() }
            try setting.replace()
            try await writer.write { try setting.insert($0) }
            let schema = way == .deserialization ? "database" : "schema \(way.schema)"
            expectEqual(
                log.elements,
                [
                    [
                        "The content of the \(schema) was replaced. The change feed can't report the differences."
                    ]
                ])
        case .sequence:
            let feed =
                way.isAttachment ? DatabaseChangeFeed(tracking: .table("t")) : DatabaseChangeFeed()
            var iterator = feed.transactions(in: writer).makeAsyncIterator()
            try await writer.write { try $0.execute(sql: "UPDATE t SET name = 'older'") }
            try setting.replace()
            try await expectEqual(iterator.next()?.changes.count, 1)
            await expectError(DatabaseChangeFeed.ContentReplacedError.self) {
                try await iterator.next()
            }
        case .outbox:
            let outbox = try writer.outbox(named: "o", tables: ["t"])
            try await writer.write { try $0.execute(sql: "UPDATE t SET name = 'older'") }
            try setting.replace()
            try await writer.write { try setting.insert($0) }
            let entries = try await writer.read { try outbox.pendingEntries($0) }
            expectEqual(entries.map { "\($0.kind) \($0.generation)" }, ["insert 1"])
            // A position of the former content.
            try await outbox.acknowledge(through: 1)
            try await expectEqual(writer.read { try outbox.pendingCount($0) }, 1)
        case .outboxIteration:
            let outbox = try writer.outbox(named: "o", tables: ["t"])
            try await writer.write { try $0.execute(sql: "UPDATE t SET name = 'older'") }
            var iterator = outbox.entries().makeAsyncIterator()
            try await expectEqual(iterator.next()?.kind, .update)
            try setting.replace()
            try await writer.write { try setting.insert($0) }
            try await expectEqual(iterator.next()?.kind, .insert)
        case .undo, .storedUndo:
            let history = try UndoHistory(
                writer, storage: consumer == .undo ? .memory : .table("history"))
            try await history.record("A") { try $0.execute(sql: "UPDATE t SET name = 'older'") }
            try setting.replace()
            expectTrue(!history.state.canUndo)
            try await writer.write { try setting.insert($0) }
            try await history.record("B") { try $0.execute(sql: "DELETE FROM t WHERE id = 9") }
            expectEqual(history.state.undoName, "B")
            guard case .done = try await history.undo() else { return expectTrue(Bool(false)) }
            try await expectEqual(writer.read(Setting.names), setting.newNames + ["last"])
        case .announcer:
            guard kind == .pool else { return }
            let monitor = try ExternalChangeMonitor(writer, announcesTables: true)
            let other = try TestDatabases.openPool((writer as! DatabasePool).path)
            let otherMonitor = try ExternalChangeMonitor(other, announcesTables: true)
            let recorder = TransactionRecorder()
            recorder.filter = { $0.tableName == "u" }
            other.add(transactionObserver: recorder)
            try setting.replace()
            try await writer.write { try $0.execute(sql: "CREATE TABLE u(a)") }
            try await writer.write { try setting.insert($0) }
            // Any table may have changed.
            try expectTrue(otherMonitor.check())
            expectTrue(recorder.lines().contains("didChange"))
            // Announced again. Transactions after a change of the schema are not.
            for name in ["w", "x", "y", "z"] {
                _ = recorder.lines()
                try await writer.write {
                    try $0.execute(sql: "UPDATE t SET name = ?", arguments: [name])
                }
                try expectTrue(otherMonitor.check())
            }
            expectTrue(!recorder.lines().contains("didChange"))
            _ = monitor
        case .session:
            let session = try writer.unsafeReentrantWrite { db in
                let session = try db.makeSession(schema: way.schema)
                try session.attach("t")
                try db.execute(sql: "UPDATE t SET name = 'older'")
                return session
            }
            try setting.replace()
            try writer.unsafeReentrantWrite { db in
                try expectTrue(session.isEmpty)
                try setting.insert(db)
                try expectEqual(session.changeset().map(\.operation), [.insert])
            }
        case .statements:
            func columns(_ db: Database) throws -> [String] {
                try Array(
                    db.cachedStatement(sql: "SELECT * FROM \(way.schema).t").columnNames)
            }
            try expectEqual(writer.writeWithoutTransaction(columns), ["id", "name"])
            try setting.replace()
            writer.unsafeReentrantWrite { db in
                if way == .erase {
                    expectError(DatabaseError.self) {
                        _ = try Row.fetchAll(db.cachedStatement(sql: "SELECT * FROM main.t"))
                    }
                } else {
                    expectEqual((try? columns(db)), ["extra", "id", "name"])
                }
            }
        case .schema:
            func columns(_ db: Database) throws -> [String] {
                try db.columns(in: "t", in: way.schema).map(\.name)
            }
            try expectEqual(writer.writeWithoutTransaction(columns), ["id", "name"])
            try await expectTrue(writer.read { try $0.tableExists("t") })
            try setting.replace()
            try await expectEqual(writer.read { try $0.tableExists("t") }, (way != .erase))
            writer.unsafeReentrantWrite { db in
                expectEqual((try? columns(db)), (way == .erase ? nil : ["extra", "id", "name"]))
            }
        case .effects:
            // What a record type stores, and what a statement changes
            var named = Named(id: 1, name: "older")
            try await writer.write { [named] in try named.update($0) }
            try setting.replace()
            try await writer.write { try setting.insert($0) }
            named = Named(id: 3, name: "newest")
            try await writer.write { [named] in try named.insert($0) }
            try await expectTrue(writer.read(Setting.names).contains("newest"))
        case .blob:
            guard kind == .queue, !way.isAttachment else { return }
            var iterator = writer.blobChunks(table: "t", column: "name", rowID: 1, ofSize: 1)
                .makeAsyncIterator()
            _ = try await iterator.next()
            try setting.replace()
            await expectError(DatabaseError.self) { try await iterator.next() }
        case .observer:
            let recorder = TransactionRecorder()
            recorder.onWillCommit = { throw TestError() }
            writer.add(transactionObserver: recorder)
            try await writer.writeWithoutTransaction { db in
                db.afterNextTransaction { _ in log.append(["commit"]) }
            }
            try setting.replace()
            expectEqual(recorder.lines(), ["willCommit", "didCommit"])
            expectEqual(log.elements, [["commit"]])
        }
    }

    private struct Named: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable {
        static let databaseTableName = "t"
        var id: Int64
        var name: String
    }

    /// A replacement that was undone is no event.
    @Test func failedReplacements() throws {
        let writer = try TestDatabases.makeQueue()
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let source = try TestDatabases.makeQueue()
        try source.write {
            try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))")
        }
        let log = Log<String>()
        let cancellable = DatabaseChangeFeed().start(
            in: writer, onError: { log.append("\($0)") }, onChange: { _ in log.append("change") })
        defer { cancellable.cancel() }
        try source.read { source in
            try writer.writeWithoutTransaction { db in
                let backup = try DatabaseBackup(from: source, to: db)
                _ = try backup.step(pages: 1)
                try backup.finish()
            }
        }
        expectError(TestError.self) {
            try source.backup(to: writer, pagesPerStep: 1) { _ in throw TestError() }
        }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(log.elements, ["change"])
    }

    /// Databases that are attached under other names, or only to copy from them, are no event for a feed.
    @Test func otherSchemas() throws {
        let writer = try TestDatabases.makeQueue()
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let log = Log<String>()
        let feeds = [DatabaseChangeFeed(), DatabaseChangeFeed(tracking: .table("t"))].map {
            $0.start(
                in: writer, onError: { log.append("\($0)") },
                onChange: { _ in log.append("change") })
        }
        for name in ["a", "a", "b"] {
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ':memory:' AS \(name); CREATE TABLE \(name).u (a)")
                try db.execute(sql: "DETACH \(name)")
            }
        }
        try writer.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectEqual(log.elements, ["change", "change"])
        feeds.forEach { $0.cancel() }
    }
}
