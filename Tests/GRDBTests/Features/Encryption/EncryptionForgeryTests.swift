#if GRDB_ENCRYPTION
import GRDBQueries
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Pages in plain text, which somebody without the key puts in files, are never read.
@Suite(.databases) struct EncryptionForgeryTests {
    private static let forged = "forged"

    /// An encrypted file of 20 pages, and a plain database of the same pages with other content.
    private static func makeFiles() throws -> (path: String, plain: Data, rows: [String]) {
        let key = try Encrypted.rawKey()
        let path = try Encrypted.makeFile(key, rows: 124)
        let rows = try Encrypted.contents(Encrypted.open(path, key))
        let source = try Encrypted.open(
            Encrypted.makeFile(Encrypted.rawKey(8), rows: 124), Encrypted.rawKey(8))
        try source.write {
            try $0.execute(sql: "UPDATE t SET content = '\(forged)' || substr(content, 7)")
        }
        // The pages of a backup have the reserved bytes of encrypted ones.
        let plainPath = TestDatabases.makePath()
        let plain = try Encrypted.open(plainPath, nil)
        try source.backup(to: plain)
        try plain.close()
        let bytes = try Encrypted.bytes(plainPath)
        expectTrue(bytes.count == 20 * 4096 && bytes[20] == 80)
        return (path, bytes, rows)
    }

    /// Expects the right content or an error, also of later readers.
    private static func expectNothingForged(
        _ path: String, _ rows: [String], cipher: DatabaseCipher = .sqlcipher,
        _ comment: Comment? = nil, line: Int = #line
    ) throws {
        for _ in 1...2 {
            do {
                let queue = try Encrypted.open(path, try Encrypted.rawKey(), cipher: cipher)
                let read = try Encrypted.contents(queue)
                let isRight = read == rows
                expectTrue(isRight, comment, line: line)
            } catch let error as DatabaseError {
                let codes: [ResultCode] = [.SQLITE_NOTADB, .SQLITE_CORRUPT]
                expectTrue(codes.contains(error.resultCode), comment, line: line)
            }
        }
    }

    @Test func pagesThatAreCutOff() throws {
        let (path, plain, rows) = try Self.makeFiles()
        let original = try Encrypted.bytes(path)
        for page in 1...20 {
            for missing in [1, 16, 80] {
                var bytes = original.prefix(page * 4096)
                bytes.replaceSubrange(
                    ((page - 1) * 4096)..., with: plain[((page - 1) * 4096)..<(page * 4096)])
                try bytes.dropLast(missing).write(to: URL(fileURLWithPath: path))
                try Self.expectNothingForged(path, rows, "page \(page), \(missing) bytes missing")
            }
        }
        // The last page, which alone can be cut off without the others.
        let bytes = original.prefix(19 * 4096) + plain[(19 * 4096)...].dropLast(1)
        try bytes.write(to: URL(fileURLWithPath: path))
        let queue = try Encrypted.open(path, Encrypted.rawKey())
        let error = expectError(DatabaseError.self) { try Encrypted.contents(queue) }
        expectEqual(error?.encryptionFailure, .alteredPage)
        expectEqual(error?.message, "Page 20 of main is altered, or cut off")
    }

