import GRDB

/// A vector that is stored as a blob, and whose distances can be computed in SQL: ``FloatVector``,
/// ``Int8Vector`` or ``BitVector``.
///
/// ```swift
/// struct Document: Codable, FetchableRecord, PersistableRecord {
///     var id: Int64
///     var embedding: FloatVector
///
///     enum Columns {
///         static let id = Column(CodingKeys.id)
///         static let embedding = Column(CodingKeys.embedding)
///     }
/// }
///
/// // SELECT * FROM "document" WHERE "embedding" IS NOT NULL
/// // ORDER BY vector_distance_cosine("embedding", ?) LIMIT 10
/// let documents = try Document
///     .nearest(to: query, in: \.embedding, count: 10, by: .cosine)
///     .fetchAll(db)
/// ```
///
/// The blobs have the format of the sqlite-vec extension. Only the types above conform.
public protocol DatabaseVector: DatabaseValueConvertible, Hashable, Sendable {
    /// The ways to measure the distance between two vectors.
    associatedtype Metric: Hashable & Sendable

    /// Internal. Returns the name of the SQL function for a metric.
    static func _distanceFunction(_ metric: Metric) -> String

    /// Returns the distance to another vector, with the same result as in SQL.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_ERROR` if the vectors have different numbers of
    ///   dimensions, or if the distance is not a number.
    func distance(to other: Self, by metric: Metric) throws -> Double
}

/// The ways to measure the distance between two vectors of numbers.
public enum VectorMetric: Hashable, Sendable, CaseIterable {
    /// The Euclidean distance: the length of the difference.
    case l2

    /// The square of the Euclidean distance. It has the same sort order as ``l2``.
    case squaredL2

    /// The cosine distance: 1 minus the cosine of the angle between the vectors, from 0 for the same
    /// direction to 2 for opposite directions. It is 1 if all elements of a vector are zero.
    case cosine

    /// The negative dot product, so that the greatest product is the smallest distance. For vectors
    /// of length 1, it has the same sort order as ``cosine``, and is faster.
    case dot
}

/// Computes a distance between two blobs.
func vectorDistance(
    _ distance: RawVectors.Distance, _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer, dimensionCounts: (Int, Int)
) throws -> Double {
    guard dimensionCounts.0 == dimensionCounts.1 else {
        throw DatabaseError(
            message: """
                the vectors have \(dimensionCounts.0) and \(dimensionCounts.1) dimensions
                """)
    }
    let result = RawVectors.distance(distance, left, right)
    if result.isNaN { throw DatabaseError(message: "the distance is not a number (NaN)") }
    return result
}
