/// A type that turns fetched values into delivered values.
///
/// Not to be adopted by apps: see ``ValueReducer``.
public protocol _ValueReducer: SendableMetatype {
    /// The type of fetched values.
    associatedtype Fetched: Sendable

    /// The type of delivered values.
    associatedtype Value: Sendable

    /// Turns a fetched value into a value to deliver, or returns nil to deliver nothing. An error
    /// ends the observation.
    ///
    /// Called on a queue of the observation, in the order of the fetches.
    mutating func _value(_ fetched: Fetched) throws -> Value?
}

/// A type that fetches and transforms the values of a ``ValueObservation``.
///
/// The methods of ``ValueObservation`` create reducers: see ``ValueReducers``. Apps use the
/// protocol in generic code:
///
/// ```swift
/// extension ValueObservation where Reducer: ValueReducer, Reducer.Value == [Player] {
///     func sorted() -> ValueObservation<ValueReducers.Map<Reducer, [Player]>> {
///         map { players in players.sorted { $0.score > $1.score } }
///     }
/// }
/// ```
public protocol ValueReducer: _ValueReducer {
    /// Returns the function that fetches. It can be called in any database access.
    func _makeFetcher() -> @Sendable (Database) throws -> Fetched
}

/// The reducers of observations.
///
/// ```swift
/// let observation: ValueObservation<ValueReducers.Fetch<[Player]>>
/// observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
/// ```
public enum ValueReducers {
    /// A reducer that delivers the fetched values of a closure: see
    /// ``ValueObservation/tracking(_:)``.
    public struct Fetch<Value: Sendable>: ValueReducer {
        private let fetch: @Sendable (Database) throws -> Value

        init(_ fetch: @escaping @Sendable (Database) throws -> Value) {
            self.fetch = fetch
        }

        public func _makeFetcher() -> @Sendable (Database) throws -> Value { fetch }

        public mutating func _value(_ fetched: Value) -> Value? { fetched }
    }

    /// A reducer that transforms the values of another reducer: see ``ValueObservation/map(_:)``.
    public struct Map<Base: _ValueReducer, Value: Sendable>: _ValueReducer {
        private var base: Base
        private let transform: @Sendable (Base.Value) throws -> Value

        init(_ base: Base, _ transform: @escaping @Sendable (Base.Value) throws -> Value) {
            self.base = base
            self.transform = transform
        }

        public mutating func _value(_ fetched: Base.Fetched) throws -> Value? {
            try base._value(fetched).map(transform)
        }
    }

    /// A reducer that drops values equal to the previous value: see
    /// ``ValueObservation/removeDuplicates()``.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        private var base: Base
        private var latestValue: Base.Value?
        private let isDuplicate: @Sendable (Base.Value, Base.Value) -> Bool

        init(_ base: Base, _ isDuplicate: @escaping @Sendable (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.isDuplicate = isDuplicate
        }

        public func _makeFetcher() -> @Sendable (Database) throws -> Base.Fetched {
            base._makeFetcher()
        }

        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let latestValue, isDuplicate(latestValue, value) { return nil }
            latestValue = value
            return value
        }
    }

    /// A reducer that reports events: see
    /// ``ValueObservation/handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:)``.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        private var base: Base
        private let willFetch: @Sendable () -> Void
        private let didReceiveValue: @Sendable (Base.Value) -> Void

        init(
            _ base: Base, willFetch: @escaping @Sendable () -> Void,
            didReceiveValue: @escaping @Sendable (Base.Value) -> Void
        ) {
            self.base = base
            self.willFetch = willFetch
            self.didReceiveValue = didReceiveValue
        }

        public func _makeFetcher() -> @Sendable (Database) throws -> Base.Fetched {
            let fetch = base._makeFetcher()
            return { [willFetch] db in
                willFetch()
                return try fetch(db)
            }
        }

        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            didReceiveValue(value)
            return value
        }
    }
}

extension ValueReducers.Map: ValueReducer where Base: ValueReducer {
    public func _makeFetcher() -> @Sendable (Database) throws -> Base.Fetched {
        base._makeFetcher()
    }
}