    /// A hot journal, which SQLite copies into the file before it reads anything.
    private static func makeJournal(_ pages: Data, pageSize: Int) -> Data {
        var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        func append(_ value: Int) {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) {
                journal.append(contentsOf: $0)
            }
        }
        let count = pages.count / pageSize
        for value in [count, 0, count, 512, pageSize] { append(value) }
        journal.append(Data(count: 512 - journal.count))
        for number in 1...count {
            let page = Data(pages[((number - 1) * pageSize)..<(number * pageSize)])
            append(number)
            journal.append(page)
            append(
                stride(from: pageSize - 200, to: 0, by: -200).reduce(0) { $0 + Int(page[$1]) })
        }
        return journal
    }

    @Test(arguments: [512, 1024, 4096, 8192, 16384])
    func journalsInPlainText(pageSize: Int) throws {
        let (path, plain, rows) = try Self.makeFiles()
        let main = try Encrypted.bytes(path)
        try Self.makeJournal(plain, pageSize: pageSize)
            .write(to: URL(fileURLWithPath: path + "-journal"))
        try Self.expectNothingForged(path, rows)
        // Nothing was copied.
        try expectEqual(Encrypted.bytes(path), main)
        try FileManager.default.removeItem(atPath: path + "-journal")
        try expectEqual(Encrypted.contents(Encrypted.open(path, Encrypted.rawKey())), rows)
    }

    // MARK: - WAL files

    /// A page of a table, whose rows are texts.
    private static func makeLeaf(_ cells: [[String?]], header: Data = Data(), limit: Int) -> Data {
        var page = header + Data(count: limit - header.count)
        var start = limit
        for (index, values) in cells.enumerated() {
            var types = Data()
            var body = Data()
            for value in values {
                switch value {
                case nil: types.append(0)
                case "2":
                    types.append(1)
                    body.append(2)
                case let text?:
                    types.append(UInt8(13 + 2 * text.utf8.count))
                    body.append(contentsOf: text.utf8)
                }
            }
            let record = Data([UInt8(types.count + 1)]) + types + body
            let cell = Data([UInt8(record.count), UInt8(index + 1)]) + record
            start -= cell.count
            page.replaceSubrange(start..<(start + cell.count), with: cell)
            let pointer = header.count + 8 + 2 * index
            page[pointer] = UInt8(start >> 8)
            page[pointer + 1] = UInt8(start & 255)
        }
        page[header.count] = 13
        page[header.count + 4] = UInt8(cells.count)
        page[header.count + 5] = UInt8(start >> 8)
        page[header.count + 6] = UInt8(start & 255)
        return page
    }

    private static func makeWAL(_ pages: [Data]) -> Data {
        var sums: (UInt32, UInt32) = (0, 0)
        func checksum(_ data: Data) {
            let words = data.withUnsafeBytes { buffer in
                stride(from: 0, to: buffer.count, by: 4).map {
                    UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
                }
            }
            for index in stride(from: 0, to: words.count, by: 2) {
                sums.0 = sums.0 &+ words[index] &+ sums.1
                sums.1 = sums.1 &+ words[index + 1] &+ sums.0
            }
        }
        func big(_ values: [UInt32]) -> Data {
            values.reduce(into: Data()) { data, value in
                withUnsafeBytes(of: value.bigEndian) { data.append(contentsOf: $0) }
            }
        }
        var wal = big([0x377f_0682, 3_007_000, UInt32(pages[0].count), 0, 1, 2])
        checksum(wal)
        wal += big([sums.0, sums.1])
        for (index, page) in pages.enumerated() {
            let header = big([
                UInt32(index + 1), index == pages.count - 1 ? UInt32(pages.count) : 0,
            ])
            checksum(header)
            checksum(page)
            wal += header + big([1, 2, sums.0, sums.1]) + page
        }
        return wal
    }

    @Test(arguments: [512, 1024, 4096, 8192])
    func walFilesInPlainText(pageSize: Int) throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        try pool.write { try Encrypted.fill($0, rows: 1) }
        try pool.close()
        let plainPath = TestDatabases.makePath()
        let plain = try DatabasePool(path: plainPath, configuration: Encrypted.configuration(nil))
        try plain.write { try Encrypted.fill($0, rows: 1) }
        try plain.close()
        for headerSize in [pageSize, 4096] {
            var header = Data(try Encrypted.bytes(plainPath).prefix(100))
            header[16] = UInt8(headerSize >> 8)
            header[17] = UInt8(headerSize & 255)
            header[20] = 80
            header[31] = 2
            let limit = min(pageSize, headerSize) - 80
            let schema = [
                "table", "t", "t", "2", "CREATE TABLE t(id INTEGER PRIMARY KEY, content)",
            ]
            let pages = [
                Self.makeLeaf([schema], header: header, limit: limit),
                Self.makeLeaf([[nil, Self.forged]], limit: limit),
            ]
            let wal = Self.makeWAL(pages.map { $0 + Data(count: pageSize - $0.count) })
            // The forgery is good: it replaces the content of a plain database.
            if pageSize == 4096 {
                let copy = TestDatabases.makePath()
                try FileManager.default.copyItem(atPath: plainPath, toPath: copy)
                try wal.write(to: URL(fileURLWithPath: copy + "-wal"))
                try expectEqual(Encrypted.contents(Encrypted.open(copy, nil)), [Self.forged])
            }
            let copy = TestDatabases.makePath()
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try wal.write(to: URL(fileURLWithPath: copy + "-wal"))
            try Self.expectNothingForged(copy, [Encrypted.content(1)])
        }
    }

    @Test(arguments: [true, false])
    func framesThatChangeWhileTheFileIsOpen(isPlain: Bool) throws {
        let key = try Encrypted.rawKey()
        let path = TestDatabases.makePath()
        let pool = try DatabasePool(path: path, configuration: Encrypted.configuration(key))
        try pool.write { db in
            try Encrypted.fill(db, rows: 1)
            try db.execute(
                sql: """
                    CREATE TABLE u(id INTEGER PRIMARY KEY, content TEXT NOT NULL);
                    INSERT INTO u VALUES (1, '\(Self.forged)');
                    """)
        }
        var wal = try Encrypted.bytes(path + "-wal")
        let frameSize = 4096 + 24
        func frames(of page: UInt8) -> [Int] {
            stride(from: 32, to: wal.count, by: frameSize).filter {
                wal[$0 + 3] == page && wal[$0 + 2] == 0
            }
        }
        let source = try unwrap(frames(of: 3).last)
        let targets = frames(of: 2)
        expectTrue(!targets.isEmpty)
        for target in targets {
            if isPlain {
                wal[target + 3] = 0
                let page = Self.makeLeaf([[nil, Self.forged]], limit: 4096 - 80) + Data(count: 80)
                wal.replaceSubrange((target + 24)..<(target + frameSize), with: page)
            } else {
                wal[target + 3] = 3
                wal.replaceSubrange(
                    (target + 24)..<(target + frameSize),
                    with: wal[(source + 24)..<(source + frameSize)])
            }
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
        file.write(wal)
        try file.close()
        let error = expectError(DatabaseError.self) { try Encrypted.contents(pool) }
        expectEqual(error?.encryptionFailure, .alteredPage)
        expectEqual(error?.message, "Page 2 of main is altered, or cut off")
        // A checkpoint does not encrypt what it has not decrypted.
        expectError(DatabaseError.self) {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        try? pool.close()
        let rows = try? Encrypted.contents(Encrypted.open(path, key))
        #expect(rows?.contains(Self.forged) != true)
    }

    // MARK: - Missing and empty pages

    /// Rows whose content continues on overflow pages, which have no structure that SQLite could check.
    private static func makeFileWithOverflow(_ path: String) throws -> [String] {
        let pool = try DatabasePool(
            path: path, configuration: Encrypted.configuration(Encrypted.rawKey()))
        let rows = (1...4).map { "\($0) " + String(repeating: "y", count: 20_000) }
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
            for row in rows {
                try db.execute(sql: "INSERT INTO t(content) VALUES (?)", arguments: [row])
            }
        }
        try pool.close()
        return rows
    }

    @Test func emptyPages() throws {
        let path = TestDatabases.makePath()
        let rows = try Self.makeFileWithOverflow(path)
        let original = try Encrypted.bytes(path)
        for page in 0..<(original.count / 4096) {
            for byte in [0, 0xff] as [UInt8] {
                var bytes = original
                bytes.replaceSubrange(
                    (page * 4096)..<((page + 1) * 4096), with: Data(repeating: byte, count: 4096))
                try bytes.write(to: URL(fileURLWithPath: path))
                do {
                    _ = try Encrypted.contents(Encrypted.open(path, Encrypted.rawKey()))
                    Issue.record("page \(page + 1)")
                } catch let error as DatabaseError {
                    // The first page has the salt of the key.
                    expectEqual(error.encryptionFailure, (page == 0 ? .wrongKey : .alteredPage))
                }
            }
        }
        try original.write(to: URL(fileURLWithPath: path))
        try expectEqual(Encrypted.contents(Encrypted.open(path, Encrypted.rawKey())), rows)
    }

    /// The WAL says how many pages there are, so that SQLite does not compare them with the file.
    @Test func filesThatAreCutBeneathTheirWAL() throws {
        let path = TestDatabases.makePath()
        let rows = try Self.makeFileWithOverflow(path)
        let pool = try DatabasePool(
            path: path, configuration: Encrypted.configuration(Encrypted.rawKey()))
        try pool.write { try $0.execute(sql: "CREATE TABLE u(a)") }
        let main = try Encrypted.bytes(path)
        let wal = try Encrypted.bytes(path + "-wal")
        try pool.close()
        var errors = 0
        for size in stride(from: 0, to: main.count, by: 2048) {
            let copy = TestDatabases.makePath()
            try main.prefix(size).write(to: URL(fileURLWithPath: copy))
            try wal.write(to: URL(fileURLWithPath: copy + "-wal"))
            do {
                let read = try Encrypted.contents(Encrypted.open(copy, Encrypted.rawKey()))
                let isRight = read == rows
                expectTrue(isRight, "\(size) bytes")
            } catch let error as DatabaseError {
                let codes: [ResultCode] = [.SQLITE_NOTADB, .SQLITE_CORRUPT]
                expectTrue(
                    codes.contains(error.resultCode) || error.message == "no such table: t",
                    "\(size) bytes: \(error)")
                errors += 1
            }
        }
        #expect(errors > 15)
    }

    // MARK: - Bytes that are not encrypted

    /// 32 readable bytes have no authentication of their own: what SQLite takes from them must agree with
    /// the rest of the file.
    @Test func readableHeadersAreNoWayIn() throws {
        let salt = Data((0..<16).map { UInt8($0) })
        let cipher = DatabaseCipher.sqlcipher(plaintextHeaderSize: 32, salt: salt)
        let path = try Encrypted.makeFile(Encrypted.rawKey(), cipher: cipher, rows: 124)
        let rows = (1...124).map(Encrypted.content)
        let original = try Encrypted.bytes(path)
        expectEqual(original.prefix(6), Data("SQLite".utf8))
        for bit in 0..<(32 * 8) {
            var bytes = original
            bytes[bit / 8] ^= 1 << (bit % 8)
            try bytes.write(to: URL(fileURLWithPath: path))
            try Self.expectNothingForged(path, rows, cipher: cipher, "bit \(bit)")
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
    }

    @Test func mappedFilesAreDecrypted() throws {
        let (path, plain, rows) = try Self.makeFiles()
        let original = try Encrypted.bytes(path)
        var configuration = Encrypted.configuration(nil)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA mmap_size = 1000000")
            try db.useKey(Encrypted.rawKey())
            try db.execute(sql: "PRAGMA mmap_size = 1000000")
        }
        try expectEqual(
            Encrypted.contents(DatabaseQueue(path: path, configuration: configuration)),
            rows)
        for page in 1...20 {
            var bytes = original
            let range = ((page - 1) * 4096)..<(page * 4096)
            bytes.replaceSubrange(range, with: plain[range])
            try bytes.write(to: URL(fileURLWithPath: path))
            expectError(DatabaseError.self, "page \(page)") {
                try Encrypted.contents(DatabaseQueue(path: path, configuration: configuration))
            }
        }
    }
}
#endif
