/// A cancellable operation, such as an observation of the database.
public protocol DatabaseCancellable: Sendable {
    /// Cancels the operation. Later calls do nothing.
    func cancel()
}

/// A type-erased ``DatabaseCancellable`` that cancels when it is deallocated.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue) { error in
///     // Handle error
/// } onChange: { players in
///     // Handle the fresh players
/// }
/// // Later
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Locked<(@Sendable () -> Void)?>

    /// Creates an object that runs a closure when it is cancelled or deallocated.
    ///
    /// - parameter cancel: called once, on the thread that cancels or releases the object.
    public init(cancel: @escaping @Sendable () -> Void) {
        action = Locked(cancel)
    }

    /// Creates an object that cancels another object when it is cancelled or deallocated.
    public convenience init(_ base: some DatabaseCancellable) {
        self.init { base.cancel() }
    }

    deinit {
        cancel()
    }

    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
