import GRDB
import Dispatch
import _GRDBSystem

#if canImport(Darwin)

/// Reports writes to the write-ahead log of a database.
///
/// The database file itself is not watched, because it would have to be opened, and closing it
/// would release all locks that SQLite holds on it in this process. SQLite does not lock the log.
final class FileEventSource: Sendable {
    private let path: String
    private let queue: DispatchQueue
    private let onEvent: @Sendable () -> Void
    private let state = Locked((source: (any DispatchSourceFileSystemObject)?.none, isEnded: false))

    /// - parameter onEvent: called on the queue.
    init(path: String, queue: DispatchQueue, onEvent: @escaping @Sendable () -> Void) {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        self.path = file + "-wal"
        self.queue = queue
        self.onEvent = onEvent
        renew()
    }

    deinit { cancel() }

    /// Watches a newly created log.
    func renew() {
        state.withLock { state in
            if state.source != nil || state.isEnded { return }
            let file = open(path, O_EVTONLY)
            if file < 0 { return }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: file, eventMask: [.write, .extend, .delete, .rename], queue: queue)
            let onEvent = onEvent
            source.setEventHandler { [weak self, unowned(unsafe) source] in
                onEvent()
                if !source.data.isDisjoint(with: [.delete, .rename]) { self?.forget() }
            }
            source.setCancelHandler { close(file) }
            source.resume()
            state.source = source
        }
    }

    /// Called when the log was deleted. A new log may exist.
    private func forget() {
        let former = state.withLock { state in
            defer { state.source = nil }
            return state.source
        }
        former?.cancel()
        renew()
    }

    func cancel() {
        let former = state.withLock { state in
            defer { state = (nil, true) }
            return state.source
        }
        former?.cancel()
    }
}

#elseif canImport(Glibc)

/// Reports writes to the files of a database.
///
/// The folder of the files is watched, so the files need not exist, and are not opened.
///
/// Related documentation: `inotify(7)`
final class FileEventSource: Sendable {
    private let source = Locked((any DispatchSourceRead)?.none)

    /// Watches nothing if the system can't, for example because all its watches are in use.
    ///
    /// - parameter onEvent: called on the queue.
    init(path: String, queue: DispatchQueue, onEvent: @escaping @Sendable () -> Void) {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let name = file.lastPathComponent
        let names: Set<String> = [name, name + "-wal", name + "-journal"]
        let notifier = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard notifier >= 0 else { return }
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_CLOSE_WRITE)
        guard inotify_add_watch(notifier, file.deletingLastPathComponent().path, events) >= 0
        else {
            close(notifier)
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: notifier, queue: queue)
        source.setEventHandler {
            if Self.readNames(notifier).contains(where: { $0.map(names.contains) ?? true }) {
                onEvent()
            }
        }
        source.setCancelHandler { close(notifier) }
        source.resume()
        self.source.withLock { $0 = source }
    }

    deinit { cancel() }

    /// The names of the files of the events; nil if there were too many events.
    private static func readNames(_ notifier: CInt) -> Set<String?> {
        var names: Set<String?> = []
        let headerSize = MemoryLayout<inotify_event>.size
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            while true {
                let count = read(notifier, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset + headerSize <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    offset += headerSize
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { names.insert(nil) }
                    let end = min(count, offset + Int(event.len))
                    if offset < end {
                        // The name is padded with zeros.
                        names.insert(
                            String(
                                decoding: buffer[offset..<end].prefix { $0 != 0 }, as: UTF8.self))
                    }
                    offset = end
                }
            }
        }
        return names
    }

    func renew() {}

    func cancel() {
        let former = source.withLock { source in
            defer { source = nil }
            return source
        }
        former?.cancel()
    }
}

#else

/// File events are not available on this platform.
final class FileEventSource: Sendable {
    init(path: String, queue: DispatchQueue, onEvent: @escaping @Sendable () -> Void) {}
    func renew() {}
    func cancel() {}
}

#endif
