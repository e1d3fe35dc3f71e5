import Foundation

/// The same numbers for the same seed.
struct ModelRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// What a database contains, without SQLite.
struct ModelContent: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var a: Int
        var u: Int?
    }

    /// The table `t(id INTEGER PRIMARY KEY, a INTEGER CHECK (a < 100), u INTEGER UNIQUE)`.
    var items: [Int: Item] = [:]
    /// The table `f(id INTEGER PRIMARY KEY, data BLOB)`.
    var blobs: [Int: [UInt8]] = [:]
    /// The numbers of the tables `e0`, `e1`…
    var tables: Set<Int> = []

    static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER NOT NULL CHECK (a < 100), u INTEGER UNIQUE);
        CREATE TABLE f(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
        """

    /// What observations see.
    var rows: String {
        let items = items.sorted { $0.key < $1.key }
            .map { "\($0.key):\($0.value.a):\($0.value.u.map(String.init) ?? "-")" }
        let blobs = blobs.sorted { $0.key < $1.key }
            .map { "\($0.key):" + $0.value.map { String(format: "%02X", $0) }.joined() }
        return items.joined(separator: ",") + "|" + blobs.joined(separator: ",")
    }

    var description: String {
        rows + "|" + tables.sorted().map { "e\($0)" }.joined(separator: ",")
    }
}

/// A change of one row, as a transaction observer is notified of it.
struct ModelEvent: Equatable {
    enum Kind: String { case insert, update, delete }

    var kind: Kind
    var table: String
    var id: Int

    var description: String { "\(kind) \(table) \(id)" }
}

/// How a statement that changes rows ends.
enum ModelPolicy: String, CaseIterable { case abort, fail, ignore, replace, rollback }

/// What a statement does to a content.
struct ModelEffect {
    var content: ModelContent
    /// Those of the rows that were changed before the statement failed, too.
    var events: [ModelEvent] = []
    /// The result code, 0 if it succeeds.
    var code = 0
    var changeCount = 0
    var endsTransaction = false
    /// Whether what was changed stays in spite of the error.
    var keepsChanges = false
}

extension ModelContent {
    static let check = 275
    static let primaryKey = 1555
    static let unique = 2067

    func inserting(id: Int, a: Int, u: Int?, _ policy: ModelPolicy) -> ModelEffect {
        var effect = ModelEffect(content: self)
        let sharing = u.flatMap { u in items.first { $0.value.u == u }?.key }
        if a >= 100 {
            effect.fail(Self.check, policy)
            return effect
        }
        if policy == .replace {
            // Observers without `databaseWillChange` are not notified of the rows that make room.
            if let sharing { effect.content.items[sharing] = nil }
        } else if items[id] != nil {
            effect.fail(Self.primaryKey, policy)
            return effect
        } else if sharing != nil {
            effect.fail(Self.unique, policy)
            return effect
        }
        effect.content.items[id] = Item(a: a, u: u)
        effect.events.append(ModelEvent(kind: .insert, table: "t", id: id))
        effect.changeCount = 1
        return effect
    }

    func adding(_ amount: Int, from first: Int, _ policy: ModelPolicy) -> ModelEffect {
        var effect = ModelEffect(content: self)
        for id in items.keys.sorted() where id >= first {
            let a = items[id]!.a + amount
            if a >= 100 {
                effect.fail(Self.check, policy)
                if effect.code == 0 { continue }
                if !effect.keepsChanges { effect.content = self }
                return effect
            }
            effect.content.items[id]!.a = a
            effect.events.append(ModelEvent(kind: .update, table: "t", id: id))
            effect.changeCount += 1
        }
        return effect
    }

    func deleting(every step: Int, remainder: Int) -> ModelEffect {
        var effect = ModelEffect(content: self)
        for id in items.keys.sorted() where id % step == remainder % step {
            effect.delete(id)
            effect.changeCount += 1
        }
        return effect
    }

    func storing(_ bytes: [UInt8], id: Int) -> ModelEffect {
        var effect = ModelEffect(content: self)
        let kind: ModelEvent.Kind = blobs[id] == nil ? .insert : .update
        effect.content.blobs[id] = bytes
        effect.events = [ModelEvent(kind: kind, table: "f", id: id)]
        effect.changeCount = 1
        return effect
    }
}

extension ModelEffect {
    fileprivate mutating func fail(_ code: Int, _ policy: ModelPolicy) {
        // REPLACE is ABORT for CHECK constraints.
        if policy == .ignore { return }
        self.code = code
        endsTransaction = policy == .rollback
        keepsChanges = policy == .fail
    }

    fileprivate mutating func delete(_ id: Int) {
        content.items[id] = nil
        events.append(ModelEvent(kind: .delete, table: "t", id: id))
    }
}
