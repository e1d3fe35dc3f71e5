/// Determines which columns an upsert overwrites if the row already exists.
///
/// ```swift
/// let upserted = try player.upsertAndFetch(
///     db, onConflict: ["name"], updating: .noColumnUnlessSpecified,
///     doUpdate: { _ in [Column("score") += 1] })
/// ```
public struct UpsertUpdateStrategy: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Overwrites all inserted columns, except for the columns of the primary key and the conflict
    /// target, and those that the `doUpdate` closure assigns or keeps.
    public static let allColumns = UpsertUpdateStrategy([])

    /// Overwrites only the columns that the `doUpdate` closure assigns.
    public static let noColumnUnlessSpecified = UpsertUpdateStrategy(rawValue: 1 << 0)
}
