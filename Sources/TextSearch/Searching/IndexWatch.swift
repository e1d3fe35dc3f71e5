import Foundation
import GRDB

/// Notices what other processes change in an index.
///
/// SQLite says at almost no cost whether they have written. Files are compared only then.
final class IndexWatch {
    private let index: IndexDatabase
    private var version: Int64?
    private(set) var files: [ExactPath: IndexedFile] = [:]

    /// - parameter index: an index that this process does not change.
    init(_ index: IndexDatabase) throws {
        self.index = index
        // Before the files: a change in between is seen next time.
        version = try fetchVersion()
        files = try fetchFiles()
    }

    /// A number that differs from the last one if another connection has changed the file since.
    private func fetchVersion() throws -> Int64? {
        try index.queue.read { try Int64.fetchOne($0, sql: "PRAGMA main.data_version") }
    }

    private func fetchFiles() throws -> [ExactPath: IndexedFile] {
        Dictionary(
            try index.files().map { (ExactPath(string: $0.path), $0) },
            uniquingKeysWith: { $1 })
    }

    /// Returns what has changed since the last call, in the order of paths; nil if nothing has been
    /// written at all.
    func poll() throws -> [FileChange]? {
        let newVersion = try fetchVersion()
        guard newVersion != version else { return nil }
        try index.loadSynonyms()
        let newFiles = try fetchFiles()
        var changes: [FileChange] = []
        for (path, file) in newFiles {
            if let old = files[path] {
                if old.size != file.size || old.modified != file.modified {
                    changes.append(
                        FileChange(
                            path: file.path,
                            kind: .changed(oldSize: old.size, newSize: file.size)))
                }
            } else {
                changes.append(FileChange(path: file.path, kind: .inserted(size: file.size)))
            }
        }
        for (path, file) in files where newFiles[path] == nil {
            changes.append(FileChange(path: file.path, kind: .deleted(size: file.size)))
        }
        files = newFiles
        version = newVersion
        return changes.sorted { $0.path < $1.path }
    }
}

/// How the results of a query differ from what they were.
enum ResultChange: Equatable {
    case appeared(path: String, place: Int)
    case moved(path: String, from: Int, to: Int)
    case disappeared(path: String)

    /// Compares two lists of paths. Places are counted from 1.
    static func changes(from old: [String], to new: [String]) -> [ResultChange] {
        func places(_ paths: [String]) -> [ExactPath: Int] {
            Dictionary(
                zip(paths.map(ExactPath.init), 1...).map { ($0, $1) },
                uniquingKeysWith: { first, _ in first })
        }
        let oldPlaces = places(old)
        let newPlaces = places(new)
        var changes: [ResultChange] = []
        for path in old where newPlaces[ExactPath(string: path)] == nil {
            changes.append(.disappeared(path: path))
        }
        for (index, path) in new.enumerated() {
            guard let oldPlace = oldPlaces[ExactPath(string: path)] else {
                changes.append(.appeared(path: path, place: index + 1))
                continue
            }
            if oldPlace != index + 1 {
                changes.append(.moved(path: path, from: oldPlace, to: index + 1))
            }
        }
        return changes
    }
}
