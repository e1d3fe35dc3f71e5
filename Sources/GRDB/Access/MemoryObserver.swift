#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation

/// Asks a database to free memory when the system asks the app to do so.
///
/// `@unchecked Sendable`: the tokens, which are not declared sendable, are only passed to the notification
/// center.
final class MemoryObserver: @unchecked Sendable {
    /// The notifications of UIKit: a memory warning, and the app entering the background. Their constants
    /// belong to the main actor in some versions of UIKit, and not to extensions.
    static let notifications: [Notification.Name] = {
        #if canImport(UIKit)
        return [
            Notification.Name("UIApplicationDidReceiveMemoryWarningNotification"),
            Notification.Name("UIApplicationDidEnterBackgroundNotification"),
        ]
        #else
        return []
        #endif
    }()

    /// Whether the system posts the notifications. Where it doesn't, nothing should refer weakly to a connection or a
    /// pool: from the first weak reference on, retaining the object takes several times as long.
    static var isUseful: Bool { !notifications.isEmpty }

    private let tokens: [any NSObjectProtocol]

    /// - parameter release: called on any thread. It should return immediately.
    init(
        _ notifications: [Notification.Name] = notifications,
        release: @escaping @Sendable () -> Void
    ) {
        tokens = notifications.map {
            NotificationCenter.default.addObserver(forName: $0, object: nil, queue: nil) { _ in
                release()
            }
        }
    }

    deinit {
        tokens.forEach(NotificationCenter.default.removeObserver)
    }
}

#else

/// Without Foundation, no system posts notifications.
final class MemoryObserver: Sendable {
    static var isUseful: Bool { false }

    init(release: @escaping @Sendable () -> Void) {}
}

#endif
