import Foundation
import GRDB
import GRDBTables
import GRDBSQLite

// The ten nearest of 100,000 vectors of 384 dimensions, whose twins use the extension sqlite-vec: its
// `vec0` tables, and its functions on an ordinary table. scripts/run-benchmarks vectors installs the extension, and
// passes its path.

private let count = 100_000
private let dimensions = 384

/// The floats, and what they are quantized to, the same in each process.
private let vectors: [FloatVector] = {
    var state: UInt64 = 1
    /// splitmix64
    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
    return (0...count).map { _ in
        FloatVector((0..<dimensions).map { _ in Float(next() >> 40) / Float(1 << 23) - 1 })
            .normalized()!
    }
}()

/// How one kind of vectors is searched with sqlite-vec.
private struct Search<Vector: DatabaseVector> {
    var name: String
    /// The type of the column of a `vec0` table.
    var type: String
    /// The function of sqlite-vec that takes a blob for such a vector.
    var constructor: String
    var distance: String
    var metric: Vector.Metric
    var quantize: (FloatVector) throws -> Vector

    func workloads(extension path: String) -> [Workload] {
        let query = try! quantize(vectors[count])
        let blob = Data.fromDatabaseValue(query.databaseValue)!
        let request = Table<Row>("item")
            .all()
            .nearest(
                to: query, in: Column("embedding"), count: 10, by: metric, distanceKey: "distance"
            )

        func fill(_ db: Database, _ table: String, _ value: String) throws {
            let statement = try db.makeStatement(
                sql: "INSERT INTO \(table) (rowid, embedding) VALUES (?, \(value))")
            for (i, vector) in vectors.dropLast().enumerated() {
                try statement.execute(arguments: [i, quantize(vector)])
            }
        }
        lazy var queue = {
            var configuration = Configuration()
            configuration.loadExtension(at: path)
            let queue = try! DatabaseQueue(configuration: configuration)
            try! queue.write { db in
                try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, embedding BLOB)")
                try fill(db, "item", "?")
                try db.execute(sql: "CREATE VIRTUAL TABLE vec USING vec0(embedding \(type))")
                try fill(db, "vec", "\(constructor)(?)")
            }
            return queue
        }()

        /// Searches by SQL on the same connection: the content is there once.
        func search(_ sql: String) -> Int {
            queue.unsafeRead { db in
                var statement: OpaquePointer?
                precondition(
                    sqlite3_prepare_v3(db.sqliteConnection, sql, -1, 0, &statement, nil)
                        == SQLITE_OK, sql)
                defer { sqlite3_finalize(statement) }
                blob.withUnsafeBytes { bytes in
                    precondition(
                        sqlite3_bind_blob(
                            statement, 1, bytes.baseAddress, CInt(bytes.count), transient)
                            == SQLITE_OK)
                }
                var distances: [Double] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    distances.append(sqlite3_column_double(statement, 0))
                }
                return checksum(distances)
            }
        }
        func library() throws -> Int {
            checksum(try queue.read { db in try request.fetchAll(db).map { $0["distance"] } })
        }

        return [
            Workload(name: "10 nearest of 100k: \(name), vec0 table", count: 1) {
                search(
                    "SELECT distance FROM vec WHERE embedding MATCH \(constructor)(?) AND k = 10 "
                        + "ORDER BY distance")
            } library: {
                try library()
            },
            Workload(name: "10 nearest of 100k: \(name), functions", count: 1) {
                search(
                    "SELECT \(distance)(\(constructor)(embedding), \(constructor)(?1)) AS distance "
                        + "FROM item ORDER BY distance LIMIT 10")
            } library: {
                try library()
            },
        ]
    }

    private func checksum(_ distances: [Double]) -> Int {
        precondition(distances.count == 10)
        return Int((distances.reduce(0, +) * 100).rounded())
    }
}

func vectorWorkloads() -> [Workload] {
    guard let path = ProcessInfo.processInfo.environment["SQLITE_VEC"] else { return [] }
    return Search<FloatVector>(
        name: "floats, cosine", type: "float[\(dimensions)] distance_metric=cosine",
        constructor: "vec_f32", distance: "vec_distance_cosine", metric: .cosine, quantize: { $0 }
    ).workloads(extension: path)
        + Search<FloatVector>(
            name: "floats, L2", type: "float[\(dimensions)]",
            constructor: "vec_f32", distance: "vec_distance_L2", metric: .l2, quantize: { $0 }
        ).workloads(extension: path)
        + Search<Int8Vector>(
            name: "bytes, L2", type: "int8[\(dimensions)]",
            constructor: "vec_int8", distance: "vec_distance_L2", metric: .l2,
            quantize: { try Int8Vector(quantizing: $0, over: -1...1) }
        ).workloads(extension: path)
        + Search<BitVector>(
            name: "bits, Hamming", type: "bit[\(dimensions)]",
            constructor: "vec_bit", distance: "vec_distance_hamming", metric: .hamming,
            quantize: { try BitVector(quantizing: $0) }
        ).workloads(extension: path)
}
