import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport

/// A file system whose operations fail on request.
///
/// ```swift
/// let files = FailingFiles()
/// let dbQueue = try files.makeQueue()
/// files.fail(.read)
/// ```
///
/// `@unchecked Sendable`: the variables are only touched under the lock.
final class FailingFiles: @unchecked Sendable {
    enum Operation: Hashable { case read, write, unlock }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var owners:
        [UnsafeMutablePointer<sqlite3_file>: FailingFiles] = [:]

    private let name = "failing-\(UUID().uuidString)"
    private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    /// The methods of files, by the original ones: journals have others than databases.
    private var methods:
        [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]
    private var originals: [UnsafeMutablePointer<sqlite3_file>: UnsafePointer<sqlite3_io_methods>] =
        [:]
    private let original = sqlite3_vfs_find(nil)!
    private var failing: [Operation: Int] = [:]

    /// Registers the file system, for the rest of the process.
    init() {
        vfs.initialize(to: original.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
        vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
            Unmanaged<FailingFiles>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
                .open(name, file!, flags, outFlags)
        }
        sqlite3_vfs_register(vfs, 0)
    }

    func makeQueue() throws -> DatabaseQueue {
        try DatabaseQueue(path: makeURI(), configuration: TestDatabases.makePlainConfiguration())
    }

    func makePool() throws -> DatabasePool {
        try DatabasePool(path: makeURI(), configuration: TestDatabases.makePlainConfiguration())
    }

    func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        switch kind {
        case .queue: try makeQueue()
        case .pool: try makePool()
        }
    }

    private func makeURI() -> String {
        DatabaseURI(path: TestDatabases.makePath(), parameters: [.vfs(name)]).string
    }

    /// Has the next operations fail.
    func fail(_ operation: Operation, times: Int = .max) {
        Self.lock.withLock { failing[operation] = times }
    }

    func restore() {
        Self.lock.withLock { failing = [:] }
    }

    private func mustFail(_ operation: Operation) -> Bool {
        Self.lock.withLock {
            guard let count = failing[operation], count > 0 else { return false }
            failing[operation] = count - 1
            return true
        }
    }

    private static func owner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> FailingFiles {
        lock.withLock { owners[file!]! }
    }

    private func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: CInt,
        _ outFlags: UnsafeMutablePointer<CInt>?
    ) -> CInt {
        let code = original.pointee.xOpen(original, name, file, flags, outFlags)
        guard code == SQLITE_OK, let found = file.pointee.pMethods else { return code }
        file.pointee.pMethods = Self.lock.withLock {
            Self.owners[file] = self
            originals[file] = found
            return UnsafePointer(methods[found] ?? makeMethods(found))
        }
        return code
    }

    private func makeMethods(
        _ original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let result = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        result.initialize(to: original.pointee)
        methods[original] = result
        result.pointee.xClose = { file in
            let owner = FailingFiles.lock.withLock {
                FailingFiles.owners.removeValue(forKey: file!)!
            }
            return owner.original(file).pointee.xClose(file)
        }
        result.pointee.xRead = { file, bytes, count, offset in
            let owner = FailingFiles.owner(file)
            if owner.mustFail(.read) { return FailingFiles.ioerr(1) }
            return owner.original(file).pointee.xRead(file, bytes, count, offset)
        }
        result.pointee.xWrite = { file, bytes, count, offset in
            let owner = FailingFiles.owner(file)
            if owner.mustFail(.write) { return FailingFiles.ioerr(3) }
            return owner.original(file).pointee.xWrite(file, bytes, count, offset)
        }
        result.pointee.xUnlock = { file, level in
            let owner = FailingFiles.owner(file)
            let code = owner.original(file).pointee.xUnlock(file, level)
            return owner.mustFail(.unlock) ? FailingFiles.ioerr(8) : code
        }
        return result
    }

    private func original(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafePointer<
        sqlite3_io_methods
    > {
        Self.lock.withLock { originals[file!]! }
    }

    private static func ioerr(_ number: CInt) -> CInt { SQLITE_IOERR | number << 8 }
}
