import Foundation
import GRDB

/// The calls inside of scopes, and those of databases.
extension ModelRun {
    func perform(_ call: ModelCall) {
        switch call {
        case .begin, .end: break
        case .insert, .add, .delete, .store, .createTable, .dropTable, .fetch, .fetchItem, .badSQL,
            .beginTransaction, .commit, .rollback, .openSavepoint, .release, .rollbackTo:
            if let context { performSQL(call, context) }
        case .makeStatement, .runStatement, .dropStatement: performStatement(call)
        case .openCursor, .nextRow, .dropCursor: performCursor(call)
        case .openBlob, .readBlob, .writeBlob, .moveBlob, .dropBlob: performBlob(call)
        default: performOnDatabase(call)
        }
    }

    private func performSQL(_ call: ModelCall, _ context: Context) {
        let (db, model) = (context.db, context.model)
        let name = "\(call)"
        func change(_ effect: @autoclosure () -> ModelEffect, _ sql: String) {
            var text = "done"
            if let error = model.statementError(writes: true) {
                text = error
            } else {
                let wasInTransaction = model.transaction != nil
                let effect = effect()
                if effect.endsTransaction { rollbackCursors(context) }
                text = model.perform(effect) ?? "done \(effect.changeCount)"
                if wasInTransaction, model.transaction == nil { slots.endBlobsOfTransaction() }
            }
            let actual = outcome {
                try db.execute(sql: sql)
                return "done \(db.changesCount)"
            }
            compare(name, actual, text)
        }
        switch call {
        case .insert(let id, let a, let u, let policy):
            change(
                model.content.inserting(id: id, a: a, u: u, policy),
                "INSERT OR \(policy.rawValue) INTO t VALUES (\(id), \(a), \(u.map(String.init) ?? "NULL"))"
            )
        case .add(let amount, let first, let policy):
            change(
                model.content.adding(amount, from: first, policy),
                "UPDATE OR \(policy.rawValue) t SET a = a + \(amount) WHERE id >= \(first)")
        case .delete(let step, let remainder):
            change(
                model.content.deleting(every: step, remainder: remainder),
                "DELETE FROM t WHERE id % \(step) = \(remainder % step)")
        case .store(let id, let count, let byte):
            let bytes = [UInt8](repeating: UInt8(byte), count: count)
            if model.statementError(writes: true) == nil { slots.blobChanged(id) }
            change(
                model.content.storing(bytes, id: id),
                """
                INSERT INTO f VALUES (\(id), x'\(bytes.map { String(format: "%02X", $0) }.joined())')
                ON CONFLICT DO UPDATE SET data = excluded.data
                """)
        case .createTable(let number):
            var effect = ModelEffect(content: model.content)
            if !effect.content.tables.insert(number).inserted { effect.code = 1 }
            changeSchema(name, "CREATE TABLE e\(number)(a)", effect, context)
        case .dropTable(let number):
            if slots.blob?.isOpen == true { return }
            var effect = ModelEffect(content: model.content)
            if effect.content.tables.remove(number) == nil {
                effect.code = 1
            } else if slots.isActive(context) {
                effect = ModelEffect(content: model.content, code: 6)
            }
            changeSchema(name, "DROP TABLE e\(number)", effect, context)
        case .fetch:
            let expected = model.statementError(writes: false) ?? model.content.description
            compare(name, outcome { try Self.content(db) }, expected)
        case .fetchItem(let id):
            let item = model.content.items[id]
            let expected =
                model.statementError(writes: false) ?? item.map { "\($0.a)" } ?? "none"
            let actual = outcome {
                try Int.fetchOne(db, sql: "SELECT a FROM t WHERE id = ?", arguments: [id]).map {
                    "\($0)"
                }
                    ?? "none"
            }
            compare(name, actual, expected)
        case .badSQL:
            let actual = outcome {
                try db.execute(sql: "SELECT nothing FROM t")
                return "done"
            }
            // An aborted transaction may be reported before the statement is compiled, or after.
            compare(name, actual == ModelConnection.aborted ? "! 1" : actual, "! 1")
        default: performTransaction(call, name, context)
        }
    }

    private func changeSchema(
        _ name: String, _ sql: String, _ effect: ModelEffect, _ context: Context
    ) {
        let model = context.model
        let expected: String
        if effect.code == 1 {
            expected = "! 1"
        } else if let error = model.statementError(writes: true) {
            expected = error
        } else if effect.code != 0, model.transaction != nil {
            expected = "! \(effect.code)"
        } else {
            expected = model.perform(effect, changesSchema: true) ?? "done"
        }
        let actual = outcome {
            try context.db.execute(sql: sql)
            return "done"
        }
        // Compiling fails before the transaction is looked at.
        if effect.code == 1, actual == model.statementError(writes: true) { return }
        compare(name, actual, expected)
    }

