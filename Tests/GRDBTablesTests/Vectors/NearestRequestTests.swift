import GRDBQueries
@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct NearestRequestTests {
    struct Document: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var authorID: Int64?
        var embedding: FloatVector?

        enum Columns {
            static let id = Column("id")
            static let embedding = Column("embedding")
        }

        static let author = belongsTo(Author.self)
    }

    struct TypedDocument: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "document"
        var id: Int64

        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let embedding = TypedColumn<FloatVector?>("embedding")
            static let bytes = TypedColumn<Int8Vector>("bytes")
            static let bits = TypedColumn<BitVector>("bits")
        }
    }

    struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var distance: String
    }

    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { (db: Database) throws in
            try db.create(table: "author") { t in
                t.primaryKey("id", .integer)
                t.column("distance", .text)
            }
            try db.create(table: "document") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("author")
                t.column("embedding", .blob)
                t.column("bytes", .blob).generatedAs(
                    sql: "vector_quantize_int8(embedding, 0, 255)")
                t.column("bits", .blob)
            }
            try Author(id: 1, distance: "far").insert(db)
            // On a line, from 0 on.
            for id in 0..<20 {
                let vector = FloatVector([Float(id)] + [Float](repeating: 1, count: 7))
                try Document(id: Int64(id), authorID: id % 2 == 0 ? 1 : nil, embedding: vector)
                    .insert(db)
            }
            try db.execute(sql: "UPDATE document SET bits = vector_quantize_bits(embedding)")
            try Document(id: 100, embedding: nil).insert(db)
        }
        return writer
    }

    private let query: FloatVector = [7.2, 1, 1, 1, 1, 1, 1, 1]

    /// The key of the distance may be the name of another selected column.
    @Test func distancesThatAreNamedAsColumns() throws {
        try makeWriter().write { (db: Database) throws in
            try db.execute(
                sql: "ALTER TABLE document ADD COLUMN Distance; UPDATE document SET Distance = id")
            let other = Column("id").forKey("near")
            func nearest(_ request: QueryInterfaceRequest<Document>, _ key: String) throws -> [Int]
            {
                try request
                    .nearest(
                        to: query, in: Column("embedding"), count: 3, by: .l2, distanceKey: key
                    )
                    .asRequest(of: Row.self).fetchAll(db).map { $0["id"] }
            }
            let requests = [
                Document.all(), Document.select(Column("id"), Column("Distance")),
                Document.select(Column("id"), other),
                Document.select(Column("id")).annotated(with: other),
                Document.all().including(optional: Document.author),
            ]
            for (index, request) in requests.enumerated() {
                for key in ["distance", "near", "id"] {
                    try expectEqual(nearest(request, key), [7, 8, 6], "\(index) \(key)")
                }
            }
            // In a subquery, which may refer to tables around it.
            let alias = TableAlias(name: "a")
            let inner = Document.all().aliased(alias)
                .nearest(
                    to: query, in: Column("embedding"), count: 1, by: .l2, distanceKey: "distance")
            try expectEqual(Document.filter(inner.exists()).fetchCount(db), 21)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func nearestRows(kind: DatabaseKind) throws {
        try makeWriter(kind).read { (db: Database) throws in
            let requests = [
                Document.nearest(to: query, in: \.embedding, count: 3, by: .l2),
                Document.nearest(to: query, in: { $0.embedding }, count: 3, by: .l2),
                Document.all().order(\.id).limit(1)
                    .nearest(to: query, in: Column("embedding"), count: 3, by: .l2),
                Document.all().nearest(to: query, in: \.embedding, count: 3, by: .l2),
            ]
            for request in requests {
                let statement = try request.makePreparedRequest(db).statement
                expectEqual(
                    statement.sql,
                    """
                    SELECT * FROM "document" WHERE "embedding" IS NOT NULL \
                    ORDER BY vector_distance_l2("embedding", ?) LIMIT 3
                    """)
                try expectEqual(request.fetchAll(db).map(\.id), [7, 8, 6])
            }
            for metric in VectorMetric.allCases {
                let ids = try Document.nearest(to: query, in: \.embedding, count: 30, by: metric)
                    .fetchAll(db).map(\.id)
                let expected = try Document.filter { $0.embedding != nil }.fetchAll(db)
                    .map { ($0.id, try $0.embedding!.distance(to: query, by: metric)) }
                    .sorted { $0.1 < $1.1 }.map(\.0)
                expectEqual(ids, expected)
            }
        }
    }

    @Test func theDistanceIsSelected() throws {
        try makeWriter().read { (db: Database) throws in
            let request =
                Document
                .nearest(
                    to: query, in: \.embedding, count: 2, by: .squaredL2, distanceKey: "distance")
            try expectEqual(
                request.makePreparedRequest(db).statement.sql,
                """
                SELECT *, vector_distance_l2_squared("embedding", ?) AS "distance" \
                FROM "document" WHERE "embedding" IS NOT NULL ORDER BY "distance" LIMIT 2
                """)
            let rows = try Row.fetchAll(db, request)
            expectEqual(rows.map { $0["id"] as Int }, [7, 8])
            expectEqual(rows.map { (($0["distance"] as Double) * 100).rounded() }, [4, 64])
        }
    }

    @Test func filtersAndAssociations() throws {
        try makeWriter().read { (db: Database) throws in
            let even = Document.filter { $0.id % 2 == 0 }
                .nearest(to: query, in: \.embedding, count: 2, by: .l2)
            try expectEqual(even.fetchAll(db).map(\.id), [8, 6])
            // The other table has a column that is named like the distance.
            let joined = Document.joining(required: Document.author)
                .nearest(to: query, in: \.embedding, count: 2, by: .l2, distanceKey: "distance")
            try expectEqual(joined.fetchAll(db).map(\.id), [8, 6])
            let including = Document.including(optional: Document.author)
                .nearest(to: query, in: \.embedding, count: 3, by: .l2, distanceKey: "distance")
            let rows = try Row.fetchAll(db, including)
            expectEqual(rows.map { $0["id"] as Int }, [7, 8, 6])
            expectEqual(
                rows.map { $0.scopes["author"]?["distance"] as String? },
                [nil, "far", "far"])
            let authors = Author.filter(
                Document.nearest(to: query, in: \.embedding, count: 2, by: .l2)
                    .select(Column("authorId")).contains(Column("id")))
            try expectEqual(authors.fetchCount(db), 1)
            let alias = TableAlias(name: "d")
            let aliased = Document.aliased(alias)
                .order(alias[Column("embedding").distance(to: query, by: VectorMetric.l2)])
                .filter { $0.embedding != nil }
            try expectEqual(aliased.fetchOne(db)?.id, 7)
        }
    }

    @Test func typedColumns() throws {
        try makeWriter().read { (db: Database) throws in
            let floats = TypedDocument.nearest(to: query, in: \.embedding, count: 1, by: .cosine)
            try expectEqual(floats.fetchOne(db)?.id, 7)
            let bytes = try Int8Vector(quantizing: query, over: 0...255)
            let nearBytes = TypedDocument.filter { $0.id < 20 }
                .nearest(to: bytes, in: \.bytes, count: 1, by: .squaredL2)
            try expectEqual(nearBytes.fetchAll(db).map(\.id), [8])
            let bits = try BitVector(quantizing: query)
            let nearBits = TypedDocument.nearest(to: bits, in: { $0.bits }, count: 30, by: .hamming)
            // All but the first have the same bits.
            try expectEqual(nearBits.fetchAll(db).last?.id, 0)
            let distances: [Double?] =
                try TypedDocument
                .filter { $0.id == 3 || $0.id == 100 }.order(\.id)
                .select { $0.embedding.distance(to: query, by: .squaredL2) }.fetchAll(db)
            expectEqual(distances.count, 2)
            #expect(abs(distances[0]! - 17.64) < 1e-4)
            expectEqual(distances[1], nil)
            let hamming: [Double] = try TypedDocument.filter { $0.id < 2 }.order(\.id)
                .select { $0.bits.distance(to: $0.bits, by: .hamming) }.fetchAll(db)
            expectEqual(hamming, [0, 0])
            let fromBits: [Double] = try TypedDocument.filter { $0.id == 8 }
                .select { $0.bits.distance(to: bits, by: .hamming) }.fetchAll(db)
            expectEqual(fromBits, [0])
            let untyped = Document.filter { $0.id < 2 }.select(
                [
                    Column("embedding").distance(
                        to: Column("embedding"), as: FloatVector.self, by: .l2)
                ], as: Double.self)
            try expectEqual(untyped.fetchAll(db), [0, 0])
        }
    }

    @Test func searchesThatFail() throws {
        try makeWriter().write { (db: Database) throws in
            expectMessage("the count of nearest rows is negative: -1") {
                try Document.nearest(to: query, in: \.embedding, count: -1, by: .l2).fetchAll(db)
            }
            try expectTrue(
                Document.nearest(to: query, in: \.embedding, count: 0, by: .l2).fetchAll(db)
                    .isEmpty)
            expectMessage("vector_distance_l2(): the vectors have 8 and 2 dimensions") {
                try Document.nearest(to: [1, 2] as FloatVector, in: \.embedding, count: 1, by: .l2)
                    .fetchAll(db)
            }
            expectError(DatabaseError.self) {
                try Document.nearest(to: [.nan] as FloatVector, in: \.embedding, count: 1, by: .l2)
                    .fetchAll(db)
            }
            expectMessage("vector_distance_l2(): vectors must be blobs") {
                try Document.all()
                    .nearest(to: query, in: Column("authorID"), count: 1, by: .l2).fetchAll(db)
            }
        }
    }

    /// Without this, a search would cost twice as much.
    @Test func eachDistanceIsComputedOnce() throws {
        let calls = Log<Int>()
        let counting = DatabaseFunction("vector_distance_l2", argumentCount: 2, pure: true) { _ in
            calls.append(1)
            return 1.0
        }
        try makeWriter().write { (db: Database) throws in
            db.add(function: counting)
            for key in [nil, "distance"] {
                _ = try Row.fetchAll(
                    db,
                    Document.nearest(
                        to: query, in: \.embedding, count: 5, by: .l2, distanceKey: key))
                expectEqual(calls.removeAll().count, 20)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases) func searchesAreObserved(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let request = Document.nearest(to: query, in: \.embedding, count: 1, by: .l2)
        let ids = Log<Int64?>()
        let cancellable = ValueObservation.tracking { try request.fetchOne($0)?.id }.start(
            in: writer, scheduling: EagerScheduler(), onError: { Issue.record($0) },
            onChange: { ids.append($0) })
        defer { cancellable.cancel() }
        try writer.write { _ = try Document.deleteOne($0, key: 7) }
        expectEqual(ids.wait(forCount: 2), [7, 8])
    }

    private func expectMessage<Result>(
        _ message: String, line: Int = #line,
        _ body: () throws -> Result
    ) {
        let error = expectError(DatabaseError.self, line: line) {
            _ = try body()
        }
        expectEqual(error?.message, message, line: line)
    }
}
