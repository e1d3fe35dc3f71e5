import GRDBServer
import Dispatch
import Foundation
import GRDB

/// Accesses, transactions and savepoints: the calls up to the end of the scope run inside of them.
extension ModelRun {
    var context: Context? { contexts.last }

    private var isInWriter: Bool { contexts.contains { $0.isWriter } }
    private var isInReader: Bool { contexts.contains { !$0.isWriter && !$0.model.isSnapshot } }
    /// Whether a read would see a commit that is made inside of it.
    var hasUnisolatedRead: Bool {
        contexts.contains { !$0.isWriter && $0.model.transaction?.isDeferred != false }
    }

    func runScope(_ scope: ModelCall.Scope, _ slot: Int) {
        switch scope {
        case .write, .writeWithoutTransaction, .barrier, .reentrantWrite, .taskWrite, .batchedWrite:
            runWrite(scope)
        case .read, .unsafeRead, .reentrantRead, .taskRead, .concurrentRead: runRead(scope)
        case .snapshot, .snapshotPool: runSnapshot(slot, isPool: scope == .snapshotPool)
        case .deferred, .immediate, .exclusive: runTransaction(scope)
        case .savepoint: runSavepoint()
        case .readOnly: runReadOnly()
        }
    }

    /// Runs the calls of a scope on a connection.
    private func inContext(_ context: Context, _ body: () throws -> String) rethrows -> String {
        contexts.append(context)
        defer { contexts.removeLast() }
        return try body()
    }

    private func wait(
        _ body:
            @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws -> String
    )
        throws -> String
    {
        let done = DispatchSemaphore(value: 0)
        let result = ModelBox<Result<String, any Error>?>(nil)
        let task = ModelBox<Task<Void, Never>?>(nil)
        let started = DispatchSemaphore(value: 0)
        task.value = Task {
            started.wait()
            do { result.value = .success(try await body { task.value?.cancel() }) } catch {
                result.value = .failure(error)
            }
            done.signal()
        }
        started.signal()
        done.wait()
        return try result.value!.get()
    }

    // MARK: - Writes

    private func runWrite(_ scope: ModelCall.Scope) {
        let isReentrant = scope == .reentrantWrite && isInWriter
        if isReentrant, hasUnisolatedRead { return }
        if !isReentrant {
            // A pool would wait for the reader, which waits for the write.
            if isInReader { return }
            if isInWriter {
                // Asynchronous accesses would wait for the current one.
                guard scope == .write || scope == .barrier || scope == .writeWithoutTransaction
                else { return }
                let actual = outcome {
                    switch scope {
                    case .write: try writer.write { _ in "entered" }
                    case .barrier: try writer.barrierWriteWithoutTransaction { _ in "entered" }
                    default: try writer.tryWriteWithoutTransaction { _ in "entered" }
                    }
                }
                return compare("nested \(scope)", actual, ModelConnection.misuse)
            }
            if isClosed {
                let actual = outcome {
                    switch scope {
                    case .write: try writer.write { _ in "entered" }
                    case .barrier: try writer.barrierWriteWithoutTransaction { _ in "entered" }
                    case .taskWrite:
                        try wait { [writer] _ in try await writer!.write { _ in "entered" } }
                    case .batchedWrite:
                        try wait { [writer] _ in try await writer!.batchedWrite { _ in "entered" } }
                    default: try writer.tryWriteWithoutTransaction { _ in "entered" }
                    }
                }
                return compare("closed \(scope)", actual, ModelConnection.misuse)
            }
        }
        if !isReentrant { model.accessID += 1 }
        let isBatched = scope == .batchedWrite
        let isTransaction = scope == .write || scope == .taskWrite || scope == .batchedWrite
        let formerlyRequired = model.requiresTransaction
        let expected = ModelBox("")
        let body: @Sendable (Database, (@Sendable () -> Void)?) throws -> String = {
            [self] db, cancel in
            if isTransaction {
                model.begin()
                model.requiresTransaction = true
            }
            trace(scope)
            let context = Context(db, model, isWriter: true)
            context.isTask = scope == .taskWrite || scope == .batchedWrite
            if isBatched {
                // Each write of a batch is a savepoint.
                model.openSavepoint("batch")
                context.base = 1
                context.savepointTransaction = model.transaction!.id
            }
            if isReentrant, let outer = contexts.last(where: { $0.isWriter }) {
                context.base = outer.base
                context.savepointTransaction = outer.savepointTransaction
            }
            return try inContext(context) {
                let ending = runBody()
                if !isReentrant { slots.endBlob(of: contexts.last!.id) }
                if ending == .cancellation, let cancel {
                    cancel()
                    expected.value = "! Cancellation"
                    model.rollback()
                    return try String.fetchOne(db, sql: "SELECT 'not cancelled'")!
                }
                if ending != .normal {
                    expected.value = "! Stop"
                    if isBatched, model.transaction != nil {
                        // The others of the batch are committed.
                        model.rollback(toSavepoint: 0)
                        _ = model.release(0)
                        _ = model.commit()
                    } else if !isReentrant {
                        model.rollback()
                    }
                    throw ModelStop()
                }
                if isTransaction {
                    if isBatched, model.transaction != nil { _ = model.release(0) }
                    expected.value =
                        model.transaction == nil
                        ? ModelConnection.aborted : model.commit() ?? "done"
                } else if !isReentrant, model.transaction != nil {
                    expected.value = ModelConnection.misuse
                    model.rollback()
                } else {
                    expected.value = "done"
                }
                return "done"
            }
        }
        let actual = outcome {
            switch scope {
            case .write: return try writer.write { try body($0, nil) }
            case .barrier: return try writer.barrierWriteWithoutTransaction { try body($0, nil) }
            case .reentrantWrite:
                if isReentrant { return try writer.unsafeReentrantWrite { try body($0, nil) } }
                return try writer.tryWriteWithoutTransaction { try body($0, nil) }
            case .taskWrite:
                return try wait { [writer] cancel in
                    try await writer!.write { try body($0, cancel) }
                }
            case .batchedWrite:
                return try wait { [writer] _ in try await writer!.batchedWrite { try body($0, nil) }
                }
            default: return try writer.tryWriteWithoutTransaction { try body($0, nil) }
            }
        }
        if isTransaction { model.requiresTransaction = formerlyRequired }
        compare("end of \(scope)", actual, expected.value)
    }

