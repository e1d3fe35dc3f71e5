import GRDBChanges
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "FetchedRecordsController": what a controller did is done by `ListObservation`.
///
/// The main thread of the guide is a serial queue here, as its last snippet shows.
@Suite(.databases) struct Guide107FetchedRecordsTests {
    private struct Person: Codable, Equatable, Sendable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "persons"
        var id: Int64
        var name: String
        var countryIsoCode: String?
    }

    /// The rows of a table view: updated by changes, never by a list.
    private final class TableView: @unchecked Sendable {
        let queue = DispatchQueue(label: "main")
        let log = Log<String>()
        private var rows: [String] = []

        var names: [String] { queue.sync { rows } }

        /// On the queue.
        func apply(_ change: ListChange<Person>) {
            dispatchPrecondition(condition: .onQueue(queue))
            var rows = rows
            for index in (change.deletions.map(\.index) + change.moves.map(\.oldIndex))
                .sorted().reversed()
            {
                rows.remove(at: index)
            }
            let arrivals =
                change.insertions.map { ($0.index, $0.element.name) }
                + change.moves.map { ($0.index, $0.element.name) }
            for (index, name) in arrivals.sorted(by: { $0.0 < $1.0 }) {
                rows.insert(name, at: index)
            }
            for update in change.updates { rows[update.index] = update.element.name }
            self.rows = rows
            log.append(rows.joined(separator: " "))
        }
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons(id INTEGER PRIMARY KEY, name TEXT, countryIsoCode TEXT);
                    CREATE TABLE books(id INTEGER PRIMARY KEY, authorId INTEGER);
                    """)
            try Person(id: 1, name: "Arthur", countryIsoCode: "FR").insert(db)
            try Person(id: 2, name: "Barbara", countryIsoCode: "US").insert(db)
        }
        return writer
    }

    /// "Using a Request from the Query Interface", and "Implementing Table View Updates".
    @Test(arguments: DatabaseKind.allCases)
    func tableViewUpdates(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let tableView = TableView()
        let list = ListObservation.tracking(Person.order(Column("name"))).start(
            in: dbQueue, scheduling: .async(onQueue: tableView.queue),
            onError: { Issue.record($0) }, onChange: { tableView.apply($0) })
        expectEqual(tableView.log.wait(forCount: 1), ["Arthur Barbara"])
        dbQueue.writeWithoutTransaction { _ in }

        // One explicit transaction: all changes together.
        try dbQueue.write { db in
            try Person(id: 3, name: "Craig").insert(db)
            try Person(id: 4, name: "Abel").insert(db)
            try Person(id: 1, name: "Zoe", countryIsoCode: "FR").update(db)
        }
        expectEqual(tableView.log.wait(forCount: 2).last, "Abel Barbara Craig Zoe")

        // One that is rolled back is not notified, nor is one that changes no list.
        try? dbQueue.write { db in
            _ = try Person.deleteAll(db)
            throw CancellationError()
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO books VALUES (1, 1)") }
        try dbQueue.write { _ = try Person.deleteOne($0, key: 2) }
        expectEqual(tableView.log.wait(forCount: 3).last, "Abel Craig Zoe")
        expectEqual(tableView.log.elements.count, 3)
        expectEqual(list.elements.map(\.id), [4, 3, 1])
        list.cancel()
    }

    /// "Using SQL, and eventual arguments", of several tables.
    @Test(arguments: DatabaseKind.allCases)
    func requestOfSeveralTables(kind: DatabaseKind) throws {
        struct Author: Decodable, Equatable, Sendable, FetchableRecord {
            var name: String
            var bookCount: Int
        }
        let dbQueue = try makeWriter(kind)
        let log = Log<String>()
        let list = ListObservation.tracking(
            SQLRequest<Author>(
                sql: """
                    SELECT persons.name, COUNT(books.id) AS bookCount
                    FROM persons
                    LEFT JOIN books ON books.authorId = persons.id
                    WHERE countryIsoCode = ?
                    GROUP BY persons.id
                    ORDER BY persons.name
                    """, arguments: ["FR"]),
            id: \.name
        ).start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "main")),
            onError: { Issue.record($0) },
            onChange: { change in
                log.append(
                    change.elements.map { "\($0.name) \($0.bookCount)" }.joined(separator: ", "))
            })
        log.wait(forCount: 1)
        dbQueue.writeWithoutTransaction { _ in }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO books VALUES (1, 1), (2, 2)") }
        // Values that follow one another quickly may be skipped.
        log.wait(forCount: 2)
        // A column that the request does not use.
        try dbQueue.write { try $0.execute(sql: "UPDATE books SET id = id + 10 WHERE id = 0") }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO books VALUES (3, 1)") }
        expectEqual(log.wait(forCount: 3), ["Arthur 0", "Arthur 1", "Arthur 2"])
        list.cancel()
    }

    /// "fetchAlongside".
    @Test(arguments: DatabaseKind.allCases)
    func valuesFetchedAlongsideAreConsistent(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let log = Log<[Int]>()
        let list = ListObservation.tracking(Person.order(Column("name")))
            .fetchingAlongside { db in try Person.fetchCount(db) }
            .start(
                in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "main")),
                onError: { Issue.record($0) },
                onChange: { change, count in log.append([change.elements.count, count]) })
        log.wait(forCount: 1)
        dbQueue.writeWithoutTransaction { _ in }
        for id in 3..<10 {
            try dbQueue.write { try Person(id: Int64(id), name: "P\(id)").insert($0) }
        }
        // Some transactions may share a change.
        var counts = log.elements
        while counts.last != [9, 9] { counts = log.wait(forCount: counts.count + 1) }
        expectTrue(counts.allSatisfy { $0[0] == $0[1] })
        list.cancel()
    }

    /// "trackErrors": the observation is not stopped.
    @Test(arguments: DatabaseKind.allCases)
    func errorsDoNotStopTheObservation(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let tableView = TableView()
        let errors = Log<String>()
        let list = ListObservation.tracking(Person.order(Column("name"))).start(
            in: dbQueue, scheduling: .async(onQueue: tableView.queue),
            onError: { error in errors.append("Missed a transaction because \(error)") },
            onChange: { tableView.apply($0) })
        tableView.log.wait(forCount: 1)
        dbQueue.writeWithoutTransaction { _ in }
        try dbQueue.write { try $0.execute(sql: "ALTER TABLE persons RENAME TO people") }
        expectEqual(errors.wait(forCount: 1).first?.contains("no such table: persons"), true)
        try dbQueue.write { db in
            try db.execute(sql: "ALTER TABLE people RENAME TO persons")
            try Person(id: 3, name: "Craig").insert(db)
        }
        // The changes are those since the last list.
        expectEqual(tableView.log.wait(forCount: 2).last, "Arthur Barbara Craig")
        list.cancel()
    }

    /// "Modifying the Fetch Request", and "performFetch".
    @Test(arguments: DatabaseKind.allCases)
    func modifiedRequest(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let tableView = TableView()
        let list = ListObservation.tracking(Person.order(Column("name"))).start(
            in: dbQueue, scheduling: .async(onQueue: tableView.queue),
            onError: { Issue.record($0) }, onChange: { tableView.apply($0) })
        expectEqual(tableView.log.wait(forCount: 1), ["Arthur Barbara"])
        dbQueue.writeWithoutTransaction { _ in }
        list.setRequest(Person.order(Column("name").desc))
        expectEqual(tableView.log.wait(forCount: 2).last, "Barbara Arthur")
        list.setRequest(
            SQLRequest<Person>(
                sql: "SELECT * FROM persons WHERE countryIsoCode = ?", arguments: ["US"]))
        expectEqual(tableView.log.wait(forCount: 3).last, "Barbara")

        // At once, where changes are delivered. Callbacks are not called then.
        try tableView.queue.sync {
            try dbQueue.write { try Person(id: 3, name: "Craig", countryIsoCode: "US").insert($0) }
            let change = try list.refreshNow()
            expectEqual(change?.elements.map(\.name), ["Barbara", "Craig"])
            expectEqual(list.elements.map(\.name), ["Barbara", "Craig"])
        }
        expectEqual(tableView.log.elements.count, 3)
        list.cancel()
    }

    /// "isSameRecord".
    @Test func identityOfOtherTypes() throws {
        struct Name: Decodable, Equatable, Sendable, FetchableRecord {
            var id: Int
            var name: String
        }
        let dbQueue = try makeWriter(.queue)
        let log = Log<String>()
        let list = ListObservation.tracking(
            SQLRequest<Name>(sql: "SELECT id, name FROM persons ORDER BY id"), id: \.id
        ).start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "main")),
            onError: { Issue.record($0) },
            onChange: { change in
                log.append(
                    change.updates.flatMap(\.columns)
                        .map { "\($0.name): \($0.oldValue) -> \($0.newValue)" }
                        .joined(separator: ", "))
            })
        log.wait(forCount: 1)
        dbQueue.writeWithoutTransaction { _ in }
        try dbQueue.write { try $0.execute(sql: "UPDATE persons SET name = 'Zoe' WHERE id = 1") }
        expectEqual(log.wait(forCount: 2).last, #"name: "Arthur" -> "Zoe""#)
        list.cancel()
    }
}
