extension Database {
    /// Adds a region to those that the current access has looked into, for `ValueObservation`. When
    /// nothing records regions, does nothing, and does not evaluate the region.
    ///
    /// To be called when some result depends on a region that no executed statement shows: of a
    /// cache, say.
    ///
    /// ```swift
    /// try db.registerAccess(to: SQLRequest<Row>(sql: "SELECT * FROM player"))
    /// ```
    ///
    /// - throws: the error of the region.
    public func registerAccess(
        to region: @autoclosure () -> some DatabaseRegionConvertible
    ) throws {
        guard recordedRegion != nil else { return }
        let newRegion = try region().databaseRegion(self)
        recordedRegion?.formUnion(newRegion)
    }

    /// Runs the closure, and returns the region that its statements look into, too.
    func recordingRegion<T>(_ value: () throws -> T) rethrows -> (T, DatabaseRegion) {
        let outerRegion = recordedRegion
        recordedRegion = DatabaseRegion()
        defer {
            if let outerRegion {
                recordedRegion = outerRegion.union(recordedRegion ?? DatabaseRegion())
            } else {
                recordedRegion = nil
            }
        }
        let result = try value()
        return (result, recordedRegion ?? DatabaseRegion())
    }

    /// Whether somebody learns what statements look into.
    var isRecordingRegion: Bool { recordedRegion != nil }

    /// Tells which rows of a table the next execution of a statement looks into, if only some.
    ///
    /// Statements are shared by requests for other rows: this is forgotten with other arguments.
    func recordRows(_ rowIDs: Set<Int64>, ofTable table: String, by statement: Statement) {
        guard isRecordingRegion else { return }
        statement.readRows = (table, rowIDs)
    }

    /// Adds what a statement that starts looks into.
    func recordRegion(of statement: Statement) {
        var region = knownRegion(of: statement)
        if let (table, rowIDs) = statement.readRows {
            region = region.tableIntersection(table, rowIDs: rowIDs)
        }
        recordedRegion?.formUnion(region)
    }

    /// The region of a statement, which is compiled once more only if the region was not asked for
    /// since the schema has changed.
    private func knownRegion(of statement: Statement) -> DatabaseRegion {
        guard let schemaCache = try? validSchemaCache() else { return statement.databaseRegion }
        let id = ObjectIdentifier(StatementRegions.self)
        let regions: StatementRegions
        if let known = schemaCache.derivedValue(for: id) as? StatementRegions {
            regions = known
        } else {
            regions = StatementRegions()
            schemaCache.setDerivedValue(regions, for: id)
        }
        if let region = regions.bySQL[statement.sql] { return region }
        let region = statement.databaseRegion
        if regions.bySQL.count == StatementRegions.capacity { regions.bySQL = [:] }
        regions.bySQL[statement.sql] = region
        return region
    }
}

/// What statements read, by their text.
private final class StatementRegions {
    static let capacity = 500
    var bySQL: [String: DatabaseRegion] = [:]
}
