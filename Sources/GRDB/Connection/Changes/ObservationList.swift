/// The registrations of a connection, in order.
///
/// Adding and removing a registration takes constant time. The list is not notified when an observer
/// that it references weakly is freed. The registration is removed when the list comes across it, or
/// when the list has doubled since it was last cleaned.
struct ObservationList {
    private(set) var elements: ContiguousArray<TransactionObservation> = []

    /// The first registration for each observer.
    private var firstByObserver: [ObjectIdentifier: TransactionObservation] = [:]

    private var removedCount = 0

    /// The number of registrations whose observers must be asked in each transaction which changes they
    /// observe.
    private(set) var varyingCount = 0

    /// The number of registrations for the next transaction.
    private(set) var endingCount = 0

    /// The number of registrations whose observers are notified of all changes.
    private(set) var unconditionalCount = 0

    /// The number of elements at which dead registrations are removed.
    private var sweepCount = Self.minimumSweepCount
    private static let minimumSweepCount = 32

    var isEmpty: Bool { elements.count == removedCount }

    /// Whether an observer needs preupdate events.
    var wantPreUpdates: Bool {
        elements.contains { $0.isListening && $0.wantsPreUpdates }
    }

    mutating func append(_ observation: TransactionObservation) {
        if elements.count >= sweepCount {
            sweep()
        }
        elements.append(observation)
        if !observation.hasLastingInterest { varyingCount += 1 }
        if observation.extent == .nextTransaction { endingCount += 1 }
        if !observation.requiresEventKind { unconditionalCount += 1 }
        let id = observation.observerID
        guard var last = firstByObserver[id] else {
            firstByObserver[id] = observation
            return
        }
        if !last.isAlive {
            // An earlier observer at the same address was deallocated.
            forgetObserver(id)
            firstByObserver[id] = observation
            return
        }
        while let next = last.nextOfSameObserver { last = next }
        last.nextOfSameObserver = observation
    }

    /// The first registration of an observer.
    func first(ofObserver id: ObjectIdentifier) -> TransactionObservation? {
        firstByObserver[id]
    }

    /// Removes the first registration of a living observer.
    mutating func removeFirst(ofObserver id: ObjectIdentifier) -> TransactionObservation? {
        guard let observation = firstByObserver[id], observation.isAlive else { return nil }
        remove(observation)
        return observation
    }

    /// Marks a registration as removed. It remains in `elements` until the list is compacted.
    mutating func remove(_ observation: TransactionObservation) {
        guard !observation.isRemoved else { return }
        markRemoved(observation)
        unlink(observation)
        if removedCount > 16, removedCount > elements.count / 2 {
            compact()
        }
    }

    mutating func removeAll() -> ContiguousArray<TransactionObservation> {
        let former = elements
        for observation in former {
            observation.isRemoved = true
            observation.nextOfSameObserver = nil
        }
        self = ObservationList()
        return former
    }

    /// Removes the registrations of deallocated observers.
    mutating func sweep() {
        for observation in elements where !observation.isRemoved && !observation.isAlive {
            markRemoved(observation)
            unlink(observation)
        }
        compact()
        updateSweepCount()
    }

    mutating func compact() {
        if removedCount == 0 { return }
        elements.removeAll { $0.isRemoved }
        removedCount = 0
        updateSweepCount()
    }

    private mutating func updateSweepCount() {
        sweepCount = max(Self.minimumSweepCount, 2 * elements.count)
    }

    private mutating func markRemoved(_ observation: TransactionObservation) {
        observation.isRemoved = true
        removedCount += 1
        if !observation.hasLastingInterest { varyingCount -= 1 }
        if observation.extent == .nextTransaction { endingCount -= 1 }
        if !observation.requiresEventKind { unconditionalCount -= 1 }
    }

    private mutating func unlink(_ observation: TransactionObservation) {
        let id = observation.observerID
        let next = observation.nextOfSameObserver
        observation.nextOfSameObserver = nil
        guard let first = firstByObserver[id] else { return }
        if first === observation {
            firstByObserver[id] = next
            return
        }
        var previous = first
        while let candidate = previous.nextOfSameObserver {
            if candidate === observation {
                previous.nextOfSameObserver = next
                return
            }
            previous = candidate
        }
    }

    private mutating func forgetObserver(_ id: ObjectIdentifier) {
        var next = firstByObserver.removeValue(forKey: id)
        while let observation = next {
            next = observation.nextOfSameObserver
            observation.nextOfSameObserver = nil
            markRemoved(observation)
        }
    }
}
