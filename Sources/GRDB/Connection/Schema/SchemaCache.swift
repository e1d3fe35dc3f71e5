/// What a connection has learned of the schema since it last changed. Belongs to the thread of its
/// connection.
final class SchemaCache {
    /// The versions that the content was read from.
    var versions: SchemaVersions? {
        didSet {
            onlyVersion = versions.flatMap { $0.attached.isEmpty ? $0.main : nil }
        }
    }

    /// The version of the main schema, when no other connection can change another schema. Nearly
    /// always, this is all there is to compare.
    @exclusivity(unchecked)
    private(set) var onlyVersion: Int32?

    /// How many times the schema was asked for: what was made meanwhile without asking does not depend
    /// on it.
    @exclusivity(unchecked)
    var useCount = 0

    /// The number of the transaction in which the versions were last checked.
    @exclusivity(unchecked)
    var validTransaction = -1

    /// The schemas, in the order in which SQLite looks for unqualified names.
    var schemaIDs: [DatabaseSchemaID]?

    /// The objects of each schema.
    var objects: [DatabaseSchemaID: SchemaObjects] = [:]

    /// What was read of each table or view.
    var tables: [DatabaseObjectID: TableStructure] = [:]

    // The primary keys of tables and views by unqualified name, which are asked for most often, and the
    // latest one: texts compare faster than they hash without their case.
    @exclusivity(unchecked)
    private var primaryKeys: [CaseInsensitiveIdentifier: PrimaryKeyInfo] = [:]
    @exclusivity(unchecked)
    private var latestPrimaryKey: (table: String, key: PrimaryKeyInfo)?

    /// The primary key of a table or view, if it is known.
    func primaryKey(of table: String) -> PrimaryKeyInfo? {
        if let latestPrimaryKey, latestPrimaryKey.table == table { return latestPrimaryKey.key }
        guard let key = primaryKeys[CaseInsensitiveIdentifier(table)] else { return nil }
        latestPrimaryKey = (table, key)
        return key
    }

    func setPrimaryKey(_ key: PrimaryKeyInfo, of table: String) {
        primaryKeys[CaseInsensitiveIdentifier(table)] = key
    }

    // What higher layers have derived from the schema, statements included.
    @exclusivity(unchecked)
    private var derivedValues: [ObjectIdentifier: AnyObject] = [:]

    /// The derived value that was asked for last.
    @exclusivity(unchecked)
    private var latestDerivedValue: (id: ObjectIdentifier, value: AnyObject)?

    /// What a higher layer has derived from the schema.
    @inline(__always)
    func derivedValue(for id: ObjectIdentifier) -> AnyObject? {
        if let latestDerivedValue, latestDerivedValue.id == id { return latestDerivedValue.value }
        return searchedDerivedValue(for: id)
    }

    private func searchedDerivedValue(for id: ObjectIdentifier) -> AnyObject? {
        guard let value = derivedValues[id] else { return nil }
        latestDerivedValue = (id, value)
        return value
    }

    func setDerivedValue(_ value: AnyObject, for id: ObjectIdentifier) {
        derivedValues[id] = value
        latestDerivedValue = nil
    }

    /// Another number when what is known of the schema was forgotten.
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

/// The numbers that change with the schemas.
struct SchemaVersions: Equatable {
    var schemaIDs: [DatabaseSchemaID]
    var main: Int32
    var attached: [Int32]
}

/// The objects of a schema.
struct SchemaObjects {
    let all: [SchemaObjectInfo]
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

    func object(_ kind: SchemaObjectInfo.Kind, named name: String) -> SchemaObjectInfo? {
        indexes[Key(kind: kind, name: .init(name))].map { all[$0] }
    }

    func tableOrView(named name: String) -> SchemaObjectInfo? {
        object(.table, named: name) ?? object(.view, named: name)
    }
}

/// What was read of a table or a view; nil where nothing was asked for.
struct TableStructure {
    var columns: [ColumnInfo]?
    var indexes: [TableIndex]?
    var primaryKey: PrimaryKeyInfo?
    var foreignKeys: [ForeignKeyDeclaration]?
}
