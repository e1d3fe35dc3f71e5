/// A failure of a method that can't throw, kept until the access throws it.
struct KeptFailure {
    let error: any Error

    /// Whether the failure also affects later accesses, for example because an SQL function is missing.
    let outlastsAccess: Bool
}

// Methods that add functions, or that read values from rows, can't throw. Their access throws the
// failure instead, and commits nothing. If the access can't throw either, the failure is logged, and
// kept for the next access if it matters there.
extension Database {
    /// Makes the access throw an error. Only the first error is kept.
    func keepFailure(_ error: any Error, outlastsAccess: Bool = false) {
        if keptFailure == nil {
            keptFailure = KeptFailure(error: error, outlastsAccess: outlastsAccess)
        }
    }

    /// Runs a closure that changes the connection, and makes the access throw its error. Does nothing if the
    /// connection is closed.
    ///
    /// - parameter purpose: a description of the change, for the message.
    package func keepingFailure(of purpose: @autoclosure () -> String, _ body: () throws -> Void) {
        preconditionAccess()
        if raw.handle == nil { return }
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

    /// Throws the kept failure of this access, if any. The access throws it as well, even if the error is
    /// caught on the way.
    func checkKeptFailure() throws {
        if let keptFailure { throw keptFailure.error }
    }

    /// Removes and returns the kept failure.
    package func takeKeptFailure() -> (any Error)? {
        if keptFailure == nil { return nil }
        defer { keptFailure = nil }
        return keptFailure?.error
    }

    /// Logs the kept failure at the end of an access that can't throw.
    func logKeptFailure() {
        guard let failure = keptFailure else { return }
        logKeptFailure(failure)
        if !failure.outlastsAccess { keptFailure = nil }
    }

    private func logKeptFailure(_ failure: KeptFailure) {
        let code = (failure.error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
        RawLog.write(code.rawValue, "\(description): \(failure.error)")
    }

    /// Runs a closure that calls observers. Their failures belong to no access, and are logged.
    func withoutKeptFailure(_ body: () -> Void) {
        let outerFailure = keptFailure
        keptFailure = nil
        body()
        if let failure = keptFailure { logKeptFailure(failure) }
        keptFailure = outerFailure
    }
}