    private func trace(_ scope: ModelCall.Scope) {
        tracer?("\(scope) {")
    }

    // MARK: - Reads

    private func runRead(_ scope: ModelCall.Scope) {
        let isQueue = kind != .pool
        if scope == .concurrentRead { return runConcurrentRead() }
        // Those of a queue can write.
        if scope == .unsafeRead || scope == .reentrantRead, isQueue, contexts.isEmpty { return }
        if scope == .reentrantRead, let current = contexts.last(where: { !$0.model.isSnapshot }) {
            // The connection of the current access.
            let actual = outcome {
                try writer.unsafeReentrantRead { db in
                    db === current.db ? try Self.content(db) : "another connection"
                }
            }
            let expected =
                current.model.statementError(writes: false) ?? current.model.content.description
            return compare("nested \(scope)", actual, expected)
        }
        if isInReader || (isQueue && isInWriter) {
            guard scope == .read || scope == .unsafeRead else { return }
            let actual = outcome {
                scope == .read
                    ? try writer.read { _ in "entered" } : try writer.unsafeRead { _ in "entered" }
            }
            return compare("nested \(scope)", actual, ModelConnection.misuse)
        }
        if scope == .taskRead, isInWriter { return }
        if isClosed {
            let actual = outcome {
                switch scope {
                case .read: try writer.read { _ in "entered" }
                case .taskRead: try wait { [writer] _ in try await writer!.read { _ in "entered" } }
                default: try writer.unsafeRead { _ in "entered" }
                }
            }
            return compare("closed \(scope)", actual, ModelConnection.misuse)
        }
        let isTransaction = scope == .read || scope == .taskRead
        let reader = isQueue ? model : ModelConnection(model.committed)
        reader.accessID += 1
        let expected = ModelBox("")
        let body: @Sendable (Database, (@Sendable () -> Void)?) throws -> String = {
            [self] db, cancel in
            trace(scope)
            if !isQueue { reader.accessID = slots.nextReaderAccess() }
            reader.readOnlyDepth += 1
            if isTransaction {
                reader.begin()
                reader.requiresTransaction = true
            }
            defer {
                reader.transaction = nil
                reader.readOnlyDepth -= 1
                reader.requiresTransaction = false
            }
            let context = Context(db, reader, isWriter: isQueue)
            context.isTask = scope == .taskRead
            return try inContext(context) {
                let ending = runBody()
                slots.endBlob(of: contexts.last!.id)
                if ending == .cancellation, let cancel {
                    cancel()
                    expected.value = "! Cancellation"
                    return try String.fetchOne(db, sql: "SELECT 'not cancelled'")!
                }
                if ending != .normal {
                    expected.value = "! Stop"
                    throw ModelStop()
                }
                expected.value =
                    !isTransaction && reader.transaction != nil ? ModelConnection.misuse : "done"
                return "done"
            }
        }
        let actual = outcome {
            switch scope {
            case .read: try writer.read { try body($0, nil) }
            case .taskRead:
                try wait { [writer] cancel in try await writer!.read { try body($0, cancel) } }
            default: try writer.unsafeRead { try body($0, nil) }
            }
        }
        compare("end of \(scope)", actual, expected.value)
    }

    /// Reads what was committed last, on another connection.
    private func runConcurrentRead() {
        guard let pool = writer as? DatabasePool, let context, context.isWriter else { return }
        if isInReader { return }
        let done = DispatchSemaphore(value: 0)
        let result = ModelBox("")
        pool.asyncConcurrentRead { dbResult in
            do { result.value = try Self.content(dbResult.get()) } catch {
                result.value = Self.text(error)
            }
            done.signal()
        }
        done.wait()
        let expected =
            model.transaction == nil ? model.committed.description : ModelConnection.misuse
        compare("concurrent read", result.value, expected)
    }

