/// A sequence of elements whose iteration may throw, such as the rows of a statement.
///
/// Cursors don't support `for` loops. Call ``next()`` until it returns nil:
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() {
///     print(name)
/// }
/// ```
///
/// Cursors resemble the lazy sequences and the iterators of the standard library, and have most of
/// their methods. They differ in three ways: they are classes, and have a lifetime; their iteration
/// may throw; and they can't be repeated.
///
/// Methods that return a cursor consume nothing until the returned cursor is iterated. The two
/// cursors then share the elements, so don't use the original cursor any more.
///
/// After its last element, a cursor always returns nil. When a closure throws, such as the closure
/// of ``map(_:)``, its element is lost, and the cursor can continue with the next element.
///
/// Cursors are not thread-safe. Cursors that read a database may only be used in the database
/// access that created them.
///
/// See <doc:RowsAndValues#Read-one-row-at-a-time>.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// Advances to the next element.
    ///
    /// - returns: the element, or nil at the end.
    /// - throws: any error. Cursors of statements throw a ``DatabaseError``: of code
    ///   `SQLITE_INTERRUPT` when the statement is interrupted, of code `SQLITE_MISUSE` after the
    ///   end of the database access. Cursors of values and records also throw decoding errors.
    func next() throws -> Element?

    /// Calls the closure on each remaining element.
    ///
    /// ```swift
    /// try String.fetchCursor(db, sql: "SELECT name FROM player").forEach { name in
    ///     print(name)
    /// }
    /// ```
    ///
    /// Implement this method if your cursor can visit all elements faster than by calling
    /// ``next()``. Collections, and the methods that consume all elements, call it.
    ///
    /// - throws: the error of the cursor, or of the closure.
    func forEach(_ body: (Element) throws -> Void) throws

    /// Internal. Calls the closure on each remaining element, which the closure may keep without
    /// copying it.
    func _forEachOwned(_ body: (consuming Element) throws -> Void) throws
}

extension Cursor {
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Element) throws -> Void) throws {
        try forEach { try body($0) }
    }
}
