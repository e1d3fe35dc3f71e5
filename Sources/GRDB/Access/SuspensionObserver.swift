#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation

/// Suspends and resumes a connection when the app posts the notifications.
///
/// `@unchecked Sendable`: the tokens, which are not declared sendable, are only passed to the notification
/// center.
final class SuspensionObserver: @unchecked Sendable {
    private let tokens: [any NSObjectProtocol]

    init(_ suspension: Suspension, _ raw: RawConnection) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(
                forName: Database.suspendNotification, object: nil, queue: nil
            ) { [weak raw] _ in
                suspension.suspend()
                // Running statements may hold a lock for long. While an expiring activity runs, only the activity
                // matters.
                if suspension.isSuspended { raw?.interrupt() }
            },
            center.addObserver(
                forName: Database.resumeNotification, object: nil, queue: nil
            ) { _ in suspension.resume() },
        ]
    }

    deinit {
        tokens.forEach(NotificationCenter.default.removeObserver)
    }
}

#endif
