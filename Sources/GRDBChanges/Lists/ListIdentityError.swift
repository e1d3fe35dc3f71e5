import GRDB

/// An error of an observed list whose elements are not uniquely identified.
///
/// ```swift
/// // Elements 0 and 2 of the list have the same identity: 1
/// let observation = ListObservation.tracking(Player.all(), id: \.teamID)
/// ```
///
/// A ``ListObservation`` reports the error and continues, because the next list may be valid.
public struct ListIdentityError: Error, Sendable, CustomStringConvertible {
    /// The reason for the error.
    public enum Reason: Hashable, Sendable {
        /// Two elements have the same identity.
        case duplicate
        /// A column of the primary key is NULL.
        case null
        /// The request does not fetch a column of the primary key.
        case missingColumn
    }

    /// The reason for the error.
    public let reason: Reason

    public let description: String

    static func duplicate(_ identity: AnyHashable, _ first: Int, _ second: Int) -> Self {
        let values = (identity.base as? [DatabaseValue])?.map(\.description)
        let text = values?.joined(separator: ", ") ?? "\(identity.base)"
        return Self(
            reason: .duplicate,
            description:
                "Elements \(first) and \(second) of the list have the same identity: \(text)")
    }

    static func null(_ column: String, _ table: String, _ index: Int) -> Self {
        Self(
            reason: .null,
            description: """
                Element \(index) of the list has no identity: \
                column \(column) of the primary key of table \(table) is NULL
                """)
    }

    static func missingColumn(_ column: String, _ table: String) -> Self {
        Self(
            reason: .missingColumn,
            description: """
                The elements of the list have no identity: \
                column \(column) of the primary key of table \(table) is not fetched
                """)
    }
}
