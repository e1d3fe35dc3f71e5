import Foundation
import GRDB
import GRDBServer
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
    nonisolated(unsafe) private static var owners: [UnsafeMutablePointer<sqlite3_file>: Owner] = [:]

    /// The file system of an open file, and the methods that its kind of file has.
    private struct Owner {
        let files: FailingFiles
        let methods: UnsafePointer<sqlite3_io_methods>
    }

    private let name = "failing-\(UUID().uuidString)"
    private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // Not the default one: with encryption, its methods need more than the structure that is copied here.
    private let original = sqlite3_vfs_find("unix")!
    private var replacedMethods:
        [UnsafePointer<sqlite3_io_methods>:
            UnsafePointer<sqlite3_io_methods>] = [:]
    private var failing: [Operation: (skipped: Int, count: Int)] = [:]

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

    /// Has the next operations fail, after some that succeed.
    func fail(_ operation: Operation, times: Int = .max, skipping skipped: Int = 0) {
        Self.lock.withLock { failing[operation] = (skipped, times) }
    }

    func restore() {
        Self.lock.withLock { failing = [:] }
    }

    private func mustFail(_ operation: Operation) -> Bool {
        Self.lock.withLock {
            guard let (skipped, count) = failing[operation], count > 0 else { return false }
            if skipped > 0 {
                failing[operation] = (skipped - 1, count)
                return false
            }
            failing[operation] = (0, count - 1)
            return true
        }
    }

    private static func owner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Owner {
        lock.withLock { owners[file!]! }
    }

    private func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: CInt,
        _ outFlags: UnsafeMutablePointer<CInt>?
    ) -> CInt {
        let code = original.pointee.xOpen(original, name, file, flags, outFlags)
        guard code == SQLITE_OK, let found = file.pointee.pMethods else { return code }
        Self.lock.withLock {
            Self.owners[file] = Owner(files: self, methods: found)
            if replacedMethods[found] == nil {
                replacedMethods[found] = Self.replaceMethods(found)
            }
            file.pointee.pMethods = replacedMethods[found]
        }
        return code
    }

    private static func replaceMethods(
        _ original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: original.pointee)
        methods.pointee.xClose = { file in
            let owner = FailingFiles.lock.withLock {
                FailingFiles.owners.removeValue(forKey: file!)!
            }
            return owner.methods.pointee.xClose(file)
        }
        methods.pointee.xRead = { file, bytes, count, offset in
            let owner = FailingFiles.owner(file)
            if owner.files.mustFail(.read) { return FailingFiles.ioerr(1) }
            return owner.methods.pointee.xRead(file, bytes, count, offset)
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            let owner = FailingFiles.owner(file)
            if owner.files.mustFail(.write) { return FailingFiles.ioerr(3) }
            return owner.methods.pointee.xWrite(file, bytes, count, offset)
        }
        methods.pointee.xUnlock = { file, level in
            let owner = FailingFiles.owner(file)
            let code = owner.methods.pointee.xUnlock(file, level)
            return owner.files.mustFail(.unlock) ? FailingFiles.ioerr(8) : code
        }
        return UnsafePointer(methods)
    }

    private static func ioerr(_ number: CInt) -> CInt { SQLITE_IOERR | number << 8 }
}
