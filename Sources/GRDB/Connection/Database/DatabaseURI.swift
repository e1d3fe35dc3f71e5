/// The location of a database with the parameters that SQLite accepts in a file URI.
///
/// ```swift
/// // file:/path/to/database.sqlite?immutable=1&mode=ro
/// let uri = DatabaseURI(
///     path: "/path/to/database.sqlite",
///     parameters: [.mode(.readOnly), .immutable(true)])
/// let dbQueue = try DatabaseQueue(uri: uri)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/uri.html>
public struct DatabaseURI: Hashable, Sendable {
    /// A parameter of a database URI.
    public struct Parameter: Hashable, Sendable {
        /// The mode in which the database is opened.
        public enum Mode: String, Sendable {
            /// The file must exist, and can't be changed.
            case readOnly = "ro"

            /// The file must exist, and can be changed.
            case readWrite = "rw"

            /// The file is created if it does not exist.
            case readWriteCreate = "rwc"

            /// The database is in memory.
            case memory = "memory"
        }

        /// Whether connections of this process share their cache.
        public enum Cache: String, Sendable {
            /// The connections share a cache.
            case shared

            /// Each connection has its own cache.
            case `private`
        }

        let name: String
        let value: String

        /// The mode in which the database is opened. It can only restrict the configuration.
        public static func mode(_ mode: Mode) -> Parameter {
            Parameter(name: "mode", value: mode.rawValue)
        }

        /// Whether connections share their cache.
        public static func cache(_ cache: Cache) -> Parameter {
            Parameter(name: "cache", value: cache.rawValue)
        }

        /// Whether the file never changes, so that no locks are needed.
        public static func immutable(_ isImmutable: Bool) -> Parameter {
            Parameter(name: "immutable", value: isImmutable ? "1" : "0")
        }

        /// Whether file locks are disabled.
        public static func nolock(_ isUnlocked: Bool) -> Parameter {
            Parameter(name: "nolock", value: isUnlocked ? "1" : "0")
        }

        /// Whether the disk guarantees that a write does not change the bytes next to it.
        public static func powersafeOverwrite(_ isSafe: Bool) -> Parameter {
            Parameter(name: "psow", value: isSafe ? "1" : "0")
        }

        /// The file whose permissions are applied to journal files.
        public static func modeOf(_ path: String) -> Parameter {
            Parameter(name: "modeof", value: path)
        }

        /// The name of the virtual file system.
        public static func vfs(_ name: String) -> Parameter {
            Parameter(name: "vfs", value: name)
        }

        /// A parameter of a custom virtual file system.
        public static func custom(_ name: String, _ value: String) -> Parameter {
            Parameter(name: name, value: value)
        }
    }

    /// The path of the file, or the name of an in-memory database.
    public var path: String

    /// The parameters, in the order of the URI.
    public var parameters: [Parameter]

    /// Creates a URI.
    ///
    /// - parameter path: the path of the file, or the name of an in-memory database.
    /// - parameter parameters: the parameters.
    public init(path: String, parameters: [Parameter] = []) {
        self.path = path
        self.parameters = parameters
    }

    /// The URI, percent-encoded.
    public var string: String {
        // A path that starts with two slashes would be parsed as a host name.
        var uri = (path.hasPrefix("//") ? "file://" : "file:") + Self.escape(path)
        for (index, parameter) in parameters.enumerated() {
            uri += index == 0 ? "?" : "&"
            uri += Self.escape(parameter.name) + "=" + Self.escape(parameter.value)
        }
        return uri
    }

    /// Returns the URI. Throws if a part of it contains a NUL character, where SQLite would stop.
    func checkedString() throws -> String {
        let parts = [path] + parameters.flatMap { [$0.name, $0.value] }
        guard !parts.contains(where: { $0.utf8.contains(0) }) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "The path contains a NUL character")
        }
        return string
    }

    /// Returns the path or URI for a read-only connection. The mode of a URI is adjusted, because SQLite
    /// refuses modes that allow more than the connection does.
    static func readOnlyPath(_ path: String) -> String {
        guard path.hasPrefix("file:"), let mark = path.firstIndex(of: "?") else { return path }
        let fragment = path.firstIndex(of: "#") ?? path.endIndex
        guard mark < fragment else { return path }
        let parameters = path[path.index(after: mark)..<fragment].split(
            separator: "&", omittingEmptySubsequences: false
        ).map { $0 == "mode=rw" || $0 == "mode=rwc" ? "mode=ro" : $0 }
        return path[...mark] + parameters.joined(separator: "&") + path[fragment...]
    }

    /// Whether a path or URI refers to a database in memory, or to a private temporary database.
    package static func isInMemory(_ path: String) -> Bool {
        if path.isEmpty || path == ":memory:" || path.hasPrefix("file::memory:") { return true }
        guard path.hasPrefix("file:"), let mark = path.firstIndex(of: "?") else { return false }
        let query = path[path.index(after: mark)...].prefix { $0 != "#" }
        return query.split(separator: "&").contains { $0 == "mode=memory" || $0 == "vfs=memdb" }
    }

    /// Returns the path of the file of a path or URI; nil for a database that has no file of its own.
    static func filePath(_ path: String) -> String? {
        if isInMemory(path) { return nil }
        guard path.hasPrefix("file:") else { return path }
        var file = path.dropFirst("file:".count).prefix { $0 != "?" && $0 != "#" }
        if file.hasPrefix("//") {
            // The host, which is empty or `localhost`.
            file = file.dropFirst(2).drop { $0 != "/" }
        }
        return file.removingPercentEscapes ?? String(file)
    }

    /// Percent-encodes all bytes except letters, digits and `-._~/`.
    private static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e, 0x2f:
                result.append(byte)
            default:
                result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
