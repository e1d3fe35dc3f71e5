public import Foundation

/// How the conflicts of a changeset were resolved when it was applied: what local changes must know that
/// are to be applied to the database that the changeset was recorded in.
///
/// See ``ChangesetApplication/resolutions`` and ``Rebaser``. As a `Codable` value, it is its ``data``.
public struct ConflictResolutions: Sendable, Hashable {
    /// The resolutions, in the format of SQLite's session extension.
    public let data: Data

    /// No resolution.
    public init() {
        data = Data()
    }

    /// Reads resolutions that were stored.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_CORRUPT` if the bytes are anything else.
    /// - complexity: O(*n*), where *n* is the number of bytes.
    public init(data: Data) throws {
        var scanner = ChangesetScanner(.resolutions)
        try data.withUnsafeBytes { try scanner.scan($0) }
        self.data = data
    }

    /// Takes over what SQLite has made.
    init(_ bytes: RawBytes) {
        data = Data(bytes)
    }

    /// Whether there was no conflict.
    public var isEmpty: Bool { data.isEmpty }

    /// The tables with conflicts.
    fileprivate var headers: [ChangesetHeader] {
        var scanner = ChangesetScanner(.resolutions)
        data.withUnsafeBytes { bytes in
            try? scanner.scan(bytes)
        }
        return scanner.tables.map(\.header)
    }
}

extension ConflictResolutions: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        try self.init(data: container.decode(Data.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }
}

/// Rewrites local changes as if they had been made after changes from elsewhere.
///
/// Two databases were changed on both sides. Changes from elsewhere are applied to the local database,
/// and conflicts are resolved. The local changes are then rebased, which takes the same decisions, and
/// applied elsewhere, where they cause no conflict of values any more.
///
/// ```swift
/// let application = try db.apply(remote) { conflict in
///     conflict.canReplace ? .replace : .omit
/// }
/// let rebaser = try Rebaser()
/// try rebaser.add(application.resolutions)
/// let rebased = try rebaser.rebase(local)
/// ```
///
/// If several changesets were applied, add all their resolutions, in the same order. A rebaser needs no
/// database. It is not sendable: use it on one thread at a time.
///
/// Related SQLite documentation: <https://www.sqlite.org/session/rebaser.html>
public final class Rebaser {
    private let raw: RawRebaser
    private var headers: [CaseInsensitiveIdentifier: ChangesetHeader] = [:]
    private var failure: (any Error)?

    /// Creates a rebaser that changes nothing.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_NOMEM`.
    public init() throws {
        raw = try databaseErrors { try RawRebaser() }
    }

    /// Adds how the conflicts of a changeset were resolved.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_SCHEMA` if the columns of a table are not those of
    ///   former resolutions.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/session/sqlite3rebaser_configure.html>
    public func add(_ resolutions: ConflictResolutions) throws {
        if let failure { throw failure }
        if resolutions.isEmpty { return }
        let headers = resolutions.headers
        try check(headers)
        do {
            try databaseErrors { try resolutions.data.withUnsafeBytes { try raw.configure($0) } }
        } catch {
            failure = error
            throw error
        }
        for header in headers {
            self.headers[CaseInsensitiveIdentifier(header.tableName)] = header
        }
    }

    /// Returns a changeset as if it had been recorded after the changes from elsewhere.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` for a patchset; of code `SQLITE_SCHEMA` if
    ///   the columns of a table are not those of the resolutions.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3rebaser_rebase.html>
    public func rebase(_ changeset: Changeset) throws -> Changeset {
        if let failure { throw failure }
        if changeset.isPatchset { throw Changeset.patchsetError("rebased") }
        try check(changeset.summaries.map(\.header))
        return try databaseErrors {
            try Changeset(changeset.data.withUnsafeBytes { try raw.rebase($0) })
        }.normalized()
    }

    /// Rebases a changeset from file to file, in pieces.
    ///
    /// - parameter source: the URL of a changeset.
    /// - parameter destination: the URL of the rebased changeset, which replaces another file when it is
    ///   complete.
    /// - throws: what ``rebase(_:)`` throws; a ``DatabaseError`` of code `SQLITE_CORRUPT` if the file is
    ///   not a changeset; the error of the file system.
    public func rebase(contentsOf source: URL, to destination: URL) throws {
        if let failure { throw failure }
        let scanner = try ChangesetFile.scan(source)
        if scanner.isPatchset == true { throw Changeset.patchsetError("rebased") }
        try check(scanner.tables.map(\.header))
        let reader = try ChangesetFileReader(source)
        defer { reader.close() }
        try ChangesetFile.write(to: destination) { write in
            let normalizer = ChangesetNormalizer()
            try withoutActuallyEscaping(write) { write in
                try databaseErrors {
                    try raw.rebase(
                        RawChangesetInput { try reader.read($0) },
                        to: RawChangesetOutput { try normalizer.normalize($0, write) })
                }
            }
            try normalizer.finish()
        }
    }

    private func check(_ headers: [ChangesetHeader]) throws {
        for header in headers {
            guard let known = self.headers[CaseInsensitiveIdentifier(header.tableName)],
                !known.isCompatible(with: header)
            else { continue }
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "The changes of the table \(header.tableName) have different columns")
        }
    }
}

// See `Session`.
@available(*, unavailable)
extension Rebaser: Sendable {}

extension Changeset {
    /// Returns the changeset as if it had been recorded after other changes, whose conflicts with it
    /// were resolved.
    ///
    /// - parameter resolutions: how the conflicts were resolved: see ``Rebaser``.
    /// - throws: what ``Rebaser/rebase(_:)`` throws.
    public func rebased(on resolutions: ConflictResolutions...) throws -> Changeset {
        let rebaser = try Rebaser()
        for resolutions in resolutions { try rebaser.add(resolutions) }
        return try rebaser.rebase(self)
    }

    /// Inverts a changeset from file to file, in pieces, like ``inverted()``.
    ///
    /// - parameter source: the URL of a changeset.
    /// - parameter destination: the URL of the inverted changeset, which replaces another file when it
    ///   is complete.
    /// - throws: what ``inverted()`` throws; a ``DatabaseError`` of code `SQLITE_CORRUPT` if the file is
    ///   not a changeset; the error of the file system.
    public static func invert(contentsOf source: URL, to destination: URL) throws {
        if try ChangesetFile.scan(source).isPatchset == true { throw patchsetError("inverted") }
        let reader = try ChangesetFileReader(source)
        defer { reader.close() }
        try ChangesetFile.write(to: destination) { write in
            try withoutActuallyEscaping(write) { write in
                try databaseErrors {
                    try RawChangeset.invert(
                        RawChangesetInput { try reader.read($0) },
                        to: RawChangesetOutput(write))
                }
            }
        }
    }
}
