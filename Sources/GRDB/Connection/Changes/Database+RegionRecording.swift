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

    /// Adds what a statement that starts looks into.
    func recordRegion(of statement: Statement) {
        let region = statement.databaseRegion
        recordedRegion?.formUnion(region)
    }
}
