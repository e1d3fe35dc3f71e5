import CGRDBSQLite
import _GRDBSystem

extension RawConnection {
    // MARK: - Interruptions

    /// Whether `interrupt()` was called since a statement last started.
    package var isInterrupted: Bool {
        handle.map { grdb_sqlite3_is_interrupted($0) != 0 } ?? false
    }

    /// Clears an interruption. SQLite clears it when a statement starts while no other statement runs, but
    /// not when other operations start, or while a cursor is on a row. Must be called by the owning thread.
    func clearInterruption() {
        guard let handle, isOwnedByCurrentThread else { return }
        grdb_clear_interruption(handle)
    }

    /// Makes running statements, and waits for locks, check regularly whether to stop.
    ///
    /// The closures are called on the thread of the statement, and must not use the connection.
    ///
    /// - parameter mustStop: whether to stop waiting for a lock; nil ends the checks.
    /// - parameter mustStopStatement: whether to stop the running statement; nil ends the checks. SQLite also calls
    ///   this after a statement has committed: stopping makes the statement fail, although its changes remain.
    func setStopCondition(_ mustStop: (() -> Bool)?, mustStopStatement: (() -> Bool)?) {
        guard let handle else { return }
        hooks.mustStop = mustStop
        hooks.mustStopStatement = mustStopStatement
        hooks.setProgressHandler(mustStopStatement != nil, in: handle)
    }

    // MARK: - Busy databases

    /// Limits the time that statements wait for locks.
    ///
    /// Unlike `sqlite3_busy_timeout()`, which sleeps until the timeout, this reacts to interruptions.
    func setBusyTimeout(milliseconds: CInt) {
        guard let handle else { return }
        if milliseconds == 0 { return removeBusyHandler() }
        hooks.busy = { [unowned self] tries in
            waitsForLock(numberOfTries: tries, milliseconds: Int(milliseconds))
        }
        hooks.installBusyHandler(in: handle, milliseconds: milliseconds)
    }

    /// Makes statements wait about 10 milliseconds at most for locks that are only held briefly.
    ///
    /// In WAL mode, a reader that encounters a commit takes the write lock, in order to reread the WAL
    /// index (see `walIndexReadHdr` in SQLite). A writer would then find the database busy although no
    /// one writes.
    func setBusyGrace() {
        guard let handle else { return }
        hooks.busy = { [unowned self] tries in
            guard tries < 20, !isWaitPointless else { return false }
            usleep(500)
            return true
        }
        hooks.installBusyHandler(in: handle, milliseconds: 0)
    }

    /// Waits before trying an operation again for which SQLite does not wait, as far as the busy mode
    /// allows.
    ///
    /// - parameter start: when the operation was first tried.
    /// - returns: whether to try again.
    func waitToRetry(numberOfTries: Int, since start: UInt64) -> Bool {
        guard let busy = hooks.busy else { return false }
        // The waits of SQLite itself begin anew in each attempt.
        if numberOfTries > 0 { hooks.lockWaitStart = start }
        return busy(numberOfTries)
    }

    /// Whether to give up waiting for a lock.
    private var isWaitPointless: Bool { isInterrupted || hooks.mustStop?() ?? false }

    /// Sets a function that decides how long statements wait for locks. An interruption always ends
    /// the wait.
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

    /// Sleeps before the next attempt to take the lock, but not past the time limit.
    ///
    /// SQLite's locks have no queue: the next connection that tries gets the lock. If waiters slept longer
    /// and longer, as SQLite's own busy handler does, newcomers would try more often than long waiters, and
    /// overtake them. Therefore, the first two attempts come soon, because most locks are held briefly, and
    /// later attempts become more frequent the longer the wait lasts: after a tenth of a second, a waiter
    /// tries ten times as often as a newcomer. A wait of many seconds has another cause than a single
    /// transaction, and must not cost much.
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
            // Sleep in slices, because nothing wakes this thread when the wait should end.
            let slice = min(delay - slept, 10_000)
            usleep(UInt32(slice))
            slept += slice
        }
        return !isWaitPointless
    }

    /// The delay before the next attempt, in microseconds.
    ///
    /// - parameter waited: the time since the first attempt, in microseconds.
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
