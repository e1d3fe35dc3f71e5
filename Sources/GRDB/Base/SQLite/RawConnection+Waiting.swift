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

    /// Sleeps before the lock is tried again, and not past the time limit.
    ///
    /// SQLite's locks have no queue: whoever tries next gets the lock. If waiters slept longer and longer,
    /// as those of SQLite do, each newcomer would try more often than they do, and get ahead of them. So
    /// the first two tries come soon, because most locks are held for a moment only, and the next ones
    /// come sooner the longer the wait has lasted: after a tenth of a second, a waiter tries ten times as
    /// often as a newcomer. A wait of many seconds is not about one transaction, and must not cost much.
    private func waitsForLock(numberOfTries: Int, milliseconds: Int) -> Bool {
        let now = Monotonic.nanoseconds
        if numberOfTries == 0 {
            hooks.lockWaitStart = now
        }
        let waited = Int(clamping: (now - hooks.lockWaitStart) / 1000)
        let remaining = milliseconds * 1000 - waited
        if remaining <= 0 { return false }
        let delay = min(Self.lockDelay(numberOfTries: numberOfTries, waited: waited), remaining)
        var slept = 0
        while slept < delay {
            if isWaitPointless { return false }
            // In slices: nothing wakes this thread when the wait should end.
            let slice = min(delay - slept, 10_000)
            usleep(UInt32(slice))
            slept += slice
        }
        return !isWaitPointless
    }

    /// The time until the lock is tried again, in microseconds.
    ///
    /// - parameter waited: the time since the first try, in microseconds.
    static func lockDelay(numberOfTries: Int, waited: Int) -> Int {
        switch (numberOfTries, waited) {
        case (0, _): 1000
        case (1, _): 2000
        case (_, ..<10_000): 16_000
        case (_, ..<20_000): 10_000
        case (_, ..<40_000): 5000
        case (_, ..<80_000): 2000
        case (_, ..<10_000_000): 1000
        default: 5000
        }
    }
}
