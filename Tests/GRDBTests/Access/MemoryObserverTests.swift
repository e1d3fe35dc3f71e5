import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

struct MemoryObserverTests {
    @Test func notificationsReleaseMemoryUntilTheEnd() {
        let names = [Notification.Name(UUID().uuidString), Notification.Name(UUID().uuidString)]
        let calls = Log<Int>()
        var observer: MemoryObserver? = MemoryObserver(names) { calls.append(1) }
        for name in names { NotificationCenter.default.post(name: name, object: nil) }
        expectEqual(calls.elements.count, 2)
        withExtendedLifetime(observer) {}
        observer = nil
        for name in names { NotificationCenter.default.post(name: name, object: nil) }
        expectEqual(calls.elements.count, 2)
    }

    @Test func defaultOfConfigurations() {
        expectTrue(Configuration().automaticMemoryManagement)
    }
}
