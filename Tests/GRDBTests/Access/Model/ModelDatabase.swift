import GRDBChanges
import Foundation
import GRDB
import GRDBServer

/// The calls of databases: snapshots, copies, sessions, observations, closing.
extension ModelRun {
    func performOnDatabase(_ call: ModelCall) {
        switch call {
        case .takeSnapshot(let slot, let isPool): takeSnapshot(slot, isPool: isPool)
        case .closeSnapshot(let slot, let isPool):
            let index = slot + (isPool ? 2 : 0)
            guard let snapshot = slots.snapshots[index],
                !contexts.contains(where: { $0.model.isSnapshot })
            else { return }
            // Cursors of the snapshot keep it from closing.
            slots.cursors = slots.cursors.map { $0?.accessID ?? 0 >= 1_000_000 ? nil : $0 }
            let actual = outcome {
                try snapshot.reader.close()
                try snapshot.reader.close()
                return try snapshot.reader.read(Self.content)
            }
            compare("\(call)", actual, ModelConnection.misuse)
            slots.snapshots[index] = nil
        case .beginSession:
            // A session is not notified of the rollback of what was changed before it began.
            guard let context, context.isWriter, model.transaction == nil else { return }
            slots.session = nil
            let actual = outcome {
                let session = try context.db.makeSession()
                try session.attach("t")
                slots.session = .init(session: session, base: model.content)
                return "done"
            }
            compare("\(call)", actual, "done")
        case .changeset: compareChangeset("\(call)")
        case .serialize:
            guard let context, !slots.hasWritableBlob else { return }
            let expected =
                context.model.statementError(writes: false) ?? context.model.content.description
            let actual = outcome {
                let data = try context.db.serialized()
                let copy = try DatabaseQueue(serialized: data)
                let content = try copy.read(Self.content)
                try copy.close()
                return content
            }
            // Bytes need no statement.
            if expected == ModelConnection.aborted { return }
            compare("\(call)", actual, expected)
        case .backup: backUp("\(call)")
        case .restore: restore("\(call)")
        case .observe(let slot):
            if !contexts.isEmpty || isClosed { return }
            slots.observations[slot]?.cancel()
            slots.observations[slot] = ModelObservation(writer, first: model.history.count - 1)
        case .stopObserving(let slot):
            slots.observations[slot]?.cancel()
            slots.observations[slot] = nil
        case .checkObserver(let slot):
            if contexts.isEmpty { slots.observations[slot]?.check(self) }
        case .veto:
            model.vetoesCommit = true
            observer.vetoesCommit = true
        case .interrupt: interrupt("\(call)")
        case .close: close("\(call)")
        case .reopen: reopen()
        case .vacuum: vacuum("\(call)")
        case .releaseMemory:
            if !contexts.isEmpty || isClosed { return }
            (writer as? DatabaseQueue)?.releaseMemory()
            (writer as? DatabasePool)?.releaseMemory()
        default: break
        }
    }

    private func takeSnapshot(_ slot: Int, isPool: Bool) {
        guard let pool = writer as? DatabasePool else { return }
        // A reader waits for nobody, but a snapshot needs a connection.
        if contexts.contains(where: { !$0.isWriter }) { return }
        let index = slot + (isPool ? 2 : 0)
        if slots.snapshots[index] != nil { return }
        let expected = isClosed || model.transaction != nil ? ModelConnection.misuse : "done"
        let actual = outcome {
            let reader: any DatabaseSnapshotReader =
                isPool ? try pool.makeSnapshotPool() : try pool.makeSnapshot()
            slots.snapshots[index] = .init(reader: reader, content: model.committed)
            return "done"
        }
        compare("takeSnapshot pool \(isPool)", actual, expected)
    }

