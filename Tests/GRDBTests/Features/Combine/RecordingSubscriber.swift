#if canImport(Combine)

import Combine
import Foundation
import GRDBTestSupport

/// Notes what a publisher tells, as texts, and asks for as many values as a test wants.
///
/// `@unchecked Sendable`: the lock guards the subscription.
final class RecordingSubscriber<Input>: Subscriber, @unchecked Sendable {
    typealias Failure = any Error

    /// `value …`, `finished`, `failure …`.
    let events = Log<String>()

    private let describe: (Input) -> String
    private let initialDemand: Subscribers.Demand
    private let lock = NSLock()
    private var subscription: (any Subscription)?

    init(
        demand: Subscribers.Demand = .unlimited,
        describe: @escaping (Input) -> String = { "\($0)" }
    ) {
        initialDemand = demand
        self.describe = describe
    }

    func receive(subscription: any Subscription) {
        lock.withLock { self.subscription = subscription }
        if initialDemand > .none { subscription.request(initialDemand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        events.append("value \(describe(input))")
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        switch completion {
        case .finished: events.append("finished")
        case .failure(let error): events.append("failure \(error)")
        }
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { subscription }?.request(demand)
    }

    func cancel() {
        let former = lock.withLock {
            defer { subscription = nil }
            return subscription
        }
        former?.cancel()
    }
}

#endif
