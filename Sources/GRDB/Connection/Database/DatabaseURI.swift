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
        /// How the database is opened.
        public enum Mode: String, Sendable {
            /// The file exists, and is not changed.
            case readOnly = "ro"

            /// The file exists, and may be changed.
            case readWrite = "rw"

            /// The file is created if it does not exist.
            case readWriteCreate = "rwc"

            /// The database is in memory.
            case memory = "memory"
        }

        /// Whether connections of this process share their cache.
        public enum Cache: String, Sendable {
            /// They share it.
            case shared

            /// Each has a cache of its own.
            case `private`
        }

        let name: String
        let value: String

        /// How the database is opened. A mode can only restrict what the configuration says.
        public static func mode(_ mode: Mode) -> Parameter {
            Parameter(name: "mode", value: mode.rawValue)
        }

        /// Whether connections share their cache.
        public static func cache(_ cache: Cache) -> Parameter {
            Parameter(name: "cache", value: cache.rawValue)
        }

        /// Whether the file never changes, so that it needs no lock.
        public static func immutable(_ isImmutable: Bool) -> Parameter {
            Parameter(name: "immutable", value: isImmutable ? "1" : "0")
        }

        /// Whether file locks are disabled.
        public static func nolock(_ isUnlocked: Bool) -> Parameter {
            Parameter(name: "nolock", value: isUnlocked ? "1" : "0")
        }

        /// Whether the disk promises that a write does not change the bytes next to it.
        public static func powersafeOverwrite(_ isSafe: Bool) -> Parameter {
            Parameter(name: "psow", value: isSafe ? "1" : "0")
        }

        /// The file whose access mode is given to journal files.
        public static func modeOf(_ path: String) -> Parameter {
            Parameter(name: "modeof", value: path)
        }

        /// The name of the virtual file system.
        public static func vfs(_ name: String) -> Parameter {
            Parameter(name: "vfs", value: name)
        }

        /// A parameter of a virtual file system of your own.
        public static func custom(_ name: String, _ value: String) -> Parameter {
            Parameter(name: name, value: value)
        }
    }

    /// The path of the file, or the name of an in-memory database.
    public var path: String

    /// The options, in the order of the URI.
    public var parameters: [Parameter]

    /// Creates a URI.
    ///
    /// - parameter path: the path of the file, or the name of an in-memory database.
    /// - parameter parameters: the options.
    public init(path: String, parameters: [Parameter] = []) {
        self.path = path
        self.parameters = parameters
    }

    /// The URI, with escaped characters.
    public var string: String {
        // Two slashes at the start would make a host name of what follows.
        var uri = (path.hasPrefix("//") ? "file://" : "file:") + Self.escape(path)
        for (index, parameter) in parameters.enumerated() {
            uri += index == 0 ? "?" : "&"
            uri += Self.escape(parameter.name) + "=" + Self.escape(parameter.value)
        }
        return uri
    }

    /// The URI, unless a part of it holds a NUL character, at which SQLite would stop.
    func checkedString() throws -> String {
        let parts = [path] + parameters.flatMap { [$0.name, $0.value] }
        guard !parts.contains(where: { $0.utf8.contains(0) }) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "The path contains a NUL character")
        }
        return string
    }

    /// The path, or the URI with another access mode, for a read-only connection: SQLite refuses the
    /// modes of URIs that allow more than the connection.
    static func readOnlyPath(_ path: String) -> String {
        guard path.hasPrefix("file:"), let mark = path.firstIndex(of: "?") else { return path }
        let fragment = path.firstIndex(of: "#") ?? path.endIndex
        guard mark < fragment else { return path }
        let parameters = path[path.index(after: mark)..<fragment].split(
            separator: "&", omittingEmptySubsequences: false
        ).map { $0 == "mode=rw" || $0 == "mode=rwc" ? "mode=ro" : $0 }
        return path[...mark] + parameters.joined(separator: "&") + path[fragment...]
    }

    /// Whether a path, or a URI, stands for a database that is in memory, or private and temporary.
    static func isInMemory(_ path: String) -> Bool {
        if path.isEmpty || path == ":memory:" || path.hasPrefix("file::memory:") { return true }
        guard path.hasPrefix("file:"), let mark = path.firstIndex(of: "?") else { return false }
        let query = path[path.index(after: mark)...].prefix { $0 != "#" }
        return query.split(separator: "&").contains { $0 == "mode=memory" || $0 == "vfs=memdb" }
    }

    /// Escapes what has a meaning in URIs: all but letters, digits and `-._~/`.
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
