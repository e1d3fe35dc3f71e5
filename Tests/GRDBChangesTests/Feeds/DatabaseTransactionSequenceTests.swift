@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Change feeds as asynchronous sequences.
@Suite(.databases) struct DatabaseTransactionSequenceTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t(a)") }
        return writer
    }

    private func insert(_ number: Int, _ writer: any DatabaseWriter) async throws {
        try await writer.write {
            try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
        }
    }

    private func number(_ transaction: DatabaseTransactionChanges?) -> Int64? {
        transaction?.changes[0].newValue(forColumn: "a").flatMap(Int64.fromDatabaseValue)
    }

    @Test(arguments: DatabaseKind.allCases)
    func transactionsComeInTheirOrder(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        var iterator = DatabaseChangeFeed().transactions(in: writer).makeAsyncIterator()
        for number in 1...50 { try await insert(number, writer) }
        for number in 1...50 {
            let transaction = try await iterator.next()
            expectEqual(self.number(transaction), Int64(number))
        }
    }

    @Test func readerWaitsForTheNextTransaction() async throws {
        let writer = try makeWriter(.queue)
        let feed = DatabaseChangeFeed(tracking: .table("t"))
        let sequence = feed.transactions(in: writer)
        var iterator = sequence.makeAsyncIterator()
        async let inserted: Void = insert(1, writer)
        expectEqual(number(try await iterator.next()), 1)
        try await inserted
        async let insertedNext: Void = insert(2, writer)
        expectEqual(number(try await iterator.next()), 2)
        try await insertedNext
    }

    /// A write does not return, and no other one begins, before there is room.
    @Test(arguments: DatabaseKind.allCases)
    func writesWaitForTheReader(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        let capacity = 3
        var iterator = DatabaseChangeFeed().transactions(
            in: writer, bufferingPolicy: .waiting(capacity: capacity, timeout: patience)
        ).makeAsyncIterator()
        let written = Log<Int>()
        let writing = Task {
            for number in 1...100 {
                try await insert(number, writer)
                written.append(number)
            }
        }
        for number in 1...100 {
            expectEqual(self.number(try await iterator.next()), Int64(number))
            // What has been read, what is kept, and the one write that returns meanwhile.
            #expect(written.elements.count <= number + capacity + 1)
        }
        try await writing.value
        expectEqual(written.elements.count, 100)
    }

    @Test func writesDoNotWaitForEver() async throws {
        let writer = try makeWriter(.queue)
        var iterator = DatabaseChangeFeed().transactions(
            in: writer, bufferingPolicy: .waiting(capacity: 1, timeout: 0.01)
        ).makeAsyncIterator()
        for number in 1...3 { try await insert(number, writer) }
        expectEqual(number(try await iterator.next()), 1)
        await expectError(DatabaseChangeFeed.OverflowError.self) { try await iterator.next() }
        try await expectEqual(iterator.next(), nil)
        let count = try await writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 3)
    }

    @Test func cancelledReaderFreesTheWrite() async throws {
        let writer = try makeWriter(.queue)
        let sequence = DatabaseChangeFeed().transactions(
            in: writer, bufferingPolicy: .waiting(capacity: 1, timeout: patience))
        let (started, startedContinuation) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            var iterator = sequence.makeAsyncIterator()
            startedContinuation.finish()
            _ = try await iterator.next()
            // Never comes back to the sequence until it is canceled.
            while !Task.isCancelled { await Task.yield() }
            return try await iterator.next() == nil
        }
        for await _ in started {}
        for number in 1...2 { try await insert(number, writer) }
        async let third: Void = insert(3, writer)
        reading.cancel()
        try await third
        try await expectTrue(reading.value)
        try await insert(4, writer)
    }

    @Test func sequenceMayEndWhenItIsFull() async throws {
        let writer = try makeWriter(.queue)
        var iterator = DatabaseChangeFeed().transactions(
            in: writer, bufferingPolicy: .ending(capacity: 2)
        ).makeAsyncIterator()
        for number in 1...5 { try await insert(number, writer) }
        expectEqual(number(try await iterator.next()), 1)
        expectEqual(number(try await iterator.next()), 2)
        let error = await expectError(DatabaseChangeFeed.OverflowError.self) {
            try await iterator.next()
        }
        expectEqual(error?.capacity, 2)
        expectTrue("\(error!)".contains("2 committed transactions have not been read"))
    }

    @Test func transactionsMayBeRefused() async throws {
        let writer = try makeWriter(.queue)
        var iterator = DatabaseChangeFeed(tracking: .table("t")).transactions(
            in: writer, bufferingPolicy: .refusing(capacity: 2)
        ).makeAsyncIterator()
        try await insert(1, writer)
        try await insert(2, writer)
        await expectError(DatabaseChangeFeed.OverflowError.self) {
            try await insert(3, writer)
        }
        // Others are free to write.
        try await writer.write {
            try $0.execute(sql: "CREATE TABLE u(a); INSERT INTO u VALUES (1)")
        }
        expectEqual(number(try await iterator.next()), 1)
        try await insert(4, writer)
        expectEqual(number(try await iterator.next()), 2)
        expectEqual(number(try await iterator.next()), 4)
        let numbers = try await writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(numbers, [1, 2, 4])
    }

    @Test func unboundedSequenceKeepsAll() async throws {
        let writer = try makeWriter(.queue)
        var iterator = DatabaseChangeFeed().transactions(
            in: writer, bufferingPolicy: .unbounded
        ).makeAsyncIterator()
        try await writer.writeWithoutTransaction { db in
            for number in 1...2_000 {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
            }
        }
        for number in 1...2_000 {
            expectEqual(self.number(try await iterator.next()), Int64(number))
        }
    }

    @Test func cancelledTaskEndsTheIteration() async throws {
        let writer = try makeWriter(.queue)
        let sequence = DatabaseChangeFeed().transactions(in: writer)
        let reading = Task {
            var count = 0
            for try await _ in sequence { count += 1 }
            return count
        }
        reading.cancel()
        try await expectEqual(reading.value, 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func closedDatabaseEndsTheSequence(kind: DatabaseKind) async throws {
        let writer = try makeWriter(kind)
        var iterator = DatabaseChangeFeed().transactions(in: writer).makeAsyncIterator()
        try await insert(1, writer)
        try writer.close()
        expectEqual(number(try await iterator.next()), 1)
        await expectError(DatabaseError.self) { try await iterator.next() }
        try await expectEqual(iterator.next(), nil)
    }

    /// Nothing is left of a feed whose iterator is gone.
    @Test func forgottenIteratorEndsItsFeed() async throws {
        let writer = try makeWriter(.queue)
        do {
            var iterator = DatabaseChangeFeed().transactions(
                in: writer, bufferingPolicy: .waiting(capacity: 1, timeout: patience)
            ).makeAsyncIterator()
            try await insert(1, writer)
            expectEqual(number(try await iterator.next()), 1)
        }
        for number in 2...5 { try await insert(number, writer) }
    }
}
