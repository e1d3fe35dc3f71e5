import Foundation
import GRDB

/// Brings the index in step with folders.
struct Indexer {
    let index: IndexDatabase
    let console: Console
    let interruption: Interruption
    /// Whether what .gitignore files exclude is left out.
    var respectsIgnoreFiles = true

    /// A transaction ends once this is reached: searches see new files soon, and other processes
    /// that index do not wait long.
    private static let maximumBatchBytes = 8_000_000
    private static let maximumBatchCount = 500

    /// What became of the files.
    struct Outcome {
        var folderCount = 0
        /// The files found, all kinds.
        var fileCount = 0
        var unchangedCount = 0
        /// The size of the files that were read.
        var readBytes = 0
        var binaries: [String] = []
        /// Files and folders that should be in the index, and can't.
        var problems: [(path: String, message: String)] = []
        var isInterrupted = false
        /// How many files were left when the work ended; nil if they were not counted yet.
        var remainingCount: Int?
    }

    /// A change to make.
    private enum Change {
        case save(NewFile)
        case delete(path: String)
    }

    /// The changes of a transaction.
    private struct Batch {
        var changes: [Change] = []
        var byteCount = 0

        var isFull: Bool {
            byteCount >= Indexer.maximumBatchBytes || changes.count >= Indexer.maximumBatchCount
        }
    }

    /// A file to read.
    private struct File {
        let path: String
        let status: FileStatus
        /// Whether the index has it.
        let isKnown: Bool
    }

    /// The differences between a folder and the index.
    private struct Plan {
        var outcome = Outcome()
        var files: [File] = []
        /// Files that are gone.
        var deletions: [IndexedFile] = []
    }

    /// Indexes folders.
    ///
    /// - parameter outcome: what was done, also when this throws. The files of the transaction that
    ///   has failed are as they were.
    /// - throws: a `CommandError` if a folder is missing, or a `DatabaseError`.
    func run(folders: [String], outcome: inout Outcome) throws {
        let plan = try makePlan(folders: try Indexer.roots(folders))
        outcome = plan.outcome
        if interruption.isRequested {
            outcome.isInterrupted = true
            return
        }
        var remainingCount = plan.files.count + plan.deletions.count
        defer { outcome.remainingCount = remainingCount }
        var progress = ProgressReport(
            console: console, fileCount: plan.files.count,
            byteCount: plan.files.reduce(0) { $0 + $1.status.size })
        defer { progress.clear() }

        var batch = Batch()
        for file in plan.deletions where !interruption.isRequested {
            batch.changes.append(.delete(path: file.path))
            if batch.isFull { remainingCount -= try apply(&batch, &progress) }
        }
        for file in plan.files where !interruption.isRequested {
            let change = read(file, &outcome)
            if let change {
                batch.changes.append(change)
                batch.byteCount += file.status.size
            } else {
                remainingCount -= 1
                progress.advance(bytes: file.status.size)
            }
            if batch.isFull { remainingCount -= try apply(&batch, &progress) }
        }
        // What has been read is kept, also after the first Ctrl-C.
        remainingCount -= try apply(&batch, &progress)
        outcome.isInterrupted = interruption.isRequested && remainingCount > 0
    }

    // MARK: - Folders

    /// The folders as absolute paths without symbolic links, without those inside of others.
    private static func roots(_ folders: [String]) throws -> [String] {
        var roots: [String] = []
        for folder in folders {
            guard let path = realpath(folder, nil) else {
                let problem = FileProblem(errorNumber: errno)
                let hint =
                    problem.isMissing
                    ? ". If it was indexed before, `TextSearch remove` takes it out of the index"
                    : ""
                throw CommandError(
                    message: "\(TextFormat.printable(folder)): \(problem.message)\(hint)")
            }
            defer { free(path) }
            guard let root = String(validatingCString: path) else {
                throw CommandError(
                    message: "\(TextFormat.printable(folder)): the path is not UTF-8")
            }
            do throws(FileProblem) {
                guard try FileStatus(path: root).kind == .folder else {
                    throw FileProblem(message: "is not a folder")
                }
            } catch {
                throw CommandError(
                    message: "\(TextFormat.printable(folder)): \(error.message)")
            }
            roots.append(root)
        }
        return Set(roots.map(ExactPath.init)).map(\.string).sorted().filter { root in
            !roots.contains { isPath(root, inside: $0) }
        }
    }

    private static func isPath(_ path: String, inside folder: String) -> Bool {
        path.utf8.starts(with: (folder.hasSuffix("/") ? folder : folder + "/").utf8)
    }

    private func makePlan(folders: [String]) throws -> Plan {
        var plan = Plan()
        plan.outcome.folderCount = folders.count
        for folder in folders {
            var known = KnownFiles(try index.files(in: folder))
            let walker = FileWalker(
                root: folder, respectsIgnoreFiles: respectsIgnoreFiles,
                isCancelled: { interruption.isRequested }
            ) { path, status in
                let file = known.find(path)
                if file?.size == status.size, file?.modified == status.modified {
                    plan.outcome.unchangedCount += 1
                } else {
                    let path = String(decoding: path, as: UTF8.self)
                    plan.files.append(File(path: path, status: status, isKnown: file != nil))
                }
            }
            if interruption.isRequested { return plan }
            plan.outcome.problems += walker.problems
            plan.outcome.fileCount += walker.fileCount
            // What can't be seen now may still be there.
            let hidden = walker.problems.map(\.path)
            plan.deletions += known.others.filter { file in
                !hidden.contains { $0 == file.path || Indexer.isPath(file.path, inside: $0) }
            }
        }
        return plan
    }

    // MARK: - Files

    /// Reads a file, and returns what to do, if anything.
    private func read(_ file: File, _ outcome: inout Outcome) -> Change? {
        // The text that the index has of a file which has none now.
        let deletion = file.isKnown ? Change.delete(path: file.path) : nil
        do {
            let problem: String
            switch try TextFile(readingFrom: file.path) {
            case .text(let body, let status):
                outcome.readBytes += status.size
                return .save(
                    NewFile(
                        path: file.path, size: status.size, modified: status.modified, body: body))
            case .binary:
                outcome.binaries.append(file.path)
                return deletion
            case .notUTF8:
                problem = "is not UTF-8"
            case .tooLarge:
                problem = "is larger than \(TextFormat.size(TextFile.maximumSize))"
            }
            outcome.problems.append((file.path, problem))
            return deletion
        } catch let problem as FileProblem where problem.isMissing {
            // Deleted since the folder was listed.
            return deletion
        } catch {
            let message = (error as? FileProblem)?.message ?? "\(error)"
            outcome.problems.append((file.path, message))
            return nil
        }
    }

    /// Makes the changes in one transaction: all of them, or, once interrupted, the first ones.
    ///
    /// - returns: how many changes were made.
    private func apply(_ batch: inout Batch, _ progress: inout ProgressReport) throws -> Int {
        if batch.changes.isEmpty { return 0 }
        var doneCount = 0
        let queue = index.queue
        try interruption.onSecondSignal({ queue.interrupt() }) {
            try queue.write { db in
                for change in batch.changes {
                    switch change {
                    case .save(let file):
                        try IndexDatabase.save(file, in: db)
                        progress.advance(bytes: file.size)
                    case .delete(let path):
                        try IndexDatabase.delete(path: path, in: db)
                    }
                    doneCount += 1
                    if interruption.isRequested { break }
                }
            }
        }
        batch = Batch()
        return doneCount
    }
}
