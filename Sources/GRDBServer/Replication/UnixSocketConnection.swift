import GRDB
import _GRDBSystem

/// A connection to a Unix domain socket, for one request and one answer.
///
/// All methods but `abort()` block the current thread, which must not belong to the cooperative
/// thread pool. No method waits past the deadline, which is a time of the monotonic clock, in
/// nanoseconds.
final class UnixSocketConnection: Sendable {
    enum Failure: Error {
        case timedOut
        case aborted
        case system(String)
    }

    private struct State {
        /// The descriptor, or a negative value if there is no socket.
        var socket: CInt = -1
        var isAborted = false
    }

    private let state = Locked(State())
    private let path: String

    init(path: String) {
        self.path = path
    }

    deinit { close() }

    /// Makes a running `exchange` throw soon. May be called from any thread.
    func abort() {
        state.withLock { state in
            state.isAborted = true
            if state.socket >= 0 { shutdown(state.socket, CInt(SHUT_RDWR)) }
        }
    }

    private func close() {
        state.withLock { state in
            #if canImport(Darwin)
            if state.socket >= 0 { Darwin.close(state.socket) }
            #elseif canImport(Glibc)
            if state.socket >= 0 { Glibc.close(state.socket) }
            #elseif canImport(Musl)
            if state.socket >= 0 { Musl.close(state.socket) }
            #elseif canImport(Android)
            if state.socket >= 0 { Android.close(state.socket) }
            #endif
            state.socket = -1
        }
    }

    /// Sends a request, and returns all bytes that the server sends until it closes the connection.
    ///
    /// - parameter maximumCount: the maximum number of bytes of the answer.
    func exchange(
        _ request: [UInt8], deadline: UInt64, maximumCount: Int = 1 << 20
    ) throws(Failure) -> [UInt8] {
        let socket = try connect(deadline: deadline)
        defer { close() }
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                // Android's headers refuse a null buffer. There are bytes to send.
                send(socket, $0.baseAddress!, $0.count, Self.sendFlags)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                try wait(for: POLLOUT, of: socket, deadline: deadline)
            }
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while answer.count <= maximumCount {
            let count = buffer.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress!, $0.count, 0)
            }
            if count == 0 {
                try checkAbortion()
                return answer
            }
            if count > 0 {
                answer += buffer[..<count]
            } else {
                try wait(for: POLLIN, of: socket, deadline: deadline)
            }
        }
        throw .system("the answer is too long")
    }

    private func connect(deadline: UInt64) throws(Failure) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity, !bytes.contains(0) else {
            throw .system("the path of a socket has at most \(capacity - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }

        #if canImport(Glibc)
        let type = CInt(SOCK_STREAM.rawValue)
        #else
        let type = CInt(SOCK_STREAM)
        #endif
        let socket = socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw Self.systemFailure(errno) }
        let isAborted = state.withLock { state in
            state.socket = socket
            return state.isAborted
        }
        do throws(Failure) {
            if isAborted { throw .aborted }
            guard fcntl(socket, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(socket, F_SETFL, O_NONBLOCK) == 0
            else { throw Self.systemFailure(errno) }
            #if canImport(Darwin)
            var isOn: CInt = 1
            setsockopt(
                socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<CInt>.size))
            #endif
            try connect(socket, to: address, deadline: deadline)
            return socket
        } catch {
            close()
            throw error
        }
    }

    private func connect(
        _ socket: CInt, to address: sockaddr_un, deadline: UInt64
    ) throws(Failure) {
        while true {
            let (code, reason) = withUnsafePointer(to: address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    #if canImport(Darwin)
                    let code = Darwin.connect(
                        socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                    #elseif canImport(Glibc)
                    let code = Glibc.connect(
                        socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                    #elseif canImport(Musl)
                    let code = Musl.connect(
                        socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                    #elseif canImport(Android)
                    let code = Android.connect(
                        socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                    #endif
                    return (code, errno)
                }
            }
            if code == 0 || reason == EISCONN { return }
            switch reason {
            case EINTR: continue
            case EINPROGRESS: try wait(for: POLLOUT, of: socket, deadline: deadline)
            case EAGAIN:
                // The backlog of the server is full. `poll` can't wait for room in it.
                try checkTime(deadline)
                usleep(5000)
            default: throw Self.systemFailure(reason)
            }
        }
    }

    /// Waits until the socket is ready, after a call has failed with `errno`.
    private func wait(for events: CInt, of socket: CInt, deadline: UInt64) throws(Failure) {
        let reason = errno
        try checkAbortion()
        guard reason == EAGAIN || reason == EINTR || reason == EINPROGRESS else {
            throw Self.systemFailure(reason)
        }
        let remaining = try checkTime(deadline)
        var description = pollfd(fd: socket, events: Int16(events), revents: 0)
        _ = poll(&description, 1, CInt(clamping: remaining / 1_000_000 + 1))
        try checkAbortion()
    }

    /// Returns the remaining time, in nanoseconds.
    @discardableResult
    private func checkTime(_ deadline: UInt64) throws(Failure) -> UInt64 {
        try checkAbortion()
        let now = Monotonic.nanoseconds
        if now >= deadline { throw .timedOut }
        return deadline - now
    }

    private func checkAbortion() throws(Failure) {
        if state.withLock({ $0.isAborted }) { throw .aborted }
    }

    private static func systemFailure(_ code: CInt) -> Failure {
        .system(String(cString: strerror(code)))
    }

    #if canImport(Darwin)
    private static let sendFlags: CInt = 0
    #else
    private static let sendFlags = CInt(MSG_NOSIGNAL)
    #endif
}
