/// A failure of API that can't throw, until the access throws it.
struct KeptFailure {
    let error: any Error

    /// Whether the failure matters to later accesses, too: an SQL function is missing, say.
    let outlastsAccess: Bool
}

// Some methods can't throw: they add functions, or read values from rows. What goes wrong there is
// thrown by the access, which commits nothing. An access that can't throw either leaves the failure in
// the error log, and to the next access if it matters there.
extension Database {
    /// Has the access throw an error. The first one counts.
    func keepFailure(_ error: any Error, outlastsAccess: Bool = false) {
        if keptFailure == nil {
            keptFailure = KeptFailure(error: error, outlastsAccess: outlastsAccess)
        }
    }

    /// Runs a closure that changes the connection, and has the access throw its error.
    ///
    /// - parameter purpose: what the closure does, for the message.
    func keepingFailure(of purpose: @autoclosure () -> String, _ body: () throws -> Void) {
        do {
            try body()
        } catch let error as DatabaseError {
            keepFailure(
                DatabaseError(
                    resultCode: error.extendedResultCode,
                    message: "could not \(purpose()): \(error.message ?? "\(error.resultCode)")"),
                outlastsAccess: true)
        } catch {
            keepFailure(error, outlastsAccess: true)
        }
    }

    /// Throws if something has failed in this access. The access then throws as well, even if the error
    /// is caught on its way.
    @inline(__always)
    func checkKeptFailure() throws {
        if let keptFailure { throw keptFailure.error }
    }

    /// Forgets what has failed, and returns it.
    @inline(__always)
    func takeKeptFailure() -> (any Error)? {
        if keptFailure == nil { return nil }
        defer { keptFailure = nil }
        return keptFailure?.error
    }

    /// Logs what has failed, at the end of an access that can't throw.
    func logKeptFailure() {
        guard let failure = keptFailure else { return }
        logKeptFailure(failure)
        if !failure.outlastsAccess { keptFailure = nil }
    }

    private func logKeptFailure(_ failure: KeptFailure) {
        let code = (failure.error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
        RawLog.write(code.rawValue, "\(description): \(failure.error)")
    }

    /// Runs a closure that calls observers. Their failures belong to no access: they are logged.
    func withoutKeptFailure(_ body: () -> Void) {
        let outerFailure = keptFailure
        keptFailure = nil
        body()
        if let failure = keptFailure { logKeptFailure(failure) }
        keptFailure = outerFailure
    }
}