    private func performTransaction(_ call: ModelCall, _ name: String, _ context: Context) {
        let (db, model) = (context.db, context.model)
        // Scopes of reads end their own transactions.
        if !context.isWriter || model.readOnlyDepth > 0 { return }
        let isInSavepointScope = context.savepointTransaction != nil
        switch call {
        case .beginTransaction(let kind):
            if context.isBrokenSavepoint { return }
            let kinds: [Database.TransactionKind] = [.deferred, .immediate, .exclusive]
            var expected = model.statementError(writes: false)
            if expected == nil {
                expected = model.transaction != nil ? "! 1" : "done"
                if model.transaction == nil { model.begin() }
            }
            compare(
                name,
                outcome {
                    try db.beginTransaction(kinds[kind])
                    return "done"
                }, expected!)
        case .commit:
            if isInSavepointScope { return }
            let expected = model.statementError(writes: false) ?? model.commit() ?? "done"
            slots.endBlobsOfTransaction()
            compare(
                name,
                outcome {
                    try db.commit()
                    return "done"
                }, expected)
        case .rollback:
            if isInSavepointScope { return }
            if model.transaction != nil { rollbackCursors(context) }
            model.rollback()
            slots.endBlobsOfTransaction()
            compare(
                name,
                outcome {
                    try db.rollback()
                    return "done"
                }, "done")
        case .openSavepoint(let number):
            if context.isBrokenSavepoint || slots.hasWritableBlob { return }
            let error = model.statementError(writes: false)
            if error == nil { model.openSavepoint("s\(number)") }
            compare(
                name,
                outcome {
                    try db.execute(sql: "SAVEPOINT s\(number)")
                    return "done"
                }, error ?? "done")
        case .release(let number), .rollbackTo(let number):
            let index = model.savepoint("s\(number)")
            if let index, index < context.base { return }
            let isRelease = if case .release = call { true } else { false }
            var expected = model.statementError(writes: false) ?? "! 1"
            if let index, model.statementError(writes: false) == nil {
                if isRelease {
                    expected = model.release(index) ?? "done"
                } else {
                    rollbackCursors(context)
                    model.rollback(toSavepoint: index)
                    expected = "done"
                }
            }
            // Releasing ends them even if there is no such savepoint.
            if isRelease || index != nil, model.statementError(writes: false) == nil {
                slots.endBlobsOfTransaction()
            }
            compare(
                name,
                outcome {
                    try db.execute(sql: isRelease ? "RELEASE s\(number)" : "ROLLBACK TO s\(number)")
                    return "done"
                }, expected)
        default: break
        }
    }

    /// Cursors survive a rollback, unless it changes the schema. A sorted one no longer reads the table.
    func rollbackCursors(_ context: Context) {
        guard context.model.transaction?.isSchemaChanged == true else { return }
        for cursor in slots.cursors.compactMap({ $0 })
        where cursor.connection == context.id && cursor.state == .running && !cursor.isSorted
            && cursor.accessID == context.model.accessID
        {
            cursor.isAborted = true
        }
    }

    // MARK: - Statements

    private func isCurrent(_ connection: ObjectIdentifier) -> Context? {
        let first = contexts.lastIndex { $0.isTask } ?? 0
        return contexts[first...].last { $0.id == connection }
    }

    private func performStatement(_ call: ModelCall) {
        switch call {
        case .makeStatement(let slot, let kind):
            guard let context, context.isWriter else { return }
            slots.statements[slot] = nil
            let sql = [
                "SELECT COUNT(*) FROM t WHERE a >= ?", "UPDATE t SET a = ? WHERE id = 1",
                "SELECT a FROM t WHERE id = ?",
            ]
            let actual = outcome {
                slots.statements[slot] = .init(
                    statement: try context.db.makeStatement(sql: sql[kind]), connection: context.id,
                    kind: kind)
                return "done"
            }
            compare("\(call)", actual, "done")
        case .runStatement(let slot, let value):
            guard let statement = slots.statements[slot] else { return }
            if statement.kind == 1, hasUnisolatedRead { return }
            let context = isCurrent(statement.connection)
            var expected = ModelConnection.misuse
            if let context, let model = Optional(context.model) {
                if let error = model.statementError(writes: statement.kind == 1) {
                    expected = error
                } else if statement.kind == 1 {
                    var effect = ModelEffect(content: model.content)
                    if effect.content.items[1] != nil {
                        effect.content.items[1]!.a = value
                        effect.events = [ModelEvent(kind: .update, table: "t", id: 1)]
                    }
                    expected = model.perform(effect) ?? "done"
                } else if statement.kind == 0 {
                    expected = "\(model.content.items.values.filter { $0.a >= value }.count)"
                } else {
                    expected = model.content.items[value].map { "\($0.a)" } ?? "none"
                }
            }
            let actual = outcome {
                if statement.kind == 1 {
                    try statement.statement.execute(arguments: [value])
                    return "done"
                }
                return try Int.fetchOne(statement.statement, arguments: [value]).map { "\($0)" }
                    ?? "none"
            }
            compare("\(call) kind \(statement.kind)", actual, expected)
        case .dropStatement(let slot): slots.statements[slot] = nil
        default: break
        }
    }

    // MARK: - Cursors

