@testable import GRDBChanges
import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// What a list observation delivers: see `ListViewSimulationTests` for whether differences are right.
@Suite(.databases) struct ListObservationTests {
    private static func describe<Index>(
        deletions: [ListItem<ListedPlayer, Index>], insertions: [ListItem<ListedPlayer, Index>],
        moves: [ListItemChange<ListedPlayer, Index>], updates: [ListItemChange<ListedPlayer, Index>]
    ) -> [String] {
        func index(_ index: Index) -> String {
            (index as? IndexPath).map { "\($0[0]).\($0[1])" } ?? "\(index)"
        }
        func columns(_ item: ListItemChange<ListedPlayer, Index>) -> String {
            item.columns.map { " \($0.name) \($0.oldValue)>\($0.newValue)" }.joined()
        }
        return deletions.map { "-\(index($0.index)) \($0.element.name)" }
            + insertions.map { "+\(index($0.index)) \($0.element.name)" }
            + moves.map {
                "\(index($0.oldIndex))>\(index($0.index)) \($0.element.name)\(columns($0))"
            }
            + updates.map {
                "\(index($0.oldIndex))=\(index($0.index)) \($0.element.name)\(columns($0))"
            }
    }

    @Sendable private static func describe(_ change: ListChange<ListedPlayer>) -> String {
        describe(
            deletions: change.deletions, insertions: change.insertions, moves: change.moves,
            updates: change.updates
        ).joined(separator: ", ")
    }

    @Sendable private static func describe(
        _ change: SectionedListChange<String, ListedPlayer>
    ) -> String {
        let sections =
            change.sectionDeletions.map { "-\($0)" }
            + change.sectionInsertions.map { "+\($0) \(change.sections[$0].key)" }
        let items = describe(
            deletions: change.deletions, insertions: change.insertions, moves: change.moves,
            updates: change.updates)
        return (sections + items).joined(separator: ", ")
    }

    private func start(
        _ observation: ListObservation<ListedPlayer, ListChange<ListedPlayer>>,
        in reader: any DatabaseReader, _ log: Transcript
    ) -> ObservedList<ListedPlayer, ListChange<ListedPlayer>> {
        observation.start(
            in: reader, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
            onChange: { log.append(Self.describe($0)) })
    }

    // MARK: - Changes

    @Test(arguments: DatabaseKind.allCases)
    func changesTellWhatHasHappened(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: writer, log)
        expectEqual(log.removeAll(), ["+0 Arthur, +1 Barbara, +2 Craig"])
        expectEqual(list.elements.map(\.id), [1, 2, 3])

