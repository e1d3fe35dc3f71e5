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

    /// Runs the closure, whose statements add nothing to the region that is being recorded.
    ///
    /// What the schema cache reads is not part of a region: whether it has to read depends on what
    /// happened before.
    func withoutRecordingRegion<T>(_ value: () throws -> T) rethrows -> T {
        let outerRegion = recordedRegion
        recordedRegion = nil
        defer { recordedRegion = outerRegion }
        return try value()
    }

    /// Adds the schema, which an app has asked for.
    func recordSchemaAccess() {
        recordedRegion?.insert(column: "name", ofTable: "sqlite_master")
    }

    /// Whether somebody learns what statements look into.
    var isRecordingRegion: Bool { recordedRegion != nil }

    /// Adds what a statement that starts looks into.
    func recordRegion(of statement: Statement) throws {
        // Reads no table. What follows may run some itself, and would come here again and again.
        if statement.effects.isPragma { return }
        let region = try statement.refined(knownRegion(of: statement))
        recordedRegion?.formUnion(region)
    }

    /// The region of a statement, which is compiled once more only if the region was not asked for
    /// since the schema has changed.
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
        if let region = regions.bySQL[statement.sql] { return region }
        let region = try statement.readRegion
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
