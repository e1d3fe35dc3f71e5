#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Where one kind of change of one table goes: the names in its events, and the observers that
/// receive them.
final class ChangeRoute {
    let kind: CInt
    let eventKind: DatabaseEvent.Kind?
    let names: TableNames
    let observations: ContiguousArray<TransactionObservation>

    /// The names, as SQLite gives them.
    private let schema: UnsafeMutablePointer<CChar>
    private let table: UnsafeMutablePointer<CChar>

    /// The columns of the table, in their order, once an event has asked for them.
    var columns: TableColumns?

    /// How the rows of events are read.
    var convertsMismatchedValues = false

    /// Whether the statement that runs has declared the change.
    @exclusivity(unchecked)
    var isDeclared = false

    init(
        kind: CInt, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>, names: TableNames,
        observations: ContiguousArray<TransactionObservation>
    ) {
        self.kind = kind
        eventKind = DatabaseEvent.Kind(rawValue: kind)
        self.names = names
        self.observations = observations
        self.schema = Self.copy(schema)
        self.table = Self.copy(table)
    }

    deinit {
        schema.deallocate()
        table.deallocate()
    }

    private static func copy(_ string: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar> {
        let count = strlen(string) + 1
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count)
        copy.initialize(from: string, count: count)
        return copy
    }

    @inline(__always)
    func isRoute(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Bool {
        self.kind == kind && strcmp(self.table, table) == 0 && strcmp(self.schema, schema) == 0
    }
}

/// Routes, found by the pointers of the names that SQLite gives: within an execution, the same
/// pointers are the same names.
struct RouteList {
    private struct Element {
        var schema: UnsafePointer<CChar>
        var table: UnsafePointer<CChar>
        let kind: CInt
        /// When the pointers were noted.
        var execution: Int
        /// Owned by `routes`.
        let route: Unmanaged<ChangeRoute>
    }

    private var elements: ContiguousArray<Element> = []
    private var routes: ContiguousArray<ChangeRoute> = []

    /// Counts executions.
    private var execution: Int = 0

    @inline(__always)
    func route(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Unmanaged<ChangeRoute>? {
        for index in elements.indices
        where elements[index].table == table && elements[index].kind == kind
            && elements[index].schema == schema && elements[index].execution == execution
        {
            return elements[index].route
        }
        return nil
    }

    @inline(__always)
    mutating func renewPointers() {
        execution &+= 1
    }

    /// Finds a route by the names, and notes the new pointers.
    @inline(__always)
    mutating func find(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Unmanaged<ChangeRoute>? {
        for index in elements.indices
        where elements[index].route._withUnsafeGuaranteedRef({ $0.isRoute(kind, schema, table) }) {
            elements[index].schema = schema
            elements[index].table = table
            elements[index].execution = execution
            return elements[index].route
        }
        return nil
    }

    mutating func append(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>,
        virtualTables: (String) -> [String],
        observations: (TableNames) -> ContiguousArray<TransactionObservation>
    ) -> Unmanaged<ChangeRoute> {
        let tableName = String(cString: table)
        let names = TableNames(
            databaseName: String(cString: schema), tableName: tableName,
            virtualTableNames: virtualTables(tableName))
        let route = ChangeRoute(
            kind: kind, schema: schema, table: table, names: names,
            observations: observations(names))
        routes.append(route)
        elements.append(
            Element(
                schema: schema, table: table, kind: kind, execution: execution,
                route: .passUnretained(route)))
        return .passUnretained(route)
    }
}
