import GRDB
public import _GRDBSystem

/// The resolutions of the conflicts of an applied changeset. They are needed to rebase local
/// changes before these are applied to the database in which the changeset was recorded.
///
/// See ``ChangesetApplication/resolutions`` and ``Rebaser``. A value is encoded as its ``data``.
public struct ConflictResolutions: Sendable, Hashable {
    /// The resolutions, in the format of SQLite's session extension.
    public let data: Data

    /// Creates an empty collection of resolutions.
    public init() {
        data = Data()
    }

    /// Creates resolutions from stored bytes.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` if the bytes are invalid.
    /// - complexity: O(*n*), where *n* is the number of bytes.
    public init(data: Data) throws {
        var scanner = ChangesetScanner(.resolutions)
        try data.withUnsafeBytes { try scanner.scan($0) }
        self.data = data
    }

    /// Takes ownership of bytes allocated by SQLite.
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

/// An object that rewrites local changes as if they had been made after remote changes.
///
/// Use it when two databases have both changed. First apply the remote changes to the local
/// database, and resolve the conflicts. Then rebase the local changes, which applies the same
/// resolutions to them. The rebased changes cause no conflicts of values when they are applied to
/// the remote database.
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
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_NOMEM`.
    public init() throws {
        raw = try databaseErrors { try RawRebaser() }
    }

    /// Adds the conflict resolutions of a changeset.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_SCHEMA` if the columns of a table differ from
    ///   those of earlier resolutions.
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

    /// Returns a changeset as if it had been recorded after the remote changes.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` for a patchset; of code
    ///   `SQLITE_SCHEMA` if the columns of a table differ from those of the resolutions.
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
    /// - parameter destination: the URL of the rebased changeset. An existing file is replaced when
    ///   the new one is complete.
    /// - throws: the errors of ``rebase(_:)``; a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` if the
    ///   file is not a changeset; the error of the file system.
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
    /// Returns the changeset as if it had been recorded after other changes.
    ///
    /// - parameter resolutions: the conflict resolutions of these other changes: see ``Rebaser``.
    /// - throws: the errors of ``Rebaser/rebase(_:)``.
    public func rebased(on resolutions: ConflictResolutions...) throws -> Changeset {
        let rebaser = try Rebaser()
        for resolutions in resolutions { try rebaser.add(resolutions) }
        return try rebaser.rebase(self)
    }

    /// Inverts a changeset from file to file, in pieces, like ``inverted()``.
    ///
    /// - parameter source: the URL of a changeset.
    /// - parameter destination: the URL of the inverted changeset. An existing file is replaced
    ///   when the new one is complete.
    /// - throws: the errors of ``inverted()``; a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` if the
    ///   file is not a changeset; the error of the file system.
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
