@testable import GRDBChanges
import Foundation
import GRDBTestSupport

@testable import GRDB

/// Feeds mutated changesets to everything that takes one.
struct ChangesetFuzz {
    private var random: SplitMix64
    private let dbQueue: DatabaseQueue
    private let seeds: [Data]
    private let resolutions: [Data]

    private(set) var refusedCount = 0
    private(set) var appliedCount = 0
    private(set) var failedCount = 0

    /// What must not happen.
    private(set) var failures: [String] = []

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        dbQueue = try TestDatabases.makeQueue(.memory, Configuration())
        var seeds: [Data] = []
        var resolutions: [Data] = []
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b DEFAULT 5, c);
                    CREATE TABLE w(k TEXT, l, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
                    CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t(id));
                    CREATE TABLE keys(a, b, PRIMARY KEY (a, b));
                    CREATE TABLE log(id INTEGER PRIMARY KEY, text CHECK (length(text) < 9));
                    CREATE TABLE plain(a, b);
                    CREATE TRIGGER tr AFTER UPDATE ON t BEGIN
                      INSERT INTO log(text) VALUES (NEW.a);
                    END;
                    INSERT INTO t VALUES (1, 'one', 1, NULL), (2, 'two', 2.5, x'00ff'), (3, 3, 3, 3);
                    INSERT INTO w VALUES ('x', 1, 'long text of several words'), ('y', 2, NULL);
                    INSERT INTO child VALUES (1, 1), (2, 3);
                    INSERT INTO keys VALUES (1, 2), ('a', 'b');
                    ANALYZE
                    """)
            let scripts = [
                "UPDATE t SET a = a || 'x', b = NULL",
                "INSERT INTO t VALUES (4, 'four', 4, 4), (5, '', x'', 1e300)",
                "DELETE FROM child; DELETE FROM t",
                "UPDATE w SET v = 7; DELETE FROM keys; INSERT INTO keys VALUES (7, 'x')",
                "UPDATE t SET id = id + 10 WHERE id = 2; UPDATE child SET t = 12 WHERE id = 1",
                "INSERT INTO plain VALUES (1, 2); UPDATE t SET a = 'three' WHERE id = 3; ANALYZE",
            ]
            for script in scripts {
                for isPatchset in [false, true] {
                    try db.inTransaction {
                        let session = try db.makeSession(options: .rowIDs)
                        try session.attachAllTables()
                        try db.execute(sql: script)
                        let changeset =
                            try isPatchset ? session.patchset() : session.changeset()
                        seeds.append(changeset.data)
                        let application = try db.apply(
                            changeset, options: [.skippingMismatchedTables]
                        ) { $0.canReplace ? .replace : .omit }
                        resolutions.append(application.resolutions.data)
                        return .rollback
                    }
                }
            }
        }
        self.seeds = seeds
        self.resolutions = resolutions.filter { !$0.isEmpty }
    }

    mutating func run(count: Int) throws {
        for _ in 0..<count { try runOnce() }
    }

    private mutating func runOnce() throws {
        let changeset: Changeset
        do {
            changeset = try Changeset(data: mutation(of: seeds))
        } catch {
            note(error, "opening")
            refusedCount += 1
            return
        }
        let random = random.next()
        let dbQueue = dbQueue
        let bytes = changeset.data.base64EncodedString()
        try use("describing \(bytes)") { _ = changeset.map(\.description) }
        try use("inverting \(bytes)") { _ = try Changeset(data: changeset.inverted().data) }
        try use("doubling \(bytes)") { _ = try changeset.combined(with: changeset) }
        if let other = try? Changeset(data: mutation(of: seeds)) {
            try use("combining \(bytes) with \(other.data.base64EncodedString())") {
                _ = try Changeset(data: changeset.combined(with: other).data)
            }
        }
        if let resolutions = try? ConflictResolutions(data: mutation(of: resolutions)) {
            try use("rebasing \(bytes) on \(resolutions.data.base64EncodedString())") {
                _ = try Changeset(data: changeset.rebased(on: resolutions).data)
            }
        }
        try use("applying \(bytes), options \(random & 63)") {
            try dbQueue.writeWithoutTransaction { db in
                try db.inTransaction {
                    var options = ChangesetApplyOptions.skippingMismatchedTables
                    if random & 1 != 0, !changeset.isPatchset { options.insert(.inverted) }
                    if random & 2 != 0 { options.insert(.ignoringNoops) }
                    if random & 4 != 0 { options.insert(.withoutSavepoint) }
                    if random & 8 != 0 { options.insert(.withoutForeignKeyActions) }
                    let resolve = { (conflict: ChangesetConflict) in
                        _ = conflict.description
                        return conflict.canReplace && random & 32 != 0
                            ? ChangesetConflict.Resolution.replace : .omit
                    }
                    if random & 16 != 0 {
                        try db.apply(
                            changeset, filter: { !$0.description.isEmpty }, options: options,
                            onConflict: resolve)
                    } else {
                        try db.apply(changeset, options: options, onConflict: resolve)
                    }
                    return .rollback
                }
            }
        }
        appliedCount += 1
        try dbQueue.read { db in
            if db.isInsideTransaction, try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") != 3 {
                failures.append("the database has changed")
            }
        }
    }

    private mutating func use(
        _ operation: @autoclosure () -> String, _ body: () throws -> Void
    ) throws {
        do { try body() } catch { note(error, operation()) }
    }

    /// Only errors that have a name are expected.
    private mutating func note(_ error: any Error, _ operation: @autoclosure () -> String) {
        failedCount += 1
        switch error {
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_SCHEMA, .SQLITE_MISUSE, .SQLITE_CONSTRAINT,
                .SQLITE_MISMATCH, .SQLITE_TOOBIG:
                break
            case .SQLITE_ERROR
            where error.message?.contains("may not be modified") == true:
                break
            default:
                failures.append("\(error): \(operation())")
            }
        case is ChangesetConflictError:
            break
        default:
            failures.append("\(error): \(operation())")
        }
    }

    // MARK: - Mutations

    private mutating func mutation(of seeds: [Data]) -> Data {
        var data = seeds.randomElement(using: &random)!
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if data.isEmpty { break }
            let index = Int.random(in: 0..<data.count, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0: data[index] = UInt8.random(in: 0...255, using: &random)
            case 1: data[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: data.remove(at: index)
            case 3: data.insert(UInt8.random(in: 0...255, using: &random), at: index)
            case 4: data = data.prefix(index)
            case 5:
                data[index] = [0, 1, 5, 9, 18, 23, 0x50, 0x54, 0x7f, 0x80, 0xff].randomElement(
                    using: &random)!
            case 6:
                let other = seeds.randomElement(using: &random)!
                data.append(other)
            case 7:
                let end = Int.random(in: index..<data.count, using: &random)
                data.append(data.subdata(in: index..<end))
            default:
                let other = seeds.randomElement(using: &random)!
                let start = Int.random(in: 0..<other.count, using: &random)
                data.replaceSubrange(index..., with: other[start...])
            }
            data = Data(data)
        }
        return data
    }
}
