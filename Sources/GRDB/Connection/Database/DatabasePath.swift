/// The paths and file URIs that open a database.
///
/// See <https://www.sqlite.org/uri.html>.
package enum DatabasePath {
    /// Returns the URI of a path, percent-encoded.
    package static func uri(
        _ path: String, _ parameters: [(name: String, value: String)]
    ) -> String {
        // A path that starts with two slashes would be parsed as a host name.
        var uri = (path.hasPrefix("//") ? "file://" : "file:") + escape(path)
        for (index, parameter) in parameters.enumerated() {
            uri += index == 0 ? "?" : "&"
            uri += escape(parameter.name) + "=" + escape(parameter.value)
        }
        return uri
    }

    /// Returns the URI of a path. Throws if a part of it contains a NUL character, where SQLite would stop.
    package static func checkedURI(
        _ path: String, _ parameters: [(name: String, value: String)]
    ) throws -> String {
        let parts = [path] + parameters.flatMap { [$0.name, $0.value] }
        guard !parts.contains(where: { $0.utf8.contains(0) }) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "The path contains a NUL character")
        }
        return uri(path, parameters)
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
