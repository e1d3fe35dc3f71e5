import GRDBQueries
@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct HybridSearchTests {
    struct Document: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var language: String
        var body: String
        var embedding: FloatVector?

        enum Columns {
            static let id = Column("id")
            static let language = Column("language")
            static let embedding = TypedColumn<FloatVector?>("embedding")
        }
    }

    /// As computed from the rankings of two other requests.
    @Test func scoresAreThoseOfTwoRankings() throws {
        var random = SplitMix64(seed: 6)
        let words = ["sea", "ship", "wind", "whale", "harbor"]
        try TestDatabases.makeQueue().write { db throws in
            try db.create(table: "document") { t in
                t.primaryKey("id", .integer)
                t.column("language", .text).notNull()
                t.column("body", .text).notNull()
                t.column("embedding", .blob)
            }
            try db.create(virtualTable: "document_ft", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.column("body")
            }
            func vector() -> FloatVector {
                FloatVector((0..<8).map { _ in Float(Int.random(in: 0..<3, using: &random)) })
            }
            for id in 1...80 {
                let body = (0..<Int.random(in: 1..<12, using: &random)).map { _ in
                    words.randomElement(using: &random)!
                }
                try Document(
                    id: Int64(id * 2), language: ["en", "de"].randomElement(using: &random)!,
                    body: body.joined(separator: " "), embedding: id % 7 == 0 ? nil : vector()
                ).insert(db)
            }
            for round in 0..<30 {
                let query = vector()
                let pattern =
                    round % 10 == 9
                    ? nil : FTS5Pattern(matchingAnyTokenIn: words.randomElement(using: &random)!)
                let metric: VectorMetric = round % 2 == 0 ? .l2 : .dot
                let constant = round % 3 == 0 ? 60.0 : 1
                let isEnglish = round % 4 != 0
                let candidates =
                    isEnglish ? Document.filter { $0.language == "en" } : Document.all()
                let base = isEnglish ? candidates.limit(3) : candidates

                let ids = try candidates.select(\.id, as: Int64.self).fetchSet(db)
                var scores: [Int64: Double] = [:]
                func rank(_ rows: [(Int64, Double)]) {
                    let rows = rows.filter { ids.contains($0.0) }
                    for (id, value) in rows {
                        scores[id, default: 0] +=
                            1 / (constant + Double(1 + rows.count { $0.1 < value }))
                    }
                }
                rank(
                    try pattern.map {
                        try Row.fetchAll(
                            db,
                            sql: "SELECT rowid, rank FROM document_ft WHERE document_ft MATCH ?",
                            arguments: [$0]
                        ).map { ($0[0], $0[1]) }
                    } ?? [])
                rank(
                    try Document.filter { $0.embedding != nil }.fetchAll(db).map {
                        ($0.id, try $0.embedding!.distance(to: query, by: metric))
                    })
                let expected = scores.sorted {
                    $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
                }

                let request = base.hybridSearch(
                    matching: pattern, in: "document_ft", nearestTo: query, in: Column("embedding"),
                    by: metric,
                    count: 15, rankConstant: constant, scoreKey: "score")
                let rows = try request.asRequest(of: Row.self).fetchAll(db)
                let found = rows.map { row -> Int64 in row["id"] }
                // Scores are sums of two numbers, in any order.
                expectTrue(
                    zip(rows, expected).allSatisfy { abs($0["score"] - $1.value) < 1e-12 },
                    "round \(round)")
                expectEqual(found, expected.prefix(15).map(\.key), "round \(round)")
                try expectEqual(
                    base.hybridSearch(
                        matching: pattern, in: "document_ft", nearestTo: query, in: \.embedding,
                        by: metric,
                        count: 15, rankConstant: constant
                    ).fetchAll(db).map(\.id),
                    found)
            }
            expectError(DatabaseError.self) {
                try Document.all().hybridSearch(
                    matching: nil, in: "document_ft", nearestTo: vector(), in: \.embedding, by: .l2,
                    count: -1
                ).fetchAll(db)
            }
        }
    }
}
