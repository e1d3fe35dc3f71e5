@testable import GRDBChanges
import Dispatch
import GRDB
import GRDBTestSupport
import Testing

/// Lists whose request is replaced by one of another identity, lists in sections together with other
/// values, and the errors of these.
@Suite(.databases) struct ReplacedListTests {
    private struct Info: Decodable, FetchableRecord, Identifiable {
        var id: String
        var total: Int
    }

    private let totals = SQLRequest<Info>(
        sql: "SELECT team AS id, SUM(score) AS total FROM player GROUP BY team ORDER BY team")

    private func describe(_ change: ListChange<Info>) -> String {
        (change.deletions.map { "-\($0.element.id)" }
            + change.insertions.map { "+\($0.element.id)" }
            + change.updates.map { "=\($0.element.id) \($0.oldElement.total)>\($0.element.total)" })
            .joined(separator: ", ")
    }

    // MARK: - Requests

    /// Elements that have no table are known by their `id`, or by what a closure says.
    @Test(arguments: DatabaseKind.allCases)
    func requestsOfIdentifiableElementsCanBeReplaced(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(totals).start(
            in: writer, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
            onChange: { [describe] in log.append(describe($0)) })
        log.wait(last: "+blue, +red")
        // The same identities, other values
        list.setRequest(
            SQLRequest<Info>(
                sql: "SELECT team AS id, COUNT(*) AS total FROM player GROUP BY team ORDER BY team")
        )
        log.wait(last: "=blue 40>2, =red 20>1")
        // Another identity: what it calls the same is the same.
        list.setRequest(
            SQLRequest<Info>(
                sql: "SELECT upper(team) AS id, 7 AS total FROM player GROUP BY team ORDER BY team"),
            id: { $0.id.lowercased() })
        log.wait(last: "=BLUE 2>7, =RED 1>7")
        try writer.execute("DELETE FROM player WHERE team = 'blue'")
        log.wait(last: "-BLUE")
        expectEqual(list.elements.map(\.id), ["RED"])
        list.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func closuresCanBeReplaced(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(id: { $0 }) { db in
            try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
        }.start(
            in: writer, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
            onChange: { log.append($0.elements.joined(separator: " ")) })
        log.wait(last: "Arthur Barbara Craig")
        // Another table, of which the observation is not told yet.
        list.setFetch(id: { $0 }) { db in
            try String.fetchAll(db, sql: "SELECT a FROM other ORDER BY a")
        }
        log.wait(last: "")
        try writer.execute("INSERT INTO other VALUES ('x')")
        log.wait(last: "x")
        // One that fails, and goes on.
        list.setFetch(id: { $0 }) { db in
            try String.fetchAll(db, sql: "SELECT a FROM other WHERE a <> 'x' OR fail(a)")
        }
        log.wait { $0.last?.contains("no such function: fail") == true }
        expectEqual(list.elements, ["x"])
        list.setFetch(id: { $0 }) { db in
            if try Bool.fetchOne(db, sql: "SELECT count(*) > 1 FROM other") == true {
                throw TestError("too many")
            }
            return try String.fetchAll(db, sql: "SELECT a || '!' FROM other")
        }
        log.wait(last: "x!")
        try writer.execute("INSERT INTO other VALUES ('y')")
        log.wait(last: "error: TestError too many")
        try writer.execute("DELETE FROM other WHERE a = 'x'")
        log.wait(last: "y!")
        list.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func sectionsFollowAnotherRequest(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(ListedPlayer.byScore).sections(by: \.team).start(
            in: writer, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
            onChange: { change in
                let sections = change.sections.map { "\($0.key) \($0.elements.map(\.id))" }
                log.append(
                    "\(sections.joined(separator: ", ")): -\(change.sectionDeletions) "
                        + "+\(change.sectionInsertions)")
            })
        log.wait(last: "blue [1, 3], red [2]: -[] +[0, 1]")
        list.setRequest(SQLRequest(sql: "SELECT * FROM player WHERE team = 'red'"))
        log.wait(last: "red [2]: -[0] +[]")
        try writer.execute("UPDATE player SET team = 'red' WHERE id = 1")
        log.wait(last: "red [1, 2]: -[] +[]")
        list.cancel()
    }

    // MARK: - Alongside

    /// The list and its value are of one state, also while others write, and in sections.
    @Test(arguments: DatabaseKind.allCases)
    func sectionsComeWithTheirValue(kind: DatabaseKind) async throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let observation = ListObservation.tracking(ListedPlayer.byScore).sections(by: \.team)
            .fetchingAlongside { try ListedPlayer.fetchCount($0) }
        let writes = Task {
            for number in 10..<40 {
                try await writer.write { db in
                    try db.execute(
                        sql: "INSERT INTO player VALUES (?, 'New', ?, ?)",
                        arguments: [number, "team \(number % 3)", number])
                }
            }
        }
        for try await (change, count) in observation.changes(in: writer) {
            expectEqual(change.sections.map(\.elements.count).reduce(0, +), count)
            expectEqual(Set(change.sections.map(\.key)).count, change.sections.count)
            if count == 33 { break }
        }
        try await writes.value
    }

    /// It is reported like one of the list, and does not end the observation.
    @Test(arguments: DatabaseKind.allCases)
    func errorOfTheValueDoesNotEndTheObservation(kind: DatabaseKind) throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let log = Transcript()
        let list = ListObservation.tracking(ListedPlayer.byScore)
            .fetchingAlongside { db in
                guard let value = try Int.fetchOne(db, sql: "SELECT a FROM other") else {
                    throw TestError("nothing")
                }
                return value
            }
            .start(
                in: writer, scheduling: EagerScheduler(), onError: { log.append("error: \($0)") },
                onChange: { change, value in
                    log.append("\(change.elements.count) +\(change.insertions.count) \(value)")
                })
        log.wait(last: "error: TestError nothing")
        expectTrue(list.elements.isEmpty)
        try writer.execute("INSERT INTO other VALUES (7)")
        log.wait(last: "3 +3 7")
        try writer.execute("DELETE FROM other; DELETE FROM player WHERE id = 1")
        log.wait(last: "error: TestError nothing")
        expectEqual(list.elements.count, 3)
        try writer.execute("INSERT INTO other VALUES (8)")
        log.wait(last: "2 +0 8")
        list.cancel()
    }

    // MARK: - Sequences

    @Test(arguments: DatabaseKind.allCases)
    func streamsReportErrorsAndGoOn(kind: DatabaseKind) async throws {
        let writer = try ListedPlayer.makeWriter(kind)
        let errors = Log<String>()
        let (list, changes) = ListObservation.tracking(ListedPlayer.byScore)
            .startStream(in: writer, onFetchError: { errors.append("\($0)") })
        var iterator = changes.makeAsyncIterator()
        try await expectEqual(iterator.next()?.insertions.count, 3)
        try await writer.write { try $0.execute(sql: "ALTER TABLE player RENAME TO p") }
        await expectTrue(errors.wait(forCount: 1)[0].contains("no such table: player"))
        try await writer.write { db in
            try db.execute(sql: "ALTER TABLE p RENAME TO player; DELETE FROM player WHERE id = 2")
        }
        try await expectEqual(iterator.next()?.deletions.map(\.index), [1])
        try writer.close()
        await expectError(DatabaseError.self) { try await iterator.next() }
        _ = list
    }
}