    private func performCursor(_ call: ModelCall) {
        switch call {
        case .openCursor(let slot, let kind):
            guard let context else { return }
            slots.cursors[slot] = nil
            let actual = outcome {
                let cursor = try Row.fetchCursor(
                    context.db,
                    sql: kind == 0
                        ? "SELECT id, a FROM t ORDER BY id"
                        : "SELECT id, a FROM t ORDER BY a DESC, id")
                slots.cursors[slot] = .init(cursor, context, isSorted: kind == 1)
                return "done"
            }
            compare("\(call)", actual, "done")
        case .dropCursor(let slot): slots.cursors[slot] = nil
        case .nextRow(let slot):
            guard let cursor = slots.cursors[slot] else { return }
            let expected = nextRow(cursor)
            let actual = outcome {
                try cursor.cursor.next().map { "\($0[0] as Int):\($0[1] as Int)" } ?? "none"
            }
            compare("\(call)", actual, expected)
        default: break
        }
    }

    private func nextRow(_ cursor: ModelSlots.CursorSlot) -> String {
        switch cursor.state {
        case .done: return "none"
        case .failed(let error): return error
        case .ready, .running: break
        }
        guard let context = isCurrent(cursor.connection) else { return ModelConnection.misuse }
        let model = context.model
        func failing(_ error: String) -> String {
            cursor.state = .failed(error)
            return error
        }
        if cursor.accessID != model.accessID { return failing(ModelConnection.misuse) }
        if cursor.isAborted { return failing("! 516") }
        if cursor.state == .ready {
            if let error = model.statementError(writes: false) { return failing(error) }
            cursor.state = .running
            if cursor.isSorted {
                cursor.rows = model.content.items.sorted {
                    (-$0.value.a, $0.key) < (-$1.value.a, $1.key)
                }
                .map { "\($0.key):\($0.value.a)" }
            }
        }
        if cursor.isSorted {
            if !cursor.rows.isEmpty { return cursor.rows.removeFirst() }
        } else if let id = model.content.items.keys.filter({ $0 > cursor.lastID }).min() {
            cursor.lastID = id
            return "\(id):\(model.content.items[id]!.a)"
        }
        cursor.state = .done
        return "none"
    }

    // MARK: - Blobs

    private func performBlob(_ call: ModelCall) {
        switch call {
        case .openBlob(_, let id, let isWritable):
            guard let context else { return }
            let model = context.model
            if isWritable, !context.isWriter || model.transaction == nil { return }
            slots.blob = nil
            let expected: String
            if let error = model.statementError(writes: isWritable) {
                expected = error
            } else {
                expected = model.content.blobs[id].map { "\($0.count) bytes" } ?? "! 1"
            }
            let actual = outcome {
                let blob = try context.db.openBlob(
                    table: "f", column: "data", rowID: Int64(id),
                    mode: isWritable ? .readWrite : .readOnly)
                slots.blob = .init(
                    blob: blob, connection: context.id, id: id, isWritable: isWritable)
                return "\(blob.count) bytes"
            }
            compare("\(call)", actual, expected)
        case .dropBlob:
            let blob = slots.blob
            if let blob, isCurrent(blob.connection) != nil, !blob.isUncertain {
                compare(
                    "\(call)",
                    outcome {
                        try blob.blob.close(); return "closed"
                    }, "closed")
            }
            slots.blob = nil
        case .readBlob:
            guard let blob = slots.blob, !blob.isUncertain else { return }
            var expected = ModelConnection.misuse
            if let context = isCurrent(blob.connection) {
                let bytes = context.model.content.blobs[blob.id] ?? []
                expected =
                    context.model.statementError(writes: false)
                    ?? (blob.isValid ? "\(bytes)" : ModelConnection.aborted)
            }
            let actual = outcome { "\([UInt8](try blob.blob.read(count: blob.blob.count, at: 0)))" }
            compare("\(call)", actual, expected)
        case .writeBlob(_, let offset, let byte):
            guard let blob = slots.blob, !blob.isUncertain,
                let context = isCurrent(blob.connection),
                blob.isValid, context.model.statementError(writes: false) == nil
            else { return }
            let model = context.model
            let expected: String
            var bytes = model.content.blobs[blob.id] ?? []
            if !blob.isWritable {
                expected = "! 8"
            } else if model.readOnlyDepth > 0 {
                expected = "! 8"
            } else if offset >= bytes.count {
                expected = "! 1"
            } else {
                bytes[offset] = UInt8(byte)
                var effect = ModelEffect(content: model.content)
                effect.content.blobs[blob.id] = bytes
                effect.events = [ModelEvent(kind: .update, table: "f", id: blob.id)]
                expected = model.perform(effect) ?? "done"
            }
            let actual = outcome {
                try blob.blob.write(Data([UInt8(byte)]), at: offset)
                return "done"
            }
            compare("\(call)", actual, expected)
        case .moveBlob(_, let id):
            guard let blob = slots.blob, !blob.isUncertain, blob.isValid,
                let context = isCurrent(blob.connection),
                context.model.statementError(writes: false) == nil,
                context.model.content.blobs[id] != nil
            else { return }
            slots.blob!.id = id
            compare(
                "\(call)",
                outcome {
                    try blob.blob.move(to: Int64(id)); return "done"
                }, "done")
        default: break
        }
    }
}
