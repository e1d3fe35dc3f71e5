/// The information on the schema that a connection has read since the schema last changed. Belongs
/// to the thread of the connection.
package final class SchemaCache {
    /// The versions of the schemas from which the content was read.
    var versions: SchemaVersions? {
        didSet {
            onlyVersion = versions.flatMap { $0.attached.isEmpty ? $0.main : nil }
        }
    }

    /// The version of the main schema, if other connections can change no other schema. This is the
    /// common case, and requires a single comparison.
    @exclusivity(unchecked)
    private(set) var onlyVersion: Int32?

    /// The number of requests for the schema. A value that was computed while the number did not
    /// change does not depend on the schema.
    @exclusivity(unchecked)
    var useCount = 0

    /// The number of the transaction in which the versions were last checked.
    @exclusivity(unchecked)
    var validTransaction = -1

    /// The schemas, in the order in which SQLite resolves unqualified names.
    var schemaIDs: [DatabaseSchemaID]?

    /// The objects of each schema.
    var objects: [DatabaseSchemaID: SchemaObjects] = [:]

    /// The information that was read for each table or view.
    var tables: [DatabaseObjectID: TableStructure] = [:]

    // The primary keys of tables and views by unqualified name, which are requested most often, and
    // the latest one, because comparing names is faster than hashing them without their case.
    @exclusivity(unchecked)
    private var primaryKeys: [CaseInsensitiveIdentifier: PrimaryKeyInfo] = [:]
    @exclusivity(unchecked)
    private var latestPrimaryKey: (table: String, key: PrimaryKeyInfo)?

    /// The primary key of a table or view, if it is known.
    func primaryKey(of table: String) -> PrimaryKeyInfo? {
        if let latestPrimaryKey, latestPrimaryKey.table.hasSameBytes(as: table) {
            return latestPrimaryKey.key
        }
        guard let key = primaryKeys[CaseInsensitiveIdentifier(table)] else { return nil }
        latestPrimaryKey = (table, key)
        return key
    }

    func setPrimaryKey(_ key: PrimaryKeyInfo, of table: String) {
        primaryKeys[CaseInsensitiveIdentifier(table)] = key
    }

    // Values that higher layers have derived from the schema, including statements.
    @exclusivity(unchecked)
    private var derivedValues: [ObjectIdentifier: AnyObject] = [:]

    /// The derived value that was last requested.
    @exclusivity(unchecked)
    private var latestDerivedValue: (id: ObjectIdentifier, value: AnyObject)?

    /// Returns a value that a higher layer has derived from the schema.
    @inline(__always)
    package func derivedValue(for id: ObjectIdentifier) -> AnyObject? {
        if let latestDerivedValue, latestDerivedValue.id == id { return latestDerivedValue.value }
        return searchedDerivedValue(for: id)
    }

    private func searchedDerivedValue(for id: ObjectIdentifier) -> AnyObject? {
        guard let value = derivedValues[id] else { return nil }
        latestDerivedValue = (id, value)
        return value
    }

    package func setDerivedValue(_ value: AnyObject, for id: ObjectIdentifier) {
        derivedValues[id] = value
        latestDerivedValue = nil
    }

    /// A number that changes when the cached information is discarded.
    @exclusivity(unchecked)
    private(set) var number = 0

    func removeAll() {
        if validTransaction == -1 && versions == nil { return }
        number &+= 1
        versions = nil
        validTransaction = -1
        schemaIDs = nil
        objects = [:]
        tables = [:]
        primaryKeys = [:]
        latestPrimaryKey = nil
        derivedValues = [:]
        latestDerivedValue = nil
    }
}

/// The version numbers of the schemas.
struct SchemaVersions: Equatable {
    var schemaIDs: [DatabaseSchemaID]
    var main: Int32
    var attached: [Int32]
}

/// The objects of a schema.
package struct SchemaObjects {
    package let all: [SchemaObjectInfo]
    private var indexes: [Key: Int] = [:]

    private struct Key: Hashable {
        var kind: SchemaObjectInfo.Kind
        var name: CaseInsensitiveIdentifier
    }

    init(_ objects: [SchemaObjectInfo]) {
        all = objects
        for (index, object) in objects.enumerated() {
            indexes[Key(kind: object.kind, name: .init(object.name))] = index
        }
    }

    package func object(_ kind: SchemaObjectInfo.Kind, named name: String) -> SchemaObjectInfo? {
        indexes[Key(kind: kind, name: .init(name))].map { all[$0] }
    }

    package func tableOrView(named name: String) -> SchemaObjectInfo? {
        object(.table, named: name) ?? object(.view, named: name)
    }
}

/// The information that was read for a table or view; nil for information that was not requested.
struct TableStructure {
    var columns: [ColumnInfo]?
    var indexes: [TableIndex]?
    var primaryKey: PrimaryKeyInfo?
    var foreignKeys: [ForeignKeyDeclaration]?
}
