import CGRDBSQLite

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension RawConnection {
    // MARK: - Interruptions

    /// Whether `interrupt()` was called since a statement last started.
    var isInterrupted: Bool {
        handle.map { grdb_sqlite3_is_interrupted($0) != 0 } ?? false
    }

    /// Undoes `interrupt()`: SQLite forgets it when a statement starts while no other one runs, but not
    /// when something else starts, or while a cursor is on a row. To be called by the owning thread.
    func clearInterruption() {
        guard let handle, isOwnedByCurrentThread else { return }
        grdb_clear_interruption(handle)
    }

    /// Makes running statements, and waits for locks, ask now and then whether to go on.
    ///
    /// The closures are called on the thread of the statement, and must not use the connection.
    ///
    /// - parameter mustStop: whether to stop waiting for a lock.
    /// - parameter mustStopStatement: whether to stop the statement that runs. SQLite also asks when a
    ///   statement has just committed: the statement would fail, although its changes stay.
    func setStopCondition(
        _ mustStop: @escaping () -> Bool, mustStopStatement: @escaping () -> Bool
    ) {
        guard let handle else { return }
        hooks.mustStop = mustStop
        hooks.mustStopStatement = mustStopStatement
        hooks.setProgressHandler(true, in: handle)
    }

    /// Ends what `setStopCondition` has begun.
    func removeStopCondition() {
        guard let handle else { return }
        hooks.mustStop = nil
        hooks.mustStopStatement = nil
        hooks.setProgressHandler(false, in: handle)
    }

    // MARK: - Busy databases

    /// Waits for locks for a while.
    ///
    /// Unlike `sqlite3_busy_timeout()`, which sleeps to the end, this notices an interruption.
    func setBusyTimeout(milliseconds: CInt) {
        guard let handle else { return }
        if milliseconds == 0 {
            hooks.busy = nil
            hooks.removeBusyHandler(from: handle)
            return
        }
        hooks.busy = { [unowned self] tries in
            waitsForLock(numberOfTries: tries, milliseconds: Int(milliseconds))
        }
        hooks.installBusyHandler(in: handle, milliseconds: milliseconds)
    }

    /// Waits for locks that others only hold for a moment, some 10 milliseconds at most.
    ///
    /// In WAL mode, a reader that comes across a commit takes the lock of writers, in order to look
    /// at the index of the WAL file once more (see `walIndexReadHdr` in SQLite). A writer would
    /// then find the database busy although nobody writes.
    func setBusyGrace() {
        guard let handle else { return }
        hooks.busy = { [unowned self] tries in
            guard tries < 20, !isWaitPointless else { return false }
            usleep(500)
            return true
        }
        hooks.installBusyHandler(in: handle, milliseconds: 0)
    }

    /// Whether a wait for a lock should be given up.
    private var isWaitPointless: Bool { isInterrupted || hooks.mustStop?() ?? false }

    /// Lets the function decide how long to wait for locks. An interruption ends the wait in any
    /// case.
    func setBusyHandler(_ waits: @escaping (_ numberOfTries: Int) -> Bool) {
        guard let handle else { return }
        hooks.busy = { [unowned self] tries in !isWaitPointless && waits(tries) && !isWaitPointless
        }
        hooks.installBusyHandler(in: handle, milliseconds: 0)
    }

    func removeBusyHandler() {
        guard let handle else { return }
        hooks.busy = nil
        hooks.removeBusyHandler(from: handle)
    }

    /// Sleeps longer and longer, and then no more.
    private func waitsForLock(numberOfTries: Int, milliseconds: Int) -> Bool {
        let now = Monotonic.milliseconds
        if numberOfTries == 0 {
            hooks.lockWaitStart = now
        }
        let remaining = hooks.lockWaitStart + milliseconds - now
        if remaining <= 0 { return false }
        let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50]
        let delay = min(delays[min(numberOfTries, delays.count - 1)], remaining)
        var slept = 0
        while slept < delay {
            if isWaitPointless { return false }
            // In slices: nothing wakes this thread when the wait should end.
            let slice = min(delay - slept, 10)
            usleep(UInt32(slice) * 1000)
            slept += slice
        }
        return !isWaitPointless
    }
}
