/// The FTS5 full-text engine, a virtual table module.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts5(content)
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.column("content")
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html>
public struct FTS5: Sendable {
    /// How the `unicode61` tokenizer handles diacritics.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#unicode61_tokenizer>
    public enum Diacritics: Hashable, Sendable {
        /// Keeps diacritics: "jérôme" does not match "jerome".
        case keep

        /// Removes diacritics from Latin characters, except from a few characters with several
        /// diacritics.
        case removeLegacy

        /// Removes diacritics from Latin characters.
        case remove
    }

    /// Creates the module.
    public init() {}

    /// Returns a pointer to the `fts5_api` structure of a connection. Use it to register tokenizers
    /// and auxiliary functions written in C.
    ///
    /// The pointer is valid as long as the connection is open.
    ///
    /// - precondition: the connection is open, and belongs to the current thread.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#extending_fts5>
    public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
        db.preconditionAccess()
        do {
            return try UnsafePointer(db.raw.fts5API())
        } catch {
            fatalError("FTS5 is not available: \(DatabaseError(error))")
        }
    }
}
