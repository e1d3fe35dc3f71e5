extension Database {
    /// Adds a region to the regions that the current access reads, for `ValueObservation`. If no
    /// region is being recorded, does nothing and does not evaluate `region`.
    ///
    /// Call this method when a result depends on a region that no executed statement reads, for
    /// example when the result comes from a cache.
    ///
    /// ```swift
    /// try db.registerAccess(to: SQLRequest<Row>(sql: "SELECT * FROM player"))
    /// ```
    ///
    /// - throws: the error of `region`.
    public func registerAccess(
        to region: @autoclosure () -> some DatabaseRegionConvertible
    ) throws {
        guard recordedRegion != nil else { return }
        let newRegion = try region().databaseRegion(self)
        recordedRegion?.formUnion(newRegion)
    }

    /// Runs the closure, and also returns the region that its statements read.
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

    /// Runs the closure without adding what its statements read to the recorded region.
    ///
    /// Reads by the schema cache are not recorded, because they depend on what is already cached.
    func withoutRecordingRegion<T>(_ value: () throws -> T) rethrows -> T {
        let outerRegion = recordedRegion
        recordedRegion = nil
        defer { recordedRegion = outerRegion }
        return try value()
    }

    /// Adds the schema to the recorded region, because an app has read it.
    func recordSchemaAccess() {
        recordedRegion?.insert(column: "name", ofTable: "sqlite_master")
    }

    /// Whether the regions that statements read are being recorded.
    var isRecordingRegion: Bool { recordedRegion != nil }

    /// Adds the region that a statement reads, when the statement starts.
    func recordRegion(of statement: Statement) throws {
        // Pragmas read no table. Below, pragmas may run, which would recurse without end.
        if statement.effects.isPragma { return }
        let region = try statement.refined(knownRegion(of: statement))
        recordedRegion?.formUnion(region)
    }

    /// The region of a statement. The statement is compiled once more only if its region was not
    /// cached since the last schema change.
    private func knownRegion(of statement: Statement) throws -> DatabaseRegion {
        let schemaCache = try validSchemaCache()
        let id = ObjectIdentifier(StatementRegions.self)
        let regions: StatementRegions
        if let known = schemaCache.derivedValue(for: id) as? StatementRegions {
            regions = known
        } else {
            regions = StatementRegions()
            schemaCache.setDerivedValue(regions, for: id)
        }
        if let region = regions.bySQL[ExactText(statement.sql)] { return region }
        let region = try statement.readRegion
        if regions.bySQL.count == StatementRegions.capacity { regions.bySQL = [:] }
        regions.bySQL[ExactText(statement.sql)] = region
        return region
    }
}

/// A cache of the regions that statements read, by their SQL.
private final class StatementRegions {
    static let capacity = 500
    var bySQL: [ExactText: DatabaseRegion] = [:]
}
