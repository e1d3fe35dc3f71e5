@testable import GRDBServer
import Dispatch
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct WaitForReplicationTests {
    /// A short path: those of sockets must be.
    private func makeSocketPath() -> String {
        NSTemporaryDirectory() + UUID().uuidString.prefix(8) + ".sock"
    }

    private func withServer(
        _ reply: @escaping @Sendable (String) -> ReplicatorServer.Reply,
        _ body: (any DatabaseWriter, String) async throws -> Void
    ) async throws {
        let server = try ReplicatorServer(makeSocketPath(), reply: reply)
        defer { server.stop() }
        try await body(TestDatabases.makePool(), server.path)
    }

    /// The queues of databases that are not used any more are forgotten.
    @Test func queuesAreReleased() async throws {
        weak var queue: ReplicatorQueue?
        try await withServer { _ in
            .synced(7)
        } _: { writer, path in
            let key = ReplicatorQueue.Key(
                socketPath: path, databasePath: writer.path)
            do {
                let first = ReplicatorQueue.queue(key)
                queue = first
                #expect(ReplicatorQueue.queue(key) === first)
            }
            _ = try await writer.waitForReplication(timeout: 1.5, socketPath: path)
        }
        // The last waiter returns before its queue ends.
        for _ in 0..<1000 where queue != nil { await letOthersRun() }
        expectNil(queue)
    }

    @Test func positionIsReturned() async throws {
        let requests = Log<String>()
        try await withServer {
            requests.append($0)
            return .synced(7)
        } _: { writer, path in
            let position = try await writer.waitForReplication(timeout: 1.5, socketPath: path)
            expectEqual(position, ReplicationPosition(transactionID: 7, replicatedTransactionID: 7))
            let request = requests.elements[0]
            expectTrue(request.hasPrefix("POST /sync HTTP/1.0\r\n"))
            // Litestream only takes whole seconds.
            expectTrue(request.contains(#""timeout":2"#))
            expectTrue(request.contains(#""wait":true"#))
            expectTrue(request.contains(writer.path.split(separator: "/").last!))
        }
    }

    @Test func nothingNewIsReplicatedAsWell() async throws {
        try await withServer { _ in
            .synced(7, status: "no_change")
        } _: { writer, path in
            let position = try await writer.waitForReplication(socketPath: path)
            expectEqual(position.replicatedTransactionID, 7)
        }
    }

    @Test func pathOfTheConfigurationIsSent() async throws {
        let requests = Log<String>()
        try await withServer {
            requests.append($0)
            return .synced(1)
        } _: { writer, path in
            try await writer.waitForReplication(socketPath: path, databasePath: "other.db")
            expectTrue(requests.elements[0].contains(#""path":"other.db""#))
        }
    }

    /// The replicator may know the database by the path that a symbolic link leads to.
    @Test func symbolicLinksAreResolved() async throws {
        let folder = NSTemporaryDirectory() + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder + "/real", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/link", withDestinationPath: folder + "/real")
        let server = try ReplicatorServer(makeSocketPath()) { request in
            let body = request.replacingOccurrences(of: #"\/"#, with: "/")
            return body.contains("/real/db.sqlite")
                ? .synced(3) : .json(#"{"error":"database not found"}"#, status: "404 Not Found")
        }
        defer { server.stop() }
        let queue = try TestDatabases.openQueue(folder + "/link/db.sqlite")
        let position = try await queue.waitForReplication(
            timeout: patience, socketPath: server.path)
        expectEqual(position.transactionID, 3)
        try queue.close()
    }

    @Test func lagIsAnError() async throws {
        try await withServer { _ in
            .synced(7, 5, status: "synced_local")
        } _: { writer, path in
            await expectError(
                "The replicator is behind: it has replicated transaction 5 of 7"
            ) { try await writer.waitForReplication(socketPath: path) }
        }
    }

    /// Litestream reads what is committed while it uploads, and then names that transaction, too.
    @Test func laterCommitsAreNotWaitedFor() async throws {
        let answers = Log<Void>()
        try await withServer { _ in
            answers.append(())
            return answers.elements.count == 1 ? .synced(9, 7) : .synced(12, 10)
        } _: { writer, path in
            let position = try await writer.waitForReplication(socketPath: path)
            expectEqual(position.transactionID, 9)
            expectEqual(position.replicatedTransactionID, 10)
            expectEqual(answers.elements.count, 2)
        }
    }

    @Test func replicatorThatStandsStillIsAnError() async throws {
        try await withServer { _ in
            .synced(9, 7)
        } _: { writer, path in
            await expectError(
                "The replicator is behind: it has replicated transaction 7 of 9"
            ) { try await writer.waitForReplication(socketPath: path) }
        }
    }

    @Test func refusalIsAnError() async throws {
        let answer = ReplicatorServer.Reply.json(
            #"{"error":"database not open","details":"stopped"}"#, status: "409 Conflict")
        try await withServer { _ in
            answer
        } _: { writer, path in
            await expectError(
                "The replicator answered with status 409: database not open: stopped"
            ) { try await writer.waitForReplication(socketPath: path) }
        }
    }

    @Test(arguments: ["hello", "HTTP/1.0 200 OK\r\n\r\n{}", "HTTP/1.0 200 OK\r\n\r\n[1"])
    func nonsenseIsAnError(text: String) async throws {
        try await withServer { _ in
            .text(text)
        } _: { writer, path in
            let shown = text.split(separator: "\r\n\r\n").last!
            await expectError("The replicator gave an unexpected answer: \(shown)") {
                try await writer.waitForReplication(socketPath: path)
            }
        }
    }

    @Test func closedConnectionIsAnError() async throws {
        try await withServer { _ in
            .hangUp
        } _: { writer, path in
            await expectError(
                "No replicator answers at \(path): it has closed the connection"
            ) { try await writer.waitForReplication(socketPath: path) }
        }
    }

    @Test func missingReplicatorIsAnError() async throws {
        let path = makeSocketPath()
        let pool = try TestDatabases.makePool()
        await expectError("No replicator answers at \(path): No such file or directory") {
            try await pool.waitForReplication(socketPath: path)
        }
        let longPath = "/" + String(repeating: "x", count: 200)
        await expectError(ReplicationError.self) {
            try await pool.waitForReplication(socketPath: longPath)
        }
    }

    @Test func timeoutIsAnError() async throws {
        try await withServer { _ in
            .silence
        } _: { writer, path in
            await expectError("The replicator did not answer within 0.05 seconds") {
                try await writer.waitForReplication(timeout: 0.05, socketPath: path)
            }
            await expectError(ReplicationError.timedOut(timeout: 0)) {
                try await writer.waitForReplication(timeout: 0, socketPath: path)
            }
        }
    }

    /// Those who wait for a request that hangs don't prevent others from being answered in time.
    @Test func abandonedRequestIsAborted() async throws {
        let requests = Log<String>()
        try await withServer {
            requests.append($0)
            return requests.elements.count == 1 ? .silence : .synced(9)
        } _: { writer, path in
            await expectError(ReplicationError.timedOut(timeout: 0.05)) {
                try await writer.waitForReplication(timeout: 0.05, socketPath: path)
            }
            let position = try await writer.waitForReplication(socketPath: path)
            expectEqual(position.transactionID, 9)
        }
    }

    /// The next one to give up is one of several who wait, after the timer has fired.
    @Test func laterWaitsHaveTimeLimits() async throws {
        // The first request may end before it reaches the server.
        let patientRequests = Log<String>()
        try await withServer {
            if $0.contains(#""timeout":\#(Int(patience))"#) { patientRequests.append($0) }
            return .silence
        } _: { writer, path in
            await expectError(ReplicationError.timedOut(timeout: 0.05)) {
                try await writer.waitForReplication(timeout: 0.05, socketPath: path)
            }
            let patient = Task {
                try await writer.waitForReplication(timeout: patience, socketPath: path)
            }
            _ = await patientRequests.wait(forCount: 1)
            await expectError(ReplicationError.timedOut(timeout: 0.05)) {
                try await writer.waitForReplication(timeout: 0.05, socketPath: path)
            }
            patient.cancel()
            await expectError(CancellationError.self) { try await patient.value }
        }
    }

    @Test func socketsAreClosed() async throws {
        await #expect(processExitsWith: .success) {
            let server = try ReplicatorServer(
                NSTemporaryDirectory() + UUID().uuidString.prefix(8) + ".sock"
            ) { _ in .synced(7) }
            let queue = try DatabaseQueue(path: NSTemporaryDirectory() + UUID().uuidString)
            func count() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
            }
            for _ in 0..<3 { _ = try await queue.waitForReplication(socketPath: server.path) }
            let former = try count()
            for _ in 0..<50 { _ = try await queue.waitForReplication(socketPath: server.path) }
            // The server may still have the last connection.
            let isSteady = try count() < former + 10
            server.stop()
            exit(isSteady ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func cancellationEndsTheWait() async throws {
        let requests = Log<String>()
        try await withServer {
            requests.append($0)
            return .silence
        } _: { writer, path in
            let task = Task {
                try await writer.waitForReplication(timeout: patience, socketPath: path)
            }
            _ = await requests.wait(forCount: 1)
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.waitForReplication(timeout: patience, socketPath: path)
            }
            await expectError(CancellationError.self) { try await cancelled.value }
        }
    }

    @Test func cancelledRequestIsAborted() async throws {
        let requests = Log<String>()
        try await withServer {
            requests.append($0)
            return requests.elements.count == 1 ? .silence : .synced(9)
        } _: { writer, path in
            let task = Task {
                try await writer.waitForReplication(timeout: patience, socketPath: path)
            }
            _ = await requests.wait(forCount: 1)
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
            // The server, and the queue of requests, are free again.
            let position = try await writer.waitForReplication(timeout: patience, socketPath: path)
            expectEqual(position.transactionID, 9)
        }
    }

    /// Those who come while a request is under way share the next one.
    @Test func requestsAreShared() async throws {
        let requests = Log<String>()
        let isFull = DispatchSemaphore(value: 0)
        try await withServer {
            requests.append($0)
            if requests.elements.count == 1 { isFull.wait() }
            return .synced(requests.elements.count)
        } _: { writer, path in
            // A busy machine may take long to go on after the wait below.
            let first = Task {
                try await writer.waitForReplication(timeout: patience, socketPath: path)
            }
            _ = await requests.wait(forCount: 1)
            let others = (0..<50).map { _ in
                Task { try await writer.waitForReplication(timeout: patience, socketPath: path) }
            }
            // Most of them wait by now. If some don't, they make one more request.
            await letOthersRun(for: 0.2)
            isFull.signal()
            let firstID = try await first.value.transactionID
            expectEqual(firstID, 1)
            for other in others {
                // What they asked for was committed after the first request was sent.
                let id = try await other.value.transactionID
                #expect(id >= 2)
            }
            #expect(requests.elements.count <= 4)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func replicatedWriteReturnsItsResult(kind: DatabaseKind) async throws {
        let requests = Log<String>()
        let server = try ReplicatorServer(makeSocketPath()) {
            requests.append($0)
            return .synced(1)
        }
        defer { server.stop() }
        let writer = try TestDatabases.makeWriter(kind)
        let count = try await writer.replicatedWrite(
            socketPath: server.path, databasePath: "/db"
        ) { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }
        expectEqual(count, 1)
        expectEqual(requests.elements.count, 1)
        // A write that fails asks for nothing.
        await expectError(TestError("no")) {
            try await writer.replicatedWrite(socketPath: server.path, databasePath: "/db") { db in
                throw TestError("no")
            }
        }
        expectEqual(requests.elements.count, 1)
    }

    @Test func whatIsNotReplicatedIsCommitted() async throws {
        let pool = try TestDatabases.makePool()
        await expectError(ReplicationError.self) {
            try await pool.replicatedWrite(socketPath: "/nowhere.sock") { db in
                try db.execute(sql: "CREATE TABLE t(a)")
            }
        }
        try await expectTrue(pool.read { try $0.tableExists("t") })
    }

    @Test func databaseInMemoryHasNoPath() async throws {
        let queue = try TestDatabases.makeQueue()
        await expectError(DatabaseError.self) {
            try await queue.waitForReplication(socketPath: "/nowhere.sock")
        }
    }
}
