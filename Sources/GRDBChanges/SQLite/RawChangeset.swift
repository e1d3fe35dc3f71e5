import GRDB
import CGRDBSQLite

/// Memory allocated by SQLite.
struct RawBytes {
    private let start: UnsafeMutableRawPointer?
    let count: Int

    /// Takes ownership of the memory: the caller must free its address with `free(_:)`.
    init(start: UnsafeMutableRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }

    /// The address of the memory; nil if empty.
    var address: UnsafeMutableRawPointer? { start }

    static func free(_ address: UnsafeMutableRawPointer) {
        grdb_sqlite3_free(address)
    }
}

/// Receives the output of the streaming session functions. Must outlive the call.
final class RawChangesetOutput {
    private let write: (UnsafeRawBufferPointer) throws -> Void

    /// The error thrown by the closure.
    private(set) var error: (any Error)?

    init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.write = write
    }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var callback: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, CInt) -> CInt
    {
        { context, start, count in
            let output = Unmanaged<RawChangesetOutput>.fromOpaque(context!).takeUnretainedValue()
            do {
                try output.write(UnsafeRawBufferPointer(start: start, count: Int(count)))
                return SQLITE_OK
            } catch {
                output.error = error
                return SQLITE_ABORT
            }
        }
    }
}

/// Provides the input of the streaming session functions. Must outlive the call.
final class RawChangesetInput {
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int

    /// The error thrown by the closure.
    private(set) var error: (any Error)?

    /// - parameter read: fills a buffer, and returns the number of bytes written: 0 at the end.
    init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
    }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var callback:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?
        ) -> CInt
    {
        { context, start, count in
            let input = Unmanaged<RawChangesetInput>.fromOpaque(context!).takeUnretainedValue()
            let buffer = UnsafeMutableRawBufferPointer(start: start, count: Int(count!.pointee))
            do {
                count!.pointee = CInt(try input.read(buffer))
                return SQLITE_OK
            } catch {
                input.error = error
                count!.pointee = 0
                return SQLITE_ABORT
            }
        }
    }
}

/// The changeset functions that need no connection. They don't validate their input: changesets must
/// have been validated before.
enum RawChangeset {
    static let insert = UInt8(SQLITE_INSERT)
    static let update = UInt8(SQLITE_UPDATE)
    static let delete = UInt8(SQLITE_DELETE)

    static func invert(_ bytes: UnsafeRawBufferPointer) throws(RawFailure) -> RawBytes {
        var count: CInt = 0
        var start: UnsafeMutableRawPointer?
        let code = grdb_sqlite3changeset_invert(
            try length(bytes), bytes.baseAddress, &count, &start)
        guard code == SQLITE_OK else { throw failure(code) }
        return RawBytes(start: start, count: Int(count))
    }

    static func invert(_ input: RawChangesetInput, to output: RawChangesetOutput) throws {
        let code = grdb_sqlite3changeset_invert_strm(
            RawChangesetInput.callback, input.context, RawChangesetOutput.callback, output.context)
        if let error = input.error ?? output.error { throw error }
        if code != SQLITE_OK { throw failure(code) }
    }

    /// The length as a C integer.
    static func length(_ bytes: UnsafeRawBufferPointer) throws(RawFailure) -> CInt {
        guard let length = CInt(exactly: bytes.count) else { throw failure(SQLITE_TOOBIG) }
        return length
    }

    static func failure(_ code: CInt) -> RawFailure {
        RawFailure(code: code, message: RawSQLite.errorString(code))
    }
}

/// Owns an `sqlite3_changegroup*`, which combines changesets. It needs no connection.
final class RawChangegroup {
    private let handle: OpaquePointer

    init() throws(RawFailure) {
        var handle: OpaquePointer?
        let code = grdb_sqlite3changegroup_new(&handle)
        guard code == SQLITE_OK, let handle else { throw RawChangeset.failure(code) }
        self.handle = handle
    }

    deinit {
        grdb_sqlite3changegroup_delete(handle)
    }

    func add(_ bytes: UnsafeRawBufferPointer) throws(RawFailure) {
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        let code = grdb_sqlite3changegroup_add(handle, try RawChangeset.length(bytes), start)
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
    }

    func add(_ input: RawChangesetInput) throws {
        let code = grdb_sqlite3changegroup_add_strm(
            handle, RawChangesetInput.callback, input.context)
        if let error = input.error { throw error }
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
    }

    func output() throws(RawFailure) -> RawBytes {
        var count: CInt = 0
        var start: UnsafeMutableRawPointer?
        let code = grdb_sqlite3changegroup_output(handle, &count, &start)
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
        return RawBytes(start: start, count: Int(count))
    }

    func write(to output: RawChangesetOutput) throws {
        let code = grdb_sqlite3changegroup_output_strm(
            handle, RawChangesetOutput.callback, output.context)
        if let error = output.error { throw error }
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
    }
}

/// Owns an `sqlite3_rebaser*`. It needs no connection.
final class RawRebaser {
    private let handle: OpaquePointer

    init() throws(RawFailure) {
        var handle: OpaquePointer?
        let code = grdb_sqlite3rebaser_create(&handle)
        guard code == SQLITE_OK, let handle else { throw RawChangeset.failure(code) }
        self.handle = handle
    }

    deinit {
        grdb_sqlite3rebaser_delete(handle)
    }

    func configure(_ bytes: UnsafeRawBufferPointer) throws(RawFailure) {
        let code = grdb_sqlite3rebaser_configure(
            handle, try RawChangeset.length(bytes), bytes.baseAddress)
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
    }

    func rebase(_ bytes: UnsafeRawBufferPointer) throws(RawFailure) -> RawBytes {
        var count: CInt = 0
        var start: UnsafeMutableRawPointer?
        let code = grdb_sqlite3rebaser_rebase(
            handle, try RawChangeset.length(bytes), bytes.baseAddress, &count, &start)
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
        return RawBytes(start: start, count: Int(count))
    }

    func rebase(_ input: RawChangesetInput, to output: RawChangesetOutput) throws {
        let code = grdb_sqlite3rebaser_rebase_strm(
            handle, RawChangesetInput.callback, input.context, RawChangesetOutput.callback,
            output.context)
        if let error = input.error ?? output.error { throw error }
        if code != SQLITE_OK { throw RawChangeset.failure(code) }
    }
}