    private func runSnapshot(_ slot: Int, isPool: Bool) {
        guard let snapshot = slots.snapshots[slot + (isPool ? 2 : 0)] else { return }
        if contexts.contains(where: { $0.model.isSnapshot }) { return }
        let reader = ModelConnection(snapshot.content)
        reader.isSnapshot = true
        reader.readOnlyDepth = 1
        reader.requiresTransaction = true
        let expected = ModelBox("done")
        let actual = outcome {
            try snapshot.reader.read { db in
                trace(isPool ? .snapshotPool : .snapshot)
                reader.accessID = slots.nextReaderAccess()
                reader.begin()
                return try inContext(Context(db, reader, isWriter: false)) {
                    let ending = runBody()
                    slots.endBlob(of: contexts.last!.id)
                    if ending == .normal { return "done" }
                    expected.value = "! Stop"
                    throw ModelStop()
                }
            }
        }
        compare("end of snapshot", actual, expected.value)
    }

    // MARK: - Transactions

    private func runTransaction(_ scope: ModelCall.Scope) {
        guard let context else { return }
        let model = context.model
        if context.isBrokenSavepoint { return }
        // A connection that can only read begins IMMEDIATE as DEFERRED.
        if !context.isWriter, scope != .deferred { return }
        let kind: Database.TransactionKind =
            scope == .deferred ? .deferred : scope == .immediate ? .immediate : .exclusive
        let formerlyRequired = model.requiresTransaction
        var expected =
            model.statementError(writes: scope != .deferred)
            ?? (model.transaction != nil ? "! 1" : "")
        let actual = outcome {
            try context.db.inTransaction(kind) {
                trace(scope)
                model.begin()
                model.transaction!.isDeferred = !context.isWriter
                model.requiresTransaction = true
                let former = context.base
                context.base = 0
                defer { context.base = former }
                let ending = runBody()
                slots.endBlobsOfTransaction()
                switch ending {
                case .normal, .cancellation:
                    expected =
                        model.transaction == nil
                        ? ModelConnection.aborted : model.commit() ?? "done"
                    return .commit
                case .rollback:
                    expected = "done"
                    rollbackCursors(context)
                    model.rollback()
                    return .rollback
                case .error:
                    expected = "! Stop"
                    rollbackCursors(context)
                    model.rollback()
                    throw ModelStop()
                }
            }
            return "done"
        }
        model.requiresTransaction = formerlyRequired
        compare("end of \(scope)", actual, expected)
    }

    private func runSavepoint() {
        guard let context else { return }
        let model = context.model
        if context.isBrokenSavepoint || slots.hasWritableBlob { return }
        if model.transaction == nil {
            return runTransaction(context.model.readOnlyDepth > 0 ? .deferred : .immediate)
        }
        var expected = ""
        let actual = outcome {
            try context.db.inSavepoint {
                trace(.savepoint)
                model.openSavepoint("grdb")
                let (base, former) = (context.base, context.savepointTransaction)
                let (id, index) = (model.transaction!.id, model.transaction!.savepoints.count - 1)
                context.base = index + 1
                context.savepointTransaction = id
                defer {
                    context.base = base
                    context.savepointTransaction = former
                }
                let ending = runBody()
                slots.endBlobsOfTransaction()
                if ending == .normal || ending == .cancellation {
                    if model.transaction?.id != id {
                        expected = model.requiresTransaction ? ModelConnection.aborted : "! 1"
                    } else {
                        expected = model.release(index) ?? "done"
                    }
                    return .commit
                }
                if model.transaction?.id == id {
                    rollbackCursors(context)
                    model.rollback(toSavepoint: index)
                    _ = model.release(index)
                }
                expected = ending == .rollback ? "done" : "! Stop"
                if ending == .rollback { return .rollback }
                throw ModelStop()
            }
            return "done"
        }
        compare("end of savepoint", actual, expected)
    }

    private func runReadOnly() {
        guard let context, context.isWriter, !slots.hasWritableBlob else { return }
        let model = context.model
        let formerly = model.transaction?.id
        var expected = "done"
        let actual = outcome {
            try context.db.readOnly {
                trace(.readOnly)
                model.readOnlyDepth += 1
                let ending = runBody()
                model.readOnlyDepth -= 1
                if ending == .normal { return "done" }
                expected = "! Stop"
                throw ModelStop()
            }
        }
        _ = formerly
        compare("end of readOnly", actual, expected)
    }
}

extension ModelRun.Context {
    /// Whether the transaction of a savepoint scope has ended inside of it.
    var isBrokenSavepoint: Bool {
        savepointTransaction != nil && savepointTransaction != model.transaction?.id
    }
}

/// A value that one thread at a time uses.
final class ModelBox<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
