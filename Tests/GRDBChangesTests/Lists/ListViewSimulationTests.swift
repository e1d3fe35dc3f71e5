@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Views that are fed by differences show what a fresh fetch gives.
@Suite(.databases) struct ListViewSimulationTests {
    /// A view, and all that it has shown.
    ///
    /// `@unchecked Sendable`: only touched under the condition.
    private final class Screen<View>: @unchecked Sendable {
        private let condition = NSCondition()
        private var view: View
        private var history: [[ListedPlayer]] = []

        init(_ view: View) {
            self.view = view
        }

        func update(_ update: (inout View) -> [ListedPlayer]) {
            condition.withLock {
                history.append(update(&view))
                condition.broadcast()
            }
        }

        /// Waits until the view shows a list, and returns it with all that it has shown.
        func wait(until list: [ListedPlayer]) -> (View, [[ListedPlayer]]) {
            let deadline = Date(timeIntervalSinceNow: patience)
            return condition.withLock {
                while history.last != list, condition.wait(until: deadline) {}
                return (view, history)
            }
        }
    }

    /// Whether the lists come in this order among the versions.
    private func isInOrder(_ lists: [[ListedPlayer]], _ versions: [[ListedPlayer]]) -> Bool {
        var rest = versions[...]
        return lists.allSatisfy { list in
            guard let index = rest.firstIndex(of: list) else { return false }
            rest = rest[(index + 1)...]
            return true
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func viewsShowTheListAfterThousandsOfEdits(kind: DatabaseKind) throws {
        // What runs is not logged: it would take much memory.
        let writer: any DatabaseWriter =
            kind == .queue
            ? try DatabaseQueue() : try DatabasePool(path: TestDatabases.makePath())
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.execute(sql: ListedPlayer.schema)
        }
        let screen = Screen(SimulatedListView())
        let sectionedScreen = Screen(SimulatedSectionedView())
        let errors = Log<String>()
        let list = ListObservation.tracking(ListedPlayer.byScore).start(
            in: writer, scheduling: EagerScheduler(), onError: { errors.append("\($0)") },
            onChange: { change in
                screen.update { view in
                    view.apply(change)
                    return change.elements
                }
            })
        let sectionedList = ListObservation.tracking(ListedPlayer.byScore).sections(by: \.team)
            .start(
                in: writer, scheduling: EagerScheduler(), onError: { errors.append("\($0)") },
                onChange: { change in
                    sectionedScreen.update { view in
                        view.apply(change)
                        // A list of one order, whatever the sections.
                        return change.sections.flatMap(\.elements).sorted {
                            ($0.score, $0.id) < ($1.score, $1.id)
                        }
                    }
                })

        var random = SplitMix64(seed: kind == .queue ? 1 : 2)
        var versions: [[ListedPlayer]] = [[]]
        var editCount = 0
        while editCount < 4_000 {
            let count = Int.random(in: 1...4, using: &random)
            editCount += count
            let version = try writer.write { db in
                for _ in 0..<count {
                    try ListedPlayer.edit(db, &random)
                }
                return try ListedPlayer.fetchAll(db, ListedPlayer.byScore)
            }
            if version != versions.last { versions.append(version) }
        }

        let (view, history) = screen.wait(until: versions.last!)
        expectEqual(view.cells, versions.last)
        expectEqual(view.faults.first, nil)
        expectTrue(isInOrder(history, versions))
        expectEqual(list.elements, versions.last)
        let (sectionedView, sectionedHistory) = sectionedScreen.wait(until: versions.last!)
        expectEqual(sectionedView.sections, SimulatedSectionedView.sections(of: versions.last!))
        expectEqual(sectionedView.faults.first, nil)
        expectTrue(isInOrder(sectionedHistory, versions))
        if kind == .queue {
            // One fetch for each commit.
            expectEqual(history.count, versions.count)
            expectEqual(sectionedHistory.count, versions.count)
        }
        expectEqual(errors.elements, [])
        list.cancel()
        sectionedList.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func viewsShowTheListAfterOtherRequests(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { try $0.execute(sql: ListedPlayer.schema) }
        let requests = [
            "SELECT * FROM player ORDER BY score, id",
            "SELECT * FROM player ORDER BY id DESC",
            "SELECT * FROM player WHERE team <> 'red' ORDER BY name, id",
            "SELECT * FROM player ORDER BY team, score, id LIMIT 10",
        ].map { SQLRequest<ListedPlayer>(sql: $0) }
        let screen = Screen(SimulatedListView())
        let errors = Log<String>()
        let list = ListObservation.tracking(requests[0]).start(
            in: writer, scheduling: EagerScheduler(), onError: { errors.append("\($0)") },
            onChange: { change in
                screen.update { view in
                    view.apply(change)
                    return change.elements
                }
            })
        var random = SplitMix64(seed: 3)
        for _ in 0..<300 {
            let request = requests.randomElement(using: &random)!
            list.setRequest(request)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                try writer.write { try ListedPlayer.edit($0, &random) }
            }
            let expected = try writer.read { try request.fetchAll($0) }
            let (view, _) = screen.wait(until: expected)
            expectEqual(view.cells, expected)
            expectEqual(view.faults.first, nil)
        }
        expectEqual(errors.elements, [])
        list.cancel()
    }

    @Test func refreshesAtOnceFollowWhatTheViewShows() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.execute(sql: ListedPlayer.schema) }
        let queue = DispatchQueue(label: "view")
        let screen = Screen(SimulatedListView())
        let list = ListObservation.tracking(ListedPlayer.byScore).start(
            in: dbQueue, scheduling: .async(onQueue: queue), onError: { _ in },
            onChange: { change in
                screen.update { view in
                    view.apply(change)
                    return change.elements
                }
            })
        var random = SplitMix64(seed: 4)
        for _ in 0..<500 {
            // On the queue of the view, what is scheduled waits.
            try queue.sync {
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    try dbQueue.write { try ListedPlayer.edit($0, &random) }
                }
                if Bool.random(using: &random), let change = try list.refreshNow() {
                    screen.update { view in
                        view.apply(change)
                        return change.elements
                    }
                    try expectEqual(
                        dbQueue.read { try ListedPlayer.byScore.fetchAll($0) },
                        change.elements)
                }
            }
        }
        let expected = try dbQueue.read { try ListedPlayer.byScore.fetchAll($0) }
        let (view, _) = screen.wait(until: expected)
        expectEqual(view.cells, expected)
        expectEqual(view.faults.first, nil)
        list.cancel()
    }
}
