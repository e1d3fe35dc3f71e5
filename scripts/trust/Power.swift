import Foundation
import GRDB
import TrustSupport

// power list                                  prints the workloads
// power record WORKLOAD JOURNAL SYNCHRONOUS OVERWRITES SEED FOLDER RECORD
//                                             works in FOLDER, and writes what reaches the disk to RECORD
// power open                                  opens the files that it is told of, line by line

/// The files of the workload, and their digests, as a line of the record.
private func mark(_ folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".sqlite") }
    var digests: [String: UInt32] = [:]
    for name in names { digests[name] = try contentDigest(path: folder + "/" + name) }
    let data = try JSONEncoder().encode(digests)
    data.withUnsafeBytes { bytes in
        trust_mark(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
}

private func record(_ arguments: [String]) throws {
    let workload = try findWorkload(arguments[0])
    let (journal, synchronous) = (arguments[1], arguments[2])
    let folder = arguments[5]
    let path = folder + "/main.sqlite"
    guard trust_install_recorder(arguments[3] == "1" ? 1 : 0, UInt64(arguments[4])!) == 0 else {
        throw Failed("the file system is not accepted")
    }
    if workload.beginsWithContent {
        let queue = try DatabaseQueue(path: path, configuration: makeConfiguration())
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE afterwards(a)")
            try workload.create(db)
        }
        try queue.close()
    }
    guard trust_record(arguments[6]) == 0 else { throw Failed("no record") }
    try mark(folder)

    extraPragmas.update {
        // A pool sets both, and waits for the disk at checkpoints only.
        $0 =
            journal == "wal"
            ? [] : ["PRAGMA journal_mode = \(journal)", "PRAGMA synchronous = \(synchronous)"]
    }
    let writer = try workload.open(path)
    try writer.writeWithoutTransaction { db in
        if journal == "wal" { _ = try String.fetchAll(db, sql: "PRAGMA journal_mode = WAL") }
        try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
        let modes = try [
            String.fetchOne(db, sql: "PRAGMA journal_mode"),
            String.fetchOne(db, sql: "PRAGMA synchronous"),
        ]
        let codes = ["NORMAL": "1", "FULL": "2", "EXTRA": "3"]
        try check(modes == [journal, codes[synchronous]], "\(modes)")
    }
    let problem = Shared<(any Error)?>(nil)
    let markCommit: @Sendable () -> Void = {
        do {
            try mark(folder)
        } catch {
            problem.update { $0 = $0 ?? error }
        }
    }
    let counter = CommitCounter(onCommit: markCommit)
    fileDidChange.update { $0 = markCommit }
    writer.add(transactionObserver: counter, extent: .databaseLifetime)
    try workload.prepare(writer)
    try workload.work(writer, folder)
    try mark(folder)
    try writer.close()
    try mark(folder)
    trust_end_record()
    if let error = problem.value { throw error }
    printLine("commits \(counter.commits)")
}

/// What the library finds in a file after a power cut.
private struct OpenedFile: Encodable {
    var digest: UInt32?
    var problem: String?
}

private func open(_ path: String, isPool: Bool) -> OpenedFile {
    var opened = OpenedFile()
    do {
        let writer = try isPool ? openPool(path) : openQueue(path)
        try writer.writeWithoutTransaction { db in
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            if integrity != ["ok"] { opened.problem = "integrity_check: \(integrity.prefix(3))" }
        }
        opened.digest = try writer.read(contentDigest)
        try writer.close()
    } catch {
        opened.problem = opened.problem ?? "\(error)"
    }
    return opened
}

func runPower(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    switch arguments.first {
    case "list":
        for workload in makeWorkloads() {
            printLine("workload \(workload.name) \(workload.isPool ? "pool" : "queue")")
        }
    case "record" where arguments.count == 8: try record(Array(arguments.dropFirst()))
    case "open":
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            report("file", open(words[1], isPool: words[0] == "pool"))
        }
    default: throw Failed("power \(arguments)")
    }
    printLine("end")
}
