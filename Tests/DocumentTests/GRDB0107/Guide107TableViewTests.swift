import GRDBChanges
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "FetchedRecordsController": its table views, their data sources, and the threads of its
/// callbacks. See `Guide107FetchedRecordsTests` for the rest.
@Suite(.databases) struct Guide107TableViewTests {
    private struct Person: Codable, Equatable, Sendable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "persons"
        var id: Int64
        var name: String
        var countryIsoCode: String
    }

    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons(id INTEGER PRIMARY KEY, name TEXT, countryIsoCode TEXT)
                    """)
            try Person(id: 1, name: "Arthur", countryIsoCode: "FR").insert(db)
            try Person(id: 2, name: "Barbara", countryIsoCode: "US").insert(db)
        }
        return writer
    }

    /// A table view that asks its data source for what it shows, as those of UIKit do: for the rows that
    /// it is told of, and for all of them if it is reloaded.
    @MainActor private final class TableView {
        weak var dataSource: PersonsController?
        private(set) var cells: [[String]] = []
        private(set) var calls: [String] = []
        private var deletedRows: [IndexPath] = []
        private var insertedRows: [IndexPath] = []
        private var deletedSections: [Int] = []
        private var insertedSections: [Int] = []

        func reloadData() {
            calls.append("reload")
            cells = (0..<dataSource!.numberOfSections()).map { section in
                (0..<dataSource!.numberOfRows(inSection: section)).map { row in
                    dataSource!.cell(at: IndexPath(indexes: [section, row]))
                }
            }
        }

        func beginUpdates() { calls.append("begin") }

        func deleteRow(at path: IndexPath) { deletedRows.append(path) }
        func insertRow(at path: IndexPath) { insertedRows.append(path) }
        func deleteSection(_ section: Int) { deletedSections.append(section) }
        func insertSection(_ section: Int) { insertedSections.append(section) }

        func cellForRow(at path: IndexPath, configure: (inout String) -> Void) {
            calls.append("configure \(path[0]).\(path[1])")
            configure(&cells[path[0]][path[1]])
        }

        func endUpdates() {
            func text(_ paths: [IndexPath]) -> String {
                paths.map { "\($0[0]).\($0[1])" }.joined(separator: " ")
            }
            calls.append("delete \(text(deletedRows)) insert \(text(insertedRows))")
            for path in deletedRows.sorted().reversed() { cells[path[0]].remove(at: path[1]) }
            for section in deletedSections.sorted().reversed() { cells.remove(at: section) }
            for section in insertedSections.sorted() {
                cells.insert(
                    (0..<dataSource!.numberOfRows(inSection: section)).map {
                        dataSource!.cell(at: IndexPath(indexes: [section, $0]))
                    }, at: section)
            }
            for path in insertedRows.sorted() {
                cells[path[0]].insert(dataSource!.cell(at: path), at: path[1])
            }
            (deletedRows, insertedRows, deletedSections, insertedSections) = ([], [], [], [])
        }
    }

    /// The view controller of the guide. It owns the list, which does not own it.
    @MainActor private final class PersonsController {
        let tableView = TableView()
        private var list: ObservedList<Person, SectionedListChange<String, Person>>?
        private var sections: [ListSection<String, Person>] = []
        private let onUpdate: () -> Void

        init(onUpdate: @escaping () -> Void = {}) {
            self.onUpdate = onUpdate
            tableView.dataSource = self
        }

        func load(
            _ observation: ListObservation<Person, SectionedListChange<String, Person>>,
            in reader: any DatabaseReader, reloads: Bool = false
        ) {
            list = observation.start(in: reader, scheduling: .immediate) { error in
                Issue.record(error)
            } onChange: { [unowned self] change in
                if reloads || sections.isEmpty {
                    sections = change.sections
                    self.tableView.reloadData()
                } else {
                    update(change)
                }
                onUpdate()
            }
        }

        private func update(_ change: SectionedListChange<String, Person>) {
            // controller's records are about to change:
            tableView.beginUpdates()
            sections = change.sections
            // notification of individual record changes:
            change.sectionDeletions.forEach(tableView.deleteSection)
            change.sectionInsertions.forEach(tableView.insertSection)
            for deletion in change.deletions {
                tableView.deleteRow(at: deletion.index)
            }
            for insertion in change.insertions {
                tableView.insertRow(at: insertion.index)
            }
            for move in change.moves {
                tableView.deleteRow(at: move.oldIndex)
                tableView.insertRow(at: move.index)
            }
            // controller's records have changed:
            tableView.endUpdates()
            for update in change.updates {
                tableView.cellForRow(at: update.index) { configure(&$0, at: update.index) }
            }
        }

        /// "You can cancel them, and refresh records immediately"
        func performFetch() throws {
            if let change = try list?.refreshNow() { update(change) }
        }

        func setRequest(_ request: QueryInterfaceRequest<Person>) {
            list?.setRequest(request)
        }

        // Data source

        func numberOfSections() -> Int {
            return sections.count
        }

        func numberOfRows(inSection section: Int) -> Int {
            return sections[section].elements.count
        }

        func cell(at indexPath: IndexPath) -> String {
            var cell = ""
            configure(&cell, at: indexPath)
            return cell
        }

        private func configure(_ cell: inout String, at indexPath: IndexPath) {
            let person = sections[indexPath[0]].elements[indexPath[1]]
            // Configure the cell
            cell = person.name
        }
    }

    /// "it generates a unique section"
    private static let oneSection = ListObservation.tracking(Person.order(Column("name")))
        .sections { _ in "" }

    private static let countries = ListObservation.tracking(
        Person.order(Column("countryIsoCode"), Column("name"))
    ).sections(by: \.countryIsoCode)

    /// "Implementing the Table View Datasource Methods", and a table view that is reloaded.
    @Test(arguments: DatabaseKind.allCases) @MainActor
    func reloadedTableView(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
        let controller = PersonsController { continuation.yield() }
        controller.load(Self.oneSection, in: dbQueue, reloads: true)
        expectEqual(controller.tableView.cells, [["Arthur", "Barbara"]])
        var iterator = updates.makeAsyncIterator()
        await iterator.next()
        try await dbQueue.write { try Person(id: 3, name: "Abel", countryIsoCode: "FR").insert($0) }
        await iterator.next()
        expectEqual(controller.tableView.cells, [["Abel", "Arthur", "Barbara"]])
        expectEqual(controller.tableView.calls, ["reload", "reload"])
    }

    /// "Implementing Table View Updates"
    @Test(arguments: DatabaseKind.allCases) @MainActor
    func animatedTableView(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
        let controller = PersonsController { continuation.yield() }
        let tableView = controller.tableView
        controller.load(Self.oneSection, in: dbQueue)
        var iterator = updates.makeAsyncIterator()
        await iterator.next()
        try await dbQueue.writeWithoutTransaction { _ in }

        // An insertion and a deletion
        try await dbQueue.write { db in
            try Person(id: 3, name: "Craig", countryIsoCode: "FR").insert(db)
            _ = try Person.deleteOne(db, key: 1)
        }
        await iterator.next()
        expectEqual(tableView.cells, [["Barbara", "Craig"]])
        // An update, in place
        try await dbQueue.write { db in
            try Person(id: 3, name: "Connor", countryIsoCode: "FR").update(db)
        }
        await iterator.next()
        expectEqual(tableView.cells, [["Barbara", "Connor"]])
        // A move
        try await dbQueue.write { db in
            try Person(id: 3, name: "Adam", countryIsoCode: "FR").update(db)
        }
        await iterator.next()
        expectEqual(tableView.cells, [["Adam", "Barbara"]])
        let calls = tableView.calls
        expectEqual(calls[0], "reload")
        expectEqual(calls[2], "delete 0.0 insert 0.1")
        expectTrue(calls.contains("configure 0.1"))
        expectEqual(calls.filter { $0 == "begin" }.count, 3)
    }

    /// What a controller could not do.
    @Test(arguments: DatabaseKind.allCases) @MainActor
    func sectionsOfATableView(kind: DatabaseKind) async throws {
        let dbQueue = try makeWriter(kind)
        let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
        let controller = PersonsController { continuation.yield() }
        let tableView = controller.tableView
        controller.load(Self.countries, in: dbQueue)
        expectEqual(tableView.cells, [["Arthur"], ["Barbara"]])
        var iterator = updates.makeAsyncIterator()
        await iterator.next()
        try await dbQueue.writeWithoutTransaction { _ in }
        try await dbQueue.write { db in
            try Person(id: 3, name: "Helga", countryIsoCode: "DE").insert(db)
            try Person(id: 1, name: "Arthur", countryIsoCode: "US").update(db)
        }
        await iterator.next()
        expectEqual(tableView.cells, [["Helga"], ["Arthur", "Barbara"]])
        expectEqual(controller.numberOfSections(), 2)
        expectEqual(controller.numberOfRows(inSection: 1), 2)
    }

    /// "Change database on the main thread": callbacks come later, unless the list is refreshed.
    @Test(arguments: DatabaseKind.allCases) @MainActor
    func refreshesOnTheMainThread(kind: DatabaseKind) throws {
        func insert(_ writer: any DatabaseWriter) throws {
            try writer.write { db in
                try Person(id: 3, name: "Craig", countryIsoCode: "FR").insert(db)
            }
        }
        let dbQueue = try makeWriter(kind)
        let controller = PersonsController()
        controller.load(Self.oneSection, in: dbQueue)
        // Change database on the main thread:
        try insert(dbQueue)
        // Here callbacks have not been called yet.
        expectEqual(controller.tableView.cells, [["Arthur", "Barbara"]])
        // You can cancel them, and refresh records immediately:
        try controller.performFetch()
        expectEqual(controller.tableView.cells, [["Arthur", "Barbara", "Craig"]])

        // Change request on the main thread:
        controller.setRequest(Person.filter(Column("id") < 3).order(Column("name").desc))
        expectEqual(controller.tableView.cells, [["Arthur", "Barbara", "Craig"]])
        try controller.performFetch()
        expectEqual(controller.tableView.cells, [["Barbara", "Arthur"]])
    }

    /// The view controller is freed, and the observation with it.
    @Test(arguments: DatabaseKind.allCases) @MainActor
    func controllersAreFreed(kind: DatabaseKind) throws {
        func delete(_ writer: any DatabaseWriter) throws {
            try writer.write { _ = try Person.deleteAll($0) }
            writer.writeWithoutTransaction { _ in }
        }
        let dbQueue = try makeWriter(kind)
        weak var weakController: PersonsController?
        do {
            let controller = PersonsController()
            controller.load(Self.oneSection, in: dbQueue)
            weakController = controller
        }
        expectNil(weakController)
        let sql = try TestDatabases.sql { try delete(dbQueue) }
        expectTrue(!sql.contains { $0.contains("SELECT") && $0.contains("persons") })
    }

    /// "Transactions can be explicit, or implicit", and callbacks on a serial queue.
    @Test(arguments: DatabaseKind.allCases)
    func implicitTransactions(kind: DatabaseKind) throws {
        let dbQueue = try makeWriter(kind)
        let queue = DispatchQueue(label: "main")
        let names = Log<[String]>()
        let list = ListObservation.tracking(Person.order(Column("name"))).start(
            in: dbQueue, scheduling: .async(onQueue: queue), onError: { Issue.record($0) },
            onChange: { change in
                dispatchPrecondition(condition: .onQueue(queue))
                // When you only need to grab the latest results
                names.append(change.elements.map(\.name))
            })
        names.wait(forCount: 1)
        dbQueue.writeWithoutTransaction { _ in }
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction {
                try Person(id: 3, name: "Craig", countryIsoCode: "FR").insert(db)
                try Person(id: 4, name: "David", countryIsoCode: "FR").insert(db)
                return .commit  // Explicit transaction
            }
        }
        expectEqual(names.wait(forCount: 2).last, ["Arthur", "Barbara", "Craig", "David"])
        try dbQueue.writeWithoutTransaction { db in
            try Person(id: 5, name: "Eve", countryIsoCode: "FR").insert(db)  // Implicit transaction
            try Person(id: 6, name: "Fay", countryIsoCode: "FR").insert(db)  // Implicit transaction
        }
        // A pool may fetch once for both.
        var count = 3
        while names.wait(forCount: count).last?.count != 6 { count += 1 }
        expectEqual(list.elements.map(\.name).last, "Fay")
        list.cancel()
    }
}
