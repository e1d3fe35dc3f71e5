/// The observers of the changes that one statement can perform.
///
/// Observers are asked before each execution. While their answers stay the same, the statement keeps
/// its audience, including the routes of its changes: finding the observers of a changed row then takes two
/// pointer comparisons.
final class ChangeAudience {
    /// An observer of one of the kinds of changes.
    struct Interest {
        let observation: TransactionObservation
        let kindIndex: Int
    }

    /// All kinds of changes that the statement declares.
    private let kinds: [DatabaseEventKind]

    let interests: ContiguousArray<Interest>

    /// The observers in `interests`, without duplicates, in order.
    let observations: ContiguousArray<TransactionObservation>

    /// The schema generation for which the audience was made.
    let schemaGeneration: Int

    /// Whether functions called by the statement may perform changes that it does not declare.
    private let mayWriteByFunctions: Bool

    /// The routes of changes that the statement does not declare.
    let undeclaredRoutes = UndeclaredRoutes()

    /// Whether the statement is being executed.
    @exclusivity(unchecked)
    private(set) var isRunning = false

    /// The epoch in which the observers were last asked: see `Database.interestEpoch`.
    @exclusivity(unchecked)
    var epoch = -1

    /// The epoch in which the observers need not be asked again, unless one of them has stopped
    /// observing: see `Database.lastingInterestEpoch`.
    @exclusivity(unchecked)
    var lastingEpoch = -1

    @exclusivity(unchecked)
    private var routes = RoutesByPhase()

    init(
        kinds: [DatabaseEventKind], interests: ContiguousArray<Interest>, schemaGeneration: Int,
        mayWriteByFunctions: Bool
    ) {
        self.mayWriteByFunctions = mayWriteByFunctions
        self.kinds = kinds
        self.interests = interests
        self.schemaGeneration = schemaGeneration
        observations = Self.observations(of: interests) { _ in true }
    }

    private static func observations(
        of interests: ContiguousArray<Interest>, where includes: (Interest) -> Bool
    ) -> ContiguousArray<TransactionObservation> {
        var observations: ContiguousArray<TransactionObservation> = []
        for interest in interests
        where interest.observation !== observations.last && includes(interest) {
            observations.append(interest.observation)
        }
        return observations
    }

    /// An execution of the statement, which retains the observers until it ends.
    struct Run: ~Copyable {
        let audience: ChangeAudience

        /// Retains the observers. Fails if one of them was deallocated.
        init?(_ audience: ChangeAudience) {
            for index in audience.observations.indices where !audience.retainObserver(at: index) {
                for former in 0..<index { audience.releaseObserver(at: former) }
                return nil
            }
            self.init(ofRetainedObserversOf: audience)
        }

        /// - parameter audience: an audience whose observers were retained for the run.
        init(ofRetainedObserversOf audience: ChangeAudience) {
            self.audience = audience
            audience.isRunning = true
            audience.renewPointers()
        }

        deinit {
            audience.isRunning = false
            for index in audience.observations.indices { audience.releaseObserver(at: index) }
        }
    }

    @inline(__always)
    private func retainObserver(at index: Int) -> Bool {
        Unmanaged.passUnretained(observations[index])
            ._withUnsafeGuaranteedRef { $0.retainObserver() }
    }

    @inline(__always)
    private func releaseObserver(at index: Int) {
        Unmanaged.passUnretained(observations[index])
            ._withUnsafeGuaranteedRef { $0.releaseObserver() }
    }

    /// The names of the observed tables.
    var tableNames: [String] { interests.map { kinds[$0.kindIndex].tableName } }

    /// Whether an observer needs preupdate events.
    var needsPreUpdates: Bool {
        for index in observations.indices {
            let observation = Unmanaged.passUnretained(observations[index])
            if observation._withUnsafeGuaranteedRef({ $0.wantsPreUpdates }) { return true }
        }
        return false
    }

    /// Invalidates the pointers to names, because SQLite may have freed them.
    func renewPointers() { routes.renewPointers() }

    // MARK: - Routes

    /// Returns the observers of a change. The audience keeps the route alive.
    @inline(__always)
    func route<Change: RawRowChange>(of change: Change) -> Unmanaged<ChangeRoute> {
        routes.route(of: change)
            ?? findRoute(change.kind, change.schema, change.table, Change.phase)
    }

    private func findRoute(
        _ kind: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>,
        _ phase: ChangePhase
    ) -> Unmanaged<ChangeRoute> {
        if let route = routes[phase].find(kind, schema, table) { return route }
        // The preupdate hook is also called for deletions by conflict resolution, which SQLite does not announce.
        let isAnyDeletion =
            phase == .willChange && kind == DatabaseEvent.Kind.delete.rawValue
        let includes = { (eventKind: DatabaseEvent.Kind) in
            isAnyDeletion || eventKind.rawValue == kind
        }
        let route = routes[phase].append(
            kind, schema, table, virtualTables: virtualTables(keptIn:)
        ) { names in
            phase == .willChange && Database.isReservedTableName(names.tableName)
                ? [] : observations(ofTable: names.tableName, includes)
        }
        route._withUnsafeGuaranteedRef { $0.isDeclared = declares($0.names.tableName, includes) }
        return route
    }

    /// Whether the statement declares a change of a table. If so, observers were asked about it.
    private func declares(
        _ table: String, _ includes: (DatabaseEvent.Kind) -> Bool
    ) -> Bool {
        if mayWriteByFunctions { return false }
        return kinds.contains { kind in
            (includes(kind.rowKind) && ASCIICase.equal(kind.tableName, table))
                || isKept(kind, in: table)
        }
    }

    private func observations(
        ofTable table: String, _ includes: (DatabaseEvent.Kind) -> Bool
    ) -> ContiguousArray<TransactionObservation> {
        let included = observations { kind in
            includes(kind.rowKind) && ASCIICase.equal(kind.tableName, table)
        }
        if !included.isEmpty { return included }
        return observations { isKept($0, in: table) }
    }

    /// The virtual tables that the statement changes, and that store their content in the given table.
    private func virtualTables(keptIn table: String) -> [String] {
        kinds.filter { isKept($0, in: table) }.map(\.tableName)
    }

    /// Whether a table stores content of the virtual table in `kind`. SQLite only reports changes of
    /// such shadow tables, not of the virtual table.
    private func isKept(_ kind: DatabaseEventKind, in table: String) -> Bool {
        let count = kind.tableName.utf8.count + 1
        return table.utf8.count > count
            && ASCIICase.equal(
                String(decoding: table.utf8.prefix(count), as: UTF8.self), kind.tableName + "_")
            // Tables that the statement changes directly don't count.
            && !kinds.contains { ASCIICase.equal($0.tableName, table) }
    }

    private func observations(
        where includes: (DatabaseEventKind) -> Bool
    ) -> ContiguousArray<TransactionObservation> {
        let kinds = kinds.map(includes)
        return Self.observations(of: interests) { kinds[$0.kindIndex] }
    }
}
