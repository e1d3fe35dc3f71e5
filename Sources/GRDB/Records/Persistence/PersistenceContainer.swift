/// The columns that a record stores, with their values.
///
/// Fill a container in ``EncodableRecord/encode(to:)``:
///
/// ```swift
/// struct Player: EncodableRecord {
///     var id: Int64?
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
/// }
/// ```
///
/// Columns keep the order in which they were first set. Their names are compared ignoring ASCII
/// case.
public struct PersistenceContainer {
    @usableFromInline var storage: PersistenceStorage

    init() {
        storage = PersistenceStorage()
    }

    @usableFromInline
    init(storage: PersistenceStorage) {
        self.storage = storage
    }

    /// User info that the caller of a persistence method adds to
    /// ``EncodableRecord/databaseEncodingUserInfo``.
    var userInfo: [CodingUserInfoKey: Any] {
        get { storage.userInfo }
        set { storage.userInfo = newValue }
    }

    /// Accesses the value associated with the given column.
    ///
    /// Setting nil stores NULL. Getting a column returns its ``DatabaseValue``, nil if the column
    /// was not set.
    @_disfavoredOverload
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get {
            databaseValue(forColumn: column)
        }
        @inlinable
        @inline(__always)
        set {
            // Consumed, so that a box, if there is one, is not copied.
            switch consume newValue {
            case let value?: encode(value, forColumn: column)
            case nil: encodeNil(forColumn: column)
            }
        }
    }

    /// Accesses the value associated with the given column.
    @_disfavoredOverload
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        @inlinable
        @inline(__always)
        set { self[column.name] = newValue }
    }

    /// Sets the value of a column, of a known type.
    ///
    /// The compiler prefers this subscript to the one for boxed values, because building a box takes longer
    /// than binding its content. It can't read a column: nothing guarantees the type of the value.
    @_documentation(visibility: internal)
    public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        @available(
            *, unavailable,
            message: "columns are read as (any DatabaseValueConvertible)?: convert them with `as`"
        )
        get { databaseValue(forColumn: column).flatMap { Value.fromDatabaseValue($0) } }
        @inlinable
        @inline(__always)
        set {
            if let newValue {
                encode(newValue, forColumn: column)
            } else {
                encodeNil(forColumn: column)
            }
        }
    }

    /// Sets the value of a column, of a known type.
    @_documentation(visibility: internal)
    public subscript<Value: DatabaseValueConvertible>(
        _ column: some ColumnExpression
    ) -> Value? {
        @available(
            *, unavailable,
            message: "columns are read as (any DatabaseValueConvertible)?: convert them with `as`"
        )
        get { databaseValue(forColumn: column.name).flatMap { Value.fromDatabaseValue($0) } }
        @inlinable
        @inline(__always)
        set { self[column.name] = newValue }
    }

    /// Sets the value of a column.
    @inlinable
    @inline(__always)
    mutating func encode<Value: DatabaseValueConvertible>(
        _ value: Value, forColumn column: String
    ) {
        if let parameters = storage.parameters, let slot = parameters.slot(forColumn: column) {
            parameters.bind(value, to: slot)
        } else {
            encodeUnexpected(value, forColumn: column)
        }
    }

    /// Sets a column to NULL.
    @inlinable
    @inline(__always)
    mutating func encodeNil(forColumn column: String) {
        if let parameters = storage.parameters, let slot = parameters.slot(forColumn: column) {
            parameters.bindNull(to: slot)
        } else {
            encodeUnexpectedNil(forColumn: column)
        }
    }

    @usableFromInline
    mutating func encodeUnexpected<Value: DatabaseValueConvertible>(
        _ value: Value, forColumn column: String
    ) {
        makeUnique()
        storage.set(value, forColumn: column)
    }

    @usableFromInline
    mutating func encodeUnexpectedNil(forColumn column: String) {
        makeUnique()
        storage.setNull(forColumn: column)
    }

    /// Gives the container a collecting storage of its own before it changes, so that other
    /// containers, possibly on other threads, do not change with it. A session is not copied.
    mutating func makeUnique() {
        switch storage.copying {
        case .never: break
        case .whenShared where isKnownUniquelyReferenced(&storage): break
        case .whenShared, .always: storage = storage.copy()
        }
    }
}

// `@unchecked` because the storage is a class with variables. Safe, because only the owner of a
// container changes them: `makeUnique()` gives a container that changes a storage of its own. A
// storage that binds to a statement, which is not copied, belongs to the call of `encode(to:)` that
// it was created for. Containers that callbacks receive may have a `BoundStorage`, which is copied.
extension PersistenceContainer: @unchecked Sendable {}

extension PersistenceContainer: RandomAccessCollection {
    public typealias Index = Int

    public var startIndex: Int { 0 }

    public var endIndex: Int { storage.content.values.count }

    /// The column at a position, with its value.
    public subscript(position: Int) -> (String, DatabaseValue) {
        let content = storage.content
        return (content.names[position], content.values[position])
    }
}

extension PersistenceContainer: CustomStringConvertible {
    /// The columns and their values: `[id:1 name:"Arthur"]`
    public var description: String {
        columnsText(columns, values.map(\.description))
    }
}

extension PersistenceContainer {
    /// The columns, in the order in which they were first set.
    var columns: [String] { storage.content.names }

    /// The values, in the order of columns.
    var values: [DatabaseValue] { storage.content.values }

    /// The value of a column, ignoring ASCII case; nil if it was not set.
    func databaseValue(forColumn column: String) -> DatabaseValue? {
        storage.content.value(of: column)
    }

    /// The value of a column; NULL if it was not set.
    func databaseValue(at column: String) -> DatabaseValue {
        databaseValue(forColumn: column) ?? .null
    }

    /// The columns and values.
    var dictionary: [String: DatabaseValue] {
        let content = storage.content
        return Dictionary(columns: content.names, values: content.values)
    }
}

extension [String: DatabaseValue] {
    /// The values by column. The first value of a column counts.
    @inline(never)
    init(columns: [String], values: [DatabaseValue]) {
        self.init(minimumCapacity: columns.count)
        for (column, value) in zip(columns, values) where self[column] == nil {
            self[column] = value
        }
    }
}