        try writer.execute("UPDATE player SET name = 'Anna', score = 11 WHERE id = 1")
        log.wait(count: 1)
        expectEqual(log.removeAll(), [#"0=0 Anna name "Arthur">"Anna" score 10>11"#])
        try writer.execute("UPDATE player SET score = 40 WHERE id = 1")
        log.wait(count: 1)
        expectEqual(log.removeAll(), ["0>2 Anna score 11>40"])
        try writer.execute(
            """
            DELETE FROM player WHERE id = 2;
            INSERT INTO player VALUES (4, 'David', 'red', 35), (5, 'Eve', 'red', 5);
            UPDATE player SET team = 'green' WHERE id = 3;
            """)
        log.wait(count: 1)
        expectEqual(
            log.removeAll(),
            [#"-0 Barbara, +0 Eve, +2 David, 1=1 Craig team "blue">"green""#])
        expectEqual(list.elements.map(\.id), [5, 3, 4, 1])

        // Neither these nor a rollback change the list.
        try writer.execute("INSERT INTO other VALUES (1)")
        try writer.execute("UPDATE player SET score = score")
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
        }
        try writer.execute("DELETE FROM player WHERE id <> 4")
        log.wait(count: 1)
        expectEqual(log.removeAll(), ["-0 Eve, -1 Craig, -3 Anna"])

        list.cancel()
        try writer.execute("DELETE FROM player")
        waitForWriter(writer)
        expectEqual(log.all, [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func sectionsComeAndGoWithTheirElements(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(ListedPlayer.byScore).sections(by: \.team).start(
            in: writer, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
            onChange: { log.append(Self.describe($0)) })
        let steps: [(sql: String, change: String)] = [
            ("", "+0 blue, +1 red"),
            ("INSERT INTO player VALUES (4, 'David', 'red', 40)", "+1.1 David"),
            (
                "UPDATE player SET team = 'red' WHERE id = 3",
                #"0.1>1.1 Craig team "blue">"red""#
            ),
            ("UPDATE player SET score = 15 WHERE id = 4", "1.2>1.0 David score 40>15"),
            ("UPDATE player SET name = 'Ben' WHERE id = 2", #"1.1=1.1 Ben name "Barbara">"Ben""#),
            ("UPDATE player SET team = 'green' WHERE id = 2", "+2 green, -1.1 Ben"),
            ("UPDATE player SET team = 'red' WHERE id = 2", "-2, +1.1 Ben"),
            ("DELETE FROM player WHERE id = 1", "-0"),
        ]
        for (sql, change) in steps {
            if !sql.isEmpty { try writer.execute(sql) }
            log.wait(count: 1)
            expectEqual(log.removeAll(), [change])
        }
        // One of two sections that change places remains.
        try writer.execute("INSERT INTO player VALUES (1, 'Arthur', 'blue', 1)")
        log.wait(last: "+0 blue")
        try writer.execute("UPDATE player SET score = 100 WHERE id = 1")
        log.wait(last: "-1, +0 red, 0.0=1.0 Arthur score 1>100")
        list.cancel()
    }

    @Test func asFewElementsAsPossibleMove() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let numbers = Array(0..<Int.random(in: 0...8, using: &random)).shuffled(using: &random)
            let isStaying = longestIncreasingSubsequence(numbers)
            let staying = zip(numbers, isStaying).filter(\.1).map(\.0)
            expectEqual(staying, staying.sorted())
            // All subsequences
            let longest = (0..<(1 << numbers.count)).map { mask in
                let subsequence = numbers.indices.filter { mask & (1 << $0) != 0 }.map {
                    numbers[$0]
                }
                return subsequence == subsequence.sorted() ? subsequence.count : 0
            }.max()
            expectEqual(staying.count, longest)
        }
    }

    // MARK: - Identity

    @Test func severalColumnsIdentifyARow() throws {
        struct Membership: FetchableRecord, TableRecord {
            static let databaseTableName = "membership"
            var points: Int
            init(row: Row) throws { points = row["points"] }
        }
        let dbQueue = try ListedPlayer.makeWriter(.queue)
        try dbQueue.execute(
            """
            CREATE TABLE membership(team TEXT, player INTEGER, points INTEGER, PRIMARY KEY(team, player));
            INSERT INTO membership VALUES ('blue', 1, 0), ('blue', 2, 0), ('red', 1, 0);
            """)
        let log = Transcript()
        let list = ListObservation.tracking(Membership.all()).start(
            in: dbQueue, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
            onChange: { change in
                log.append(
                    "\(change.elements.count) \(change.updates.map(\.index)) \(change.moves.count)")
            })
        try dbQueue.execute("UPDATE membership SET points = 1 WHERE team = 'red'")
        log.wait(last: "3 [2] 0")
        // Not NULL in the model of SQL, but SQLite accepts it.
        try dbQueue.execute("UPDATE membership SET team = NULL WHERE team = 'red'")
        log.wait(
            last: """
                Element 2 of the list has no identity: \
                column team of the primary key of table membership is NULL
                """)
        list.cancel()
    }

    @Test func elementsAreIdentifiedByTheirIDsOrAClosure() throws {
        struct Info: Decodable, FetchableRecord, Identifiable {
            var id: String
            var total: Int
        }
        struct Team: FetchableRecord {
            var name: String
            init(row: Row) throws { name = row["id"] }
        }
        let dbQueue = try ListedPlayer.makeWriter(.queue)
        let sql = "SELECT team AS id, SUM(score) AS total FROM player GROUP BY team ORDER BY team"
        let log = Transcript()
        let infos = ListObservation.tracking(SQLRequest<Info>(sql: sql)).start(
            in: dbQueue, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
            onChange: { change in
                for item in change.updates {
                    let columns = item.columns.map { "\($0.name) \($0.oldValue) \($0.newValue)" }
                    log.append("\(item.oldElement.total) \(item.element.total) \(columns)")
                }
            })
        let teamLog = Transcript()
        let teams = ListObservation.tracking(SQLRequest<Team>(sql: sql), id: \.name).start(
            in: dbQueue, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
            onChange: { teamLog.append("\($0.updates.map(\.element.name))") })
        let valueLog = Transcript()
        let values = ListObservation.tracking(id: { $0 % 2 }) { db in
            try Int.fetchAll(db, sql: "SELECT score / 10 FROM player ORDER BY id LIMIT 2")
        }.start(
            in: dbQueue, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
            onChange: { change in
                valueLog.append(
                    "\(change.updates.map { [$0.oldElement, $0.element] }) \(change.elements)")
            })
        try dbQueue.execute("UPDATE player SET score = 40 WHERE id = 2")
        log.wait(count: 1)
        expectEqual(log.all, [#"20 40 ["total 20 40"]"#])
        teamLog.wait(last: "[\"red\"]")
        valueLog.wait(last: "[[2, 4]] [1, 4]")
        expectEqual(valueLog.all, ["[] [1, 2]", "[[2, 4]] [1, 4]"])
        infos.cancel()
        teams.cancel()
        values.cancel()
    }

    @Test func columnsOfScopesHaveTheirNames() throws {
        let old = try unwrap(row(1, 2))
        let new = try unwrap(row(1, 3))
        expectEqual(
            ListColumnChange.changes(from: old, to: new),
            [
                ListColumnChange(
                    name: "b.v", oldValue: 2.databaseValue, newValue: 3.databaseValue)
            ])
        expectEqual(
            ListColumnChange.changes(from: ["a": 1, "b": 2], to: ["c": 3, "A": 1]),
            [
                ListColumnChange(name: "c", oldValue: .null, newValue: 3.databaseValue),
                ListColumnChange(name: "b", oldValue: 2.databaseValue, newValue: .null),
            ])
    }

    @Test func columnsOfTheSameNameAreComparedByPosition() {
        expectEqual(
            ListColumnChange.changes(from: ["a": 1, "a": 2], to: ["a": 1, "a": 3]),
            [
                ListColumnChange(name: "a", oldValue: 2.databaseValue, newValue: 3.databaseValue)
            ])
    }

    private func row(_ a: Int, _ b: Int) throws -> Row? {
        try TestDatabases.makeQueue().read { db in
            try Row.fetchOne(
                db, sql: "SELECT ? AS v, ? AS v", arguments: [a, b],
                adapter: ScopeAdapter(
                    base: RangeRowAdapter(0..<1), scopes: ["b": SuffixRowAdapter(fromIndex: 1)]))
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func elementsOfTheSameIdentityAreAnErrorThatDoesNotEnd(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore, id: \.team), in: writer, log)
        expectEqual(
            log.removeAll(),
            ["error: Elements 0 and 2 of the list have the same identity: blue"])
        expectEqual(list.elements, [])
        try writer.execute("UPDATE player SET team = 'green' WHERE id = 3")
        log.wait(last: "+0 Arthur, +1 Barbara, +2 Craig")
        try writer.execute(
            "UPDATE player SET team = 'green', name = 'Anna' WHERE id = 1")
        log.wait(last: "error: Elements 0 and 2 of the list have the same identity: green")
        // The same list as the last one that was delivered
        try writer.execute("UPDATE player SET team = 'blue', name = 'Arthur' WHERE id = 1")
        log.wait(last: "")
        list.setRequest(SQLRequest(sql: "SELECT id AS k, name, team, score FROM player"))
        log.wait { $0.last?.hasPrefix("error: ") == true }
        list.cancel()
    }

    @Test func theRequestMustFetchThePrimaryKey() throws {
        let dbQueue = try ListedPlayer.makeWriter(.queue)
        let log = Transcript()
        struct Name: FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            init(row: Row) throws {}
        }
        let list = ListObservation.tracking(SQLRequest<Name>(sql: "SELECT name FROM player")).start(
            in: dbQueue, scheduling: EagerScheduler(),
            onError: { log.append("\(($0 as? ListIdentityError)?.reason as Any) \($0)") },
            onChange: { _ in log.append("change") })
        expectEqual(log.all.count, 1)
        expectEqual(
            log.all.first?.hasSuffix(
                """
                missingColumn) The elements of the list have no identity: \
                column id of the primary key of table player is not fetched
                """), true)
        list.cancel()
    }

    // MARK: - Errors

    @Test(arguments: DatabaseKind.allCases)
    func anErrorOfAFetchDoesNotEndTheObservation(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: writer, log)
        log.removeAll()
        try writer.execute("ALTER TABLE player RENAME TO p")
        log.wait { $0.last?.contains("no such table: player") == true }
        expectEqual(list.elements.count, 3)
        try writer.execute("ALTER TABLE p RENAME TO player; DELETE FROM player WHERE id = 2")
        log.wait(last: "-1 Barbara")
        log.removeAll()
        // Once it is known again what to track, nothing else wakes the observation.
        waitForWriter(writer)
        let sql = try TestDatabases.sql {
            try writer.execute("INSERT INTO other VALUES (1)")
            waitForWriter(writer)
        }
        expectTrue(!sql.contains { $0.contains("player") })
        try writer.execute("DELETE FROM player WHERE id = 3")
        log.wait(last: "-1 Craig")
        expectEqual(log.all, ["-1 Craig"])
        list.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func aMissingTableMayBeCreatedLater(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: writer, log)
        expectEqual(log.all.count, 1)
        try writer.execute(ListedPlayer.schema)
        // The first list is delivered, though it is empty.
        log.wait(last: "")
        try writer.execute("INSERT INTO player VALUES (1, 'Arthur', 'blue', 10)")
        log.wait(last: "+0 Arthur")
        expectEqual(log.all.count, 3)
        list.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func aClosedDatabaseEndsTheObservation(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: writer, log)
        log.removeAll()
        try writer.close()
        log.wait(last: "error: SQLite error 21: Connection is closed")
        expectError("SQLite error 21: The observation has ended") { try list.refreshNow() }
        expectEqual(log.all.count, 1)
    }

    // MARK: - Requests and refreshes

    @Test(arguments: DatabaseKind.allCases)
    func anotherRequestIsObservedFromNowOn(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: writer, log)
        list.setRequest(SQLRequest(sql: "SELECT * FROM player WHERE id <> 2 ORDER BY id DESC"))
        log.wait(count: 2)
        expectEqual(log.removeAll().last, "-1 Barbara, 2>0 Craig")
        try writer.execute("INSERT INTO player VALUES (4, 'David', 'red', 0)")
        log.wait(last: "+0 David")
        // Another region
        try writer.execute(
            "CREATE TABLE former AS SELECT * FROM player; UPDATE former SET score = -1 WHERE id = 1"
        )
        list.setRequest(SQLRequest(sql: "SELECT * FROM former ORDER BY id DESC"))
        log.wait(count: 2)
        expectEqual(log.removeAll().last, "+2 Barbara, 2=3 Arthur score 10>-1")
        try writer.execute("DELETE FROM player")
        try writer.execute("DELETE FROM former WHERE id = 4")
        log.wait(count: 1)
        expectEqual(log.removeAll(), ["-0 David"])
        list.cancel()
    }

    /// A request may be replaced before the first fetch, or between it and the start of tracking.
    @Test(arguments: DatabaseKind.allCases)
    func aRequestCanBeReplacedAtOnce(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        try writer.execute("CREATE TABLE former AS SELECT * FROM player")
        for round in 1...50 {
            let log = Transcript()
            let list = ListObservation.tracking(ListedPlayer.byScore).start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "list")),
                onError: { log.append("error: \($0)") },
                onChange: { log.append("\($0.elements.map(\.score))") })
            if round % 2 == 0 { log.wait(count: 1) }
            list.setRequest(SQLRequest(sql: "SELECT * FROM former ORDER BY id LIMIT 1"))
            try writer.execute("UPDATE former SET score = \(round) WHERE id = 1")
            log.wait(last: "[\(round)]")
            list.cancel()
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aRefreshSeesWhatNobodyHasTold(kind: DatabaseKind) throws {
        let path = TestDatabases.makePath()
        let writer: any DatabaseWriter =
            kind == .queue ? try TestDatabases.openQueue(path) : try TestDatabases.openPool(path)
        try writer.write { try $0.execute(sql: ListedPlayer.schema) }
        let log = Transcript()
        let scheduler = EagerScheduler()
        let list = ListObservation.tracking(ListedPlayer.byScore).start(
            in: writer, scheduling: scheduler, onError: { log.append("error: \($0)") },
            onChange: { log.append(Self.describe($0)) })
        func refreshNow() throws -> String? {
            // Where changes are delivered
            try scheduler.queue.sync { try list.refreshNow().map(Self.describe) }
        }
        let other = try TestDatabases.openQueue(path)
        try other.execute("INSERT INTO player VALUES (1, 'Arthur', 'blue', 10)")
        list.refresh()
        log.wait(last: "+0 Arthur")
        try other.execute("INSERT INTO player VALUES (2, 'Barbara', 'red', 20)")
        try expectEqual(refreshNow(), "+1 Barbara")
        expectEqual(list.elements.map(\.id), [1, 2])
        try expectEqual(refreshNow(), nil)
        expectEqual(log.all, ["", "+0 Arthur"])

        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                expectError(
                    """
                    SQLite error 21: An observation can't be refreshed inside of a transaction
                    """
                ) { try refreshNow() }
                return .commit
            }
        }
        try other.execute("ALTER TABLE player RENAME TO p")
        expectError(DatabaseError.self) { try refreshNow() }
        try other.execute("ALTER TABLE p RENAME TO player; DELETE FROM player WHERE id = 1")
        try expectEqual(refreshNow(), "-0 Arthur")
        list.cancel()
        expectError("SQLite error 21: The observation has ended") { try refreshNow() }
        expectEqual(log.all, ["", "+0 Arthur"])
    }

