import Dispatch
import Foundation
import GRDB

// Transactions of one row, without and with observations of values.

/// What an observation has delivered.
///
/// `@unchecked Sendable`: everything is behind a lock.
private final class Deliveries: @unchecked Sendable {
    private let condition = NSCondition()
    private var latest: [Int: Int] = [:]
    private var number = 0

    /// The number of values.
    var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return number
    }

    func add(_ value: Int, from observation: Int = 0) {
        condition.lock()
        latest[observation] = value
        number += 1
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for a value, which must come: the last one is never lost.
    func wait(for value: Int, from observation: Int = 0) {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: 60)
        while latest[observation] != value {
            precondition(condition.wait(until: deadline), "The value \(value) was not delivered")
        }
    }
}

/// A database with a thousand players, and how their scores are written and observed.
private final class Players {
    let writer: any DatabaseWriter
    private var cancellables: [AnyDatabaseCancellable] = []
    let deliveries = Deliveries()
    private var score = 0

    static let count = 1000

    init(_ writer: any DatabaseWriter) throws {
        self.writer = writer
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; DROP TABLE IF EXISTS observed")
            try db.inTransaction {
                try db.execute(
                    sql: "CREATE TABLE observed(id INTEGER PRIMARY KEY, score INTEGER)")
                for id in 1...Self.count {
                    try db.execute(
                        sql: "INSERT INTO observed VALUES (?, 0)", arguments: [id])
                }
                return .commit
            }
        }
    }

    /// Observes the score of a player, as the number of the player.
    func observe(_ id: Int) {
        let request = Table("observed").filter(key: id).select(Column("score"), as: Int.self)
        let deliveries = deliveries
        cancellables.append(
            ValueObservation.tracking(region: request, fetch: { try request.fetchOne($0) ?? -1 })
                .start(
                    in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                    onError: { fatalError("\($0)") },
                    onChange: { deliveries.add($0, from: id) }))
        deliveries.wait(for: 0, from: id)
        // Until it tracks.
        writer.writeWithoutTransaction { _ in }
    }

    /// Changes one player a transaction.
    ///
    /// - parameter id: the player of a transaction.
    /// - returns: the latest score.
    func write(_ transactionCount: Int, _ id: (Int) -> Int) throws -> Int {
        for index in 0..<transactionCount {
            score += 1
            let arguments: StatementArguments = [score, id(index)]
            try writer.write { db in
                try db.execute(
                    sql: "UPDATE observed SET score = ? WHERE id = ?", arguments: arguments)
            }
        }
        return score
    }
}

/// A database that is made when its workload runs.
private final class Lazily {
    private let make: () throws -> Players
    private var players: Players?

    init(_ make: @escaping () throws -> Players) {
        self.make = make
    }

    func get() throws -> Players {
        if let players { return players }
        let players = try make()
        self.players = players
        return players
    }
}

func valueObservationWorkloads() -> [Workload] {
    let transactionCount = 10_000

    func players(_ kind: String, _ name: String, observed ids: ClosedRange<Int>?) -> Lazily {
        Lazily {
            // Who writes may have to wait for a reader that recovers the WAL.
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            let players = try Players(
                kind == "queue"
                    ? DatabaseQueue()
                    : DatabasePool(path: path + "-" + name, configuration: configuration))
            ids?.forEach { players.observe($0) }
            return players
        }
    }

    /// All rows in turn: one transaction of a thousand changes the observed one.
    func ofAllRows(_ kind: String, _ clock: Workload.Clock) -> Workload {
        let plain = players(kind, "plain-\(clock)", observed: nil)
        let observed = players(
            kind, "observed-\(clock)", observed: Players.count...Players.count)
        return Workload(
            name: "\(kind), 1 row of 1000 observed / none, \(clock)", count: transactionCount,
            clock: clock
        ) {
            try plain.get().write(transactionCount) { $0 % Players.count + 1 }
        } library: {
            let observed = try observed.get()
            let score = try observed.write(transactionCount) { $0 % Players.count + 1 }
            observed.deliveries.wait(for: score, from: Players.count)
            return score
        }
    }

    /// The observed row only.
    func ofOneRow(_ kind: String, _ clock: Workload.Clock) -> Workload {
        let plain = players(kind, "plain-row-\(clock)", observed: nil)
        let observed = players(kind, "observed-row-\(clock)", observed: 1...1)
        return Workload(
            name: "\(kind), the written row observed / none, \(clock)", count: transactionCount,
            clock: clock
        ) {
            try plain.get().write(transactionCount) { _ in 1 }
        } library: {
            let observed = try observed.get()
            let score = try observed.write(transactionCount) { _ in 1 }
            observed.deliveries.wait(for: score, from: 1)
            return score
        }
    }

    /// A thousand observations of as many rows: a transaction wakes its own.
    func ofThousand(_ kind: String) -> Workload {
        let one = players(kind, "one", observed: 1...1)
        let thousand = players(kind, "thousand", observed: 1...Players.count)
        var isChecked = false
        return Workload(
            name: "\(kind), 1000 observations / one", count: transactionCount, clock: .process
        ) {
            let one = try one.get()
            let score = try one.write(transactionCount) { _ in 1 }
            one.deliveries.wait(for: score, from: 1)
            return 0
        } library: {
            let thousand = try thousand.get()
            if !isChecked {
                isChecked = true
                // One at a time: none shares a value with another.
                let count = thousand.deliveries.count
                for id in 1...Players.count {
                    let score = try thousand.write(1) { _ in id }
                    thousand.deliveries.wait(for: score, from: id)
                }
                precondition(
                    thousand.deliveries.count == count + Players.count,
                    "\(thousand.deliveries.count - count) values of 1000 transactions")
            }
            let score = try thousand.write(transactionCount) { _ in 1 }
            thousand.deliveries.wait(for: score, from: 1)
            return 0
        }
    }

    return ["queue", "pool"].flatMap { kind in
        [
            ofAllRows(kind, .process), ofAllRows(kind, .writer), ofOneRow(kind, .process),
            ofOneRow(kind, .writer), ofThousand(kind),
        ]
    }
}
