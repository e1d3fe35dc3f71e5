/// Which columns an upsert overwrites when a row exists already.
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

    /// All inserted columns are overwritten, but those of the primary key, of the conflict target,
    /// and those that the `doUpdate` closure deals with.
    public static let allColumns = UpsertUpdateStrategy([])

    /// Only the columns that the `doUpdate` closure assigns are overwritten.
    public static let noColumnUnlessSpecified = UpsertUpdateStrategy(rawValue: 1 << 0)
}
