/// The identity of an object of a database schema: a table, a view, an index, a trigger.
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String

    /// The schema of the object.
    public var schemaID: DatabaseSchemaID

    /// Creates an identifier.
    ///
    /// - parameter name: the name of the object.
    /// - parameter schemaID: the schema of the object.
    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        ASCIICase.equal(lhs.name, rhs.name) && lhs.schemaID == rhs.schemaID
    }

    public func hash(into hasher: inout Hasher) {
        ASCIICase.hash(name, into: &hasher)
        hasher.combine(schemaID)
    }
}

/// The identity of a schema: `main`, `temp`, or an attached database.
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The name of the schema.
    public let name: String

    private init(name: String) {
        self.name = name
    }

    /// The main database.
    public static let main = DatabaseSchemaID(name: "main")

    /// The database of temporary objects.
    public static let temp = DatabaseSchemaID(name: "temp")

    /// An attached database.
    public static func attached(_ name: String) -> DatabaseSchemaID {
        DatabaseSchemaID(name: name)
    }

    /// The name of the table that contains the schema.
    public var schemaTableName: String {
        self == .temp ? "sqlite_temp_master" : "sqlite_master"
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        ASCIICase.equal(lhs.name, rhs.name)
    }

    public func hash(into hasher: inout Hasher) {
        ASCIICase.hash(name, into: &hasher)
    }
}