    @Test func aSnapshotHasOneList() throws {
        let dbPool = try unwrap(ListedPlayer.makeWriter(.pool) as? DatabasePool)
        let snapshot = try dbPool.makeSnapshot()
        let log = Transcript()
        let list = start(.tracking(ListedPlayer.byScore), in: snapshot, log)
        try dbPool.execute("DELETE FROM player")
        try expectEqual(list.refreshNow().map(Self.describe), nil)
        list.setRequest(SQLRequest(sql: "SELECT * FROM player WHERE id = 2"))
        log.wait(count: 2)
        expectEqual(log.all, ["+0 Arthur, +1 Barbara, +2 Craig", "-0 Arthur, -2 Craig"])
        list.cancel()
    }

    // MARK: - Alongside

    @Test(arguments: DatabaseKind.allCases)
    func aValueIsFetchedFromTheSameState(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(ListedPlayer.byScore)
            .fetchingAlongside { try ListedPlayer.fetchCount($0) }
            .fetchingAlongside { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM other") ?? 0 }
            .start(
                in: writer, scheduling: EagerScheduler(), onError: { log.append("\($0)") },
                onChange: { change, count in
                    log.append("\(change.0.elements.count) \(change.1) \(count)")
                })
        try writer.execute("INSERT INTO other VALUES (1)")
        log.wait(last: "3 3 1")
        for _ in 0..<20 {
            try writer.execute("INSERT INTO player VALUES (NULL, 'New', 'red', 0)")
        }
        log.wait(last: "23 23 1")
        expectTrue(
            log.all.allSatisfy { $0.split(separator: " ")[0] == $0.split(separator: " ")[1] })
        list.cancel()
    }

    // MARK: - Asynchronous sequences, and the main actor

    @Test(arguments: DatabaseKind.allCases)
    func changesAreASequence(kind: DatabaseKind) async throws {
        let writer = try ListedPlayer.makeWriter(kind)
        var changes: [String] = []
        for try await change in ListObservation.tracking(ListedPlayer.byScore).changes(in: writer) {
            changes.append(Self.describe(change))
            if changes.count == 3 { break }
            try await writer.write { [count = changes.count] db in
                try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [count])
            }
        }
        expectEqual(changes, ["+0 Arthur, +1 Barbara, +2 Craig", "-0 Arthur", "-0 Barbara"])
    }

