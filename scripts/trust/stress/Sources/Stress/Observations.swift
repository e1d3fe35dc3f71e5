import Dispatch
import Foundation
import GRDB

/// A value that says when it is freed.
private final class Token: Sendable {
    static let alive = Counter()

    init() { Self.alive.add() }

    deinit { Self.alive.add(-1) }
}

/// 200 observations that tasks start and cancel, while two writers write: on a pool, on a queue, shared
/// or not. Their values must never go back, the last ones must be right, and nothing may stay alive.
func observations(seconds: Int) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let delivered = Counter()
    let started = Counter()
    let written = Counter()
    for kind in ["pool", "queue"] {
        weak var weakWriter: (any DatabaseWriter)?
        try await observe(
            kind == "pool"
                ? DatabasePool(path: folder + "/pool.sqlite")
                : DatabaseQueue(path: folder + "/queue.sqlite"),
            seconds: max(1, seconds / 2), started, delivered, written, &weakWriter)
        // What was sent to a queue goes away a little later.
        let deadline = Date(timeIntervalSinceNow: 30)
        while weakWriter != nil || Token.alive.value > 0, Date() < deadline {
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        expect(weakWriter == nil, "the \(kind) is alive")
        expect(Token.alive.value == 0, "\(Token.alive.value) observations of a \(kind) are alive")
    }
    print(
        """
        observe, \(seconds) s: \(started.value) observations, \(delivered.value) values, \
        \(written.value) transactions, \(failures.count) failures
        """)
}

private func observe(
    _ writer: any DatabaseWriter, seconds: Int, _ started: Counter, _ delivered: Counter,
    _ written: Counter, _ weakWriter: inout (any DatabaseWriter)?
) async throws {
    weakWriter = writer
    try await writer.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER NOT NULL)")
        for id in 0..<100 {
            try db.execute(sql: "INSERT INTO t VALUES (?, 0)", arguments: [id])
        }
    }
    let end = Date(timeIntervalSinceNow: Double(seconds))
    let shared = ValueObservation.trackingConstantRegion(total).shared(
        in: writer, scheduling: .task)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
            group.addTask {
                while Date() < end {
                    try await writer.write { db in
                        try db.execute(
                            sql: "UPDATE t SET a = a + 1 WHERE id = ?",
                            arguments: [Int.random(in: 0..<100)])
                    }
                    written.add()
                    await Task.yield()
                }
            }
        }
        for index in 0..<200 {
            group.addTask {
                while Date() < end {
                    started.add()
                    try await observeOnce(writer, shared, index, delivered)
                }
            }
        }
        try await group.waitForAll()
    }
    // The last value of an observation is what there is.
    let expected = try await writer.read(total)
    for try await value in shared.values() {
        delivered.add()
        if value == expected { break }
    }
}

@Sendable private func total(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t") ?? 0
}

private func observeOnce(
    _ writer: any DatabaseWriter, _ shared: SharedValueObservation<Int>, _ index: Int,
    _ delivered: Counter
) async throws {
    let token = Token()
    let id = index % 100
    let values: AsyncValueObservation<Int>
    switch index % 4 {
    case 0:
        values = ValueObservation.tracking { db in
            withExtendedLifetime(token) {}
            return try Int.fetchOne(db, sql: "SELECT a FROM t WHERE id = \(id)") ?? -1
        }.values(in: writer)
    case 1:
        values = ValueObservation.trackingConstantRegion { db in
            withExtendedLifetime(token) {}
            return try total(db)
        }.removeDuplicates().values(in: writer, bufferingPolicy: .bufferingNewest(1))
    case 2:
        values = shared.values()
    default:
        values = ValueObservation.tracking(
            region: Table("t").filter(key: id),
            fetch: { db in
                withExtendedLifetime(token) {}
                return try total(db)
            }
        ).values(in: writer)
    }
    let lifetime = UInt64.random(in: 0..<50_000_000)
    let task = Task {
        var latest = -1
        for try await value in values {
            expect(value >= latest, "a value goes back from \(latest) to \(value)")
            latest = value
            delivered.add()
        }
    }
    try await Task.sleep(nanoseconds: lifetime)
    task.cancel()
    try await task.value
}
