import _GRDBSystem

/// The destination of one kind of change of one table: the names in its events, and the observers
/// that receive them.
final class ChangeRoute {
    let kind: CInt
    let eventKind: DatabaseEvent.Kind?
    let names: TableNames
    let observations: ContiguousArray<TransactionObservation>

    /// The names, as spelled by SQLite.
    private let schema: UnsafeMutablePointer<CChar>
    private let table: UnsafeMutablePointer<CChar>

    /// The columns of the table, in order. Set when an event first needs them.
    var columns: TableColumns?

    /// Whether the running statement declares the change.
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

    func isRoute(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Bool {
        self.kind == kind && strcmp(self.table, table) == 0 && strcmp(self.schema, schema) == 0
    }
}

/// Routes, looked up by the addresses of the names that SQLite passes to its hooks. Within one
/// execution, equal addresses are equal names.
struct RouteList {
    private struct Element {
        var schema: UnsafePointer<CChar>
        var table: UnsafePointer<CChar>
        let kind: CInt
        /// The execution in which the pointers were recorded.
        var execution: Int
        /// Owned by `routes`.
        let route: Unmanaged<ChangeRoute>
    }

    private var elements: ContiguousArray<Element> = []
    private var routes: ContiguousArray<ChangeRoute> = []

    /// The number of executions.
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

    mutating func renewPointers() {
        execution &+= 1
    }

    /// Finds a route by its names, and records their new addresses.
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

/// The routes of changes that are about to happen, and of changes that have happened.
struct RoutesByPhase {
    private var willChange = RouteList()
    private var didChange = RouteList()

    subscript(phase: ChangePhase) -> RouteList {
        @inline(__always) get { phase == .willChange ? willChange : didChange }
        @inline(__always) _modify {
            if phase == .willChange { yield &willChange } else { yield &didChange }
        }
    }

    mutating func renewPointers() {
        willChange.renewPointers()
        didChange.renewPointers()
    }

    @inline(__always)
    func route<Change: RawRowChange>(of change: Change) -> Unmanaged<ChangeRoute>? {
        Change.phase == .willChange
            ? willChange.route(change.kind, change.schema, change.table)
            : didChange.route(change.kind, change.schema, change.table)
    }
}