    @Test func aSequenceReportsErrorsOrThrowsThem() async throws {
        let dbQueue = try TestDatabases.makeQueue()
        let observation = ListObservation.tracking(ListedPlayer.byScore)
        await expectError(DatabaseError.self) {
            for try await _ in observation.changes(in: dbQueue) {}
        }
        let errors = Log<String>()
        var changes = observation.changes(in: dbQueue, onFetchError: { errors.append("\($0)") })
            .makeAsyncIterator()
        await errors.wait(forCount: 1)
        try await dbQueue.write { try $0.execute(sql: ListedPlayer.schema) }
        #expect(try await changes.next()?.isEmpty == true)
        var sections = observation.sections(by: \.team).changes(in: dbQueue).makeAsyncIterator()
        #expect(try await sections.next()?.isEmpty == true)
        expectEqual(errors.elements.count, 1)
    }

    @Test func theListOfASequenceCanBeReplaced() async throws {
        let dbQueue = try ListedPlayer.makeWriter(.queue)
        let (list, changes) = ListObservation.tracking(ListedPlayer.byScore)
            .startStream(in: dbQueue)
        var iterator = changes.makeAsyncIterator()
        try await expectEqual(iterator.next()?.insertions.count, 3)
        list.setRequest(SQLRequest(sql: "SELECT * FROM player WHERE id = 2"))
        try await expectEqual(iterator.next().map(Self.describe), "-0 Arthur, -2 Craig")
        list.cancel()
        try await expectEqual(iterator.next().map(Self.describe), nil)
    }

    @MainActor @Test func changesComeOnTheMainActor() async throws {
        let dbQueue = try ListedPlayer.makeWriter(.queue)
        var changes: [String] = []
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let list = ListObservation.tracking(ListedPlayer.byScore).start(
            in: dbQueue, scheduling: .immediate, onError: { changes.append("\($0)") },
            onChange: { change in
                changes.append(Self.describe(change))
                continuation.yield()
            })
        expectEqual(changes, ["+0 Arthur, +1 Barbara, +2 Craig"])
        try await dbQueue.write { try $0.execute(sql: "DELETE FROM player WHERE id = 2") }
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        await iterator.next()
        expectEqual(changes.last, "-1 Barbara")
        list.cancel()
    }
}