    private func compareChangeset(_ name: String) {
        guard let slot = slots.session, let context, context.isWriter else { return }
        // Making a changeset takes a savepoint.
        if slots.hasWritableBlob { return }
        let (old, new) = (slot.base.items, model.content.items)
        var expected: [String] = []
        for id in Set(old.keys).union(new.keys).sorted() where old[id] != new[id] {
            expected.append(
                old[id] == nil ? "insert \(id)" : new[id] == nil ? "delete \(id)" : "update \(id)")
        }
        if model.requiresTransaction, model.transaction == nil { return }
        let actual = outcome {
            let changeset = try slot.session.changeset()
            guard try changeset.inverted().inverted() == changeset else { return "inverted" }
            return changeset.map { (change: Changeset.Change) -> (Int, String) in
                let id = Int.fromDatabaseValue(change.primaryKey[0]) ?? 0
                return (id, "\(change.operation) \(id)")
            }
            .sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ",")
        }
        compare(name, actual, expected.joined(separator: ","))
    }

    private func backUp(_ name: String) {
        let isMisuse = isClosed || contexts.contains { $0.isWriter || !$0.model.isSnapshot }
        let actual = outcome {
            let copy = try DatabaseQueue()
            defer { try? copy.close() }
            try writer.backup(to: copy, pagesPerStep: 1)
            return try copy.read(Self.content)
        }
        if isMisuse, !isClosed {
            // SQLite copies no connection that has begun to write, and a pool copies what is committed.
            if actual == "! 5", kind != .pool, model.transaction != nil { return }
            let isInReader =
                model.transaction != nil && contexts.contains { $0.isWriter }
                && contexts.contains { !$0.isWriter && !$0.model.isSnapshot }
            // Within a read of a pool, the backup copies the commit that the read sees.
            let inner = contexts.last { !$0.model.isSnapshot }
            let content =
                inner.map { $0.isWriter ? model.committed : $0.model.content } ?? model.committed
            return compare(
                name, actual, isInReader ? ModelConnection.misuse : content.description)
        }
        compare(name, actual, isClosed ? ModelConnection.misuse : model.committed.description)
    }

    private func restore(_ name: String) {
        if !contexts.isEmpty || isClosed { return }
        // Snapshots and cursors of other connections would be in the way.
        if kind == .pool { return }
        slots.session = nil
        var content = ModelContent()
        content.items = [3: .init(a: 30, u: 3)]
        let actual = outcome {
            let source = try DatabaseQueue()
            defer { try? source.close() }
            try source.write { db in
                try db.execute(sql: ModelContent.schema)
                try db.execute(sql: "INSERT INTO t VALUES (3, 30, 3)")
            }
            try source.backup(to: writer)
            return "done"
        }
        if actual == "done" {
            if model.committed != content { model.history.append(content) }
            model.committed = content
            // Whatever the observer was notified of.
            model.log = observer.log
            model.vetoesCommit = observer.vetoesCommit
        }
        compare(name, actual, "done")
    }

    private func interrupt(_ name: String) {
        // An interruption lasts as long as a cursor is on a row.
        if slots.cursors.contains(where: { $0?.state == .running }) { return }
        if let context, context.model.isSnapshot { return }
        hasInterrupted = true
        guard let context else { return writer.interrupt() }
        if slots.blob != nil { return }
        let actual = outcome {
            let cursor = try Int.fetchCursor(
                context.db,
                sql:
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            )
            _ = try cursor.next()
            writer.interrupt()
            while let number = try cursor.next() {
                if number > 1_000_000 { return "not interrupted" }
            }
            return "ended"
        }
        compare(name, actual, context.model.statementError(writes: false) ?? "! 9")
    }

    private func close(_ name: String) {
        if contexts.contains(where: { $0.model.isSnapshot }) { return }
        let isInUse =
            slots.statements.contains { $0 != nil } || slots.cursors.contains { $0 != nil }
        if !contexts.isEmpty {
            let expected = ModelConnection.misuse
            return compare(
                name,
                outcome {
                    try writer.close(); return "closed"
                }, expected)
        }
        let hasLivingStatement =
            slots.statements.contains { $0 != nil }
            || slots.cursors.contains { $0 != nil && $0!.accessID < 1_000_000 }
        // Cursors of readers of pools and of snapshots.
        if isInUse, !hasLivingStatement { slots.cursors = [nil, nil] }
        if !isClosed { slots.checkObservers(self) }
        let expected = !isClosed && hasLivingStatement ? "! 5" : "closed"
        compare(
            name,
            outcome {
                try writer.close(); return "closed"
            }, expected)
        if expected == "closed" {
            isClosed = true
            slots.session = nil
        }
        let content = isClosed ? ModelConnection.misuse : model.committed.description
        compare("read after close", outcome { try writer.read(Self.content) }, content)
    }

    private func reopen() {
        guard isClosed, contexts.isEmpty, kind != .memory else { return }
        // Those of the former connection must stay what they are, but are not needed.
        slots.removeAll()
        let actual = outcome {
            try open()
            observer = ModelObserver()
            observer.vetoesCommit = model.vetoesCommit
            writer.add(transactionObserver: observer, extent: .databaseLifetime)
            return try writer.read(Self.content)
        }
        isClosed = false
        model.log = []
        model.accessID += 1
        compare("reopen", actual, model.committed.description)
    }

    private func vacuum(_ name: String) {
        if contexts.isEmpty {
            let actual = outcome {
                try writer.vacuum(); return "done"
            }
            if actual == "done" {
                // VACUUM is a transaction of its own, which observers may be notified of.
                model.log = observer.log
                model.vetoesCommit = observer.vetoesCommit
            }
            // The consent of the observer.
            if actual == "! Veto", model.vetoesCommit {
                model.log = observer.log
                model.vetoesCommit = false
                return
            }
            compare(name, actual, isClosed ? ModelConnection.misuse : "done")
        } else if contexts.contains(where: { $0.isWriter }) {
            compare(
                name,
                outcome {
                    try writer.vacuum(); return "done"
                }, ModelConnection.misuse)
        }
    }
}
