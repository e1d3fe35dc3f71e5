@testable import GRDBServer
import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A server on a Unix socket that answers one connection after the other, as its function says.
final class ReplicatorServer: Sendable {
    enum Reply: Sendable {
        /// The bytes, and then the end of the connection.
        case text(String)
        /// Nothing, until the other side ends the connection.
        case silence
        /// The end of the connection.
        case hangUp

        /// An answer of Litestream.
        static func json(_ body: String, status: String = "200 OK") -> Reply {
            .text(
                "HTTP/1.0 \(status)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        static func synced(_ id: Int, _ replicated: Int? = nil, status: String = "synced") -> Reply
        {
            .json(
                #"{"status":"\#(status)","path":"/db","txid":\#(id),"#
                    + #""replicated_txid":\#(replicated ?? id)}"#)
        }
    }

    let path: String
    private let listener: CInt
    private let queue = DispatchQueue(label: "ReplicatorServer")

    /// - parameter reply: receives the text of each request.
    init(_ path: String, reply: @escaping @Sendable (String) -> Reply) throws {
        self.path = path
        #if canImport(Glibc)
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        #else
        listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(listener, 128) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        queue.async { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                Self.serve(connection, reply)
                close(connection)
            }
        }
    }

    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        unlink(path)
    }

    private static func serve(_ connection: CInt, _ reply: (String) -> Reply) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The requests of these tests end with the brace of their body.
        while request.last != UInt8(ascii: "}") {
            let count = read(connection, &buffer, buffer.count)
            if count <= 0 { return }
            request += buffer[..<count]
        }
        switch reply(String(decoding: request, as: UTF8.self)) {
        case .hangUp: return
        case .silence: _ = read(connection, &buffer, buffer.count)
        case .text(let text):
            // A client that has given up in the meantime must not end the process with SIGPIPE.
            #if canImport(Darwin)
            var isOn: CInt = 1
            setsockopt(
                connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<CInt>.size))
            let flags: CInt = 0
            #else
            let flags = CInt(MSG_NOSIGNAL)
            #endif
            _ = Array(text.utf8).withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, flags)
            }
        }
    }
}
