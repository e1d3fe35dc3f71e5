import GRDBServer
@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct VectorTests {
    // MARK: - Blobs

    @Test func blobsAreLittleEndianFloats() throws {
        let vector: FloatVector = [1, -2, 0.5]
        let blob = Data([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f])
        expectEqual(vector.databaseValue, blob.databaseValue)
        expectEqual(FloatVector.fromDatabaseValue(blob.databaseValue), vector)
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try expectEqual(
                String.fetchOne(db, sql: "SELECT hex(?)", arguments: [vector]),
                "0000803F000000C00000003F")
            try expectEqual(FloatVector.fetchOne(db, sql: "SELECT ?", arguments: [vector]), vector)
            try expectEqual(FloatVector.fetchOne(db, sql: "SELECT zeroblob(0)"), [])
            try expectEqual(
                Data.fetchOne(db, sql: "SELECT ?", arguments: [[127, -128, 0] as Int8Vector]),
                Data([0x7f, 0x80, 0]))
            let bits = try BitVector([true, false, false, false, false, false, false, true])
            try expectEqual(Data.fetchOne(db, sql: "SELECT ?", arguments: [bits]), Data([0x81]))
            try expectEqual(BitVector.fetchOne(db, sql: "SELECT x'81'"), bits)
            try expectEqual(Int8Vector.fetchOne(db, sql: "SELECT x'7f80'"), [127, -128])
            expectEqual(bits.map { $0 ? 1 : 0 }, [1, 0, 0, 0, 0, 0, 0, 1])
        }
    }

    @Test func blobsThatAreNoVectors() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            for sql in ["x'000000'", "x'0000c07f'", "'text'", "1"] {
                expectError(RowDecodingError.self) {
                    try FloatVector.fetchOne(db, sql: "SELECT \(sql)")
                }
                let value = try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)")!
                expectEqual(FloatVector.fromDatabaseValue(value), nil)
            }
            for sql in ["'text'", "1"] {
                expectError(RowDecodingError.self) {
                    try Int8Vector.fetchOne(db, sql: "SELECT \(sql)")
                }
                expectError(RowDecodingError.self) {
                    try BitVector.fetchOne(db, sql: "SELECT \(sql)")
                }
            }
            try expectEqual(FloatVector?.fetchOne(db, sql: "SELECT NULL"), .some(nil))
        }
    }

    @Test func vectorsWithNaNAreNotStored() throws {
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try db.execute(sql: "CREATE TABLE t(v BLOB)")
            let vector: FloatVector = [1, .nan]
            expectEqual(vector._storableDatabaseValue, nil)
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [vector])
            }
            expectEqual(error?.resultCode, .SQLITE_TOOBIG)
            expectError(DatabaseError.self) {
                try db.execute(literal: "INSERT INTO t VALUES (\(vector))")
            }
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            expectError(DatabaseError.self) { try statement.execute(arguments: [vector]) }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            let infinite: FloatVector = [.infinity, 1]
            try statement.execute(arguments: [infinite])
            try expectEqual(FloatVector.fetchOne(db, sql: "SELECT v FROM t"), infinite)
        }
    }

    @Test func vectorsAreCollections() throws {
        var vector = FloatVector([0.1, 0.2, 0.3] as [Double])
        expectEqual(vector.elements, [0.1, 0.2, 0.3])
        vector[1] = 7
        expectEqual(Array(vector), [0.1, 7, 0.3])
        expectEqual(vector.count, 3)
        expectEqual(Set([vector, vector]).count, 1)
        var bits = BitVector(bytes: [0, 0])
        bits[9] = true
        bits[0] = true
        bits[0] = false
        expectEqual(bits.bytes, [0, 2])
        expectEqual("\(bits)", "0000000001000000")
        expectEqual(([3, 4] as FloatVector).normalized(), [0.6, 0.8])
        expectEqual(([0, 0] as FloatVector).normalized(), nil)
        expectEqual(([1e-30, 0] as FloatVector).normalized(), [1, 0])
        expectEqual(([.nan, 1] as FloatVector).normalized(), nil)
        expectEqual(([.infinity, 1] as FloatVector).normalized(), nil)
    }

    @Test func vectorsAreCodable() throws {
        struct Document: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id: Int64
            var floats: FloatVector
            var bytes: Int8Vector?
            var bits: BitVector?
        }
        let document = Document(
            id: 1, floats: [1, 2], bytes: [1, -1], bits: BitVector(bytes: [3]))
        let json = try JSONEncoder().encode(document)
        try expectEqual(JSONDecoder().decode(Document.self, from: json), document)
        expectEqual(
            String(decoding: try JSONEncoder().encode(document.floats), as: UTF8.self),
            "[1,2]")
        try TestDatabases.makeQueue().write { (db: Database) throws in
            try db.execute(
                sql: "CREATE TABLE document(id INTEGER PRIMARY KEY, floats, bytes, bits)")
            try document.insert(db)
            try expectEqual(
                String.fetchOne(
                    db, sql: "SELECT typeof(floats) || typeof(bytes) || typeof(bits) FROM document"),
                "blobblobblob")
            try expectEqual(Document.fetchAll(db), [document])
        }
    }

    // MARK: - Quantization

    @Test func quantizationToBytes() throws {
        // What sqlite-vec 0.1.9 returns for vec_quantize_int8(…, 'unit').
        let vector: FloatVector = [-1, -0.5, -0.1, 0, 0.1, 0.5, 1]
        try expectEqual(
            Int8Vector(quantizing: vector, over: -1...1),
            [-128, -64, -13, 0, 12, 63, 126])
        try expectEqual(
            Int8Vector(quantizing: [-5, 5, .infinity, -.infinity], over: -1...1),
            [-128, 127, 127, -128])
        try expectEqual(Int8Vector(quantizing: [], over: -1...1), [])
        expectError(DatabaseError.self) { try Int8Vector(quantizing: [.nan], over: -1...1) }
        expectError(DatabaseError.self) { try Int8Vector(quantizing: [1], over: 1...1) }
        expectError(DatabaseError.self) {
            try Int8Vector(quantizing: [1], over: -Float.greatestFiniteMagnitude ... .infinity)
        }
        let back = try FloatVector(Int8Vector(quantizing: vector, over: -1...1), over: -1...1)
        for (a, b) in zip(back, vector) { #expect(abs(a - b) < 2.0 / 255) }
        try TestDatabases.makeQueue().read { (db: Database) throws in
            let sql = "SELECT vector_quantize_int8(?, -1, 1)"
            try expectEqual(
                Int8Vector.fetchOne(db, sql: sql, arguments: [vector]),
                Int8Vector(quantizing: vector, over: -1...1))
            try expectEqual(Int8Vector.fetchOne(db, sql: sql, arguments: [FloatVector([])]), [])
            try expectEqual(
                Data?.fetchOne(db, sql: "SELECT vector_quantize_int8(NULL, -1, 1)"),
                .some(nil))
            try expectMessage("vector_quantize_int8(): the range is empty or infinite") {
                try Row.fetchOne(db, sql: "SELECT vector_quantize_int8(x'00000000', 1, 1)")
            }
            try expectMessage("vector_quantize_int8(): the vector contains NaN") {
                try Row.fetchOne(db, sql: "SELECT vector_quantize_int8(x'0000c07f', 0, 1)")
            }
            try expectMessage("vector_quantize_int8(): the vector must be a blob") {
                try Row.fetchOne(db, sql: "SELECT vector_quantize_int8('abcd', 0, 1)")
            }
            try expectMessage(
                "vector_quantize_int8(): a blob of 3 bytes is not a vector of floats"
            ) { try Row.fetchOne(db, sql: "SELECT vector_quantize_int8(x'000000', 0, 1)") }
        }
    }

    @Test func quantizationToBits() throws {
        let vector: FloatVector = [1, -1, 0, 1e-30, -0.0, 3, -3, .infinity]
        let bits = try BitVector(quantizing: vector)
        expectEqual("\(bits)", "10010101")
        expectError(DatabaseError.self) { try BitVector(quantizing: [1]) }
        expectError(DatabaseError.self) { try BitVector([true]) }
        expectError(DatabaseError.self) {
            try BitVector(quantizing: FloatVector([Float](repeating: .nan, count: 8)))
        }
        try TestDatabases.makeQueue().read { (db: Database) throws in
            let sql = "SELECT vector_quantize_bits(?)"
            try expectEqual(BitVector.fetchOne(db, sql: sql, arguments: [vector]), bits)
            try expectMessage(
                "vector_quantize_bits(): the number of dimensions, 1, is not a multiple of 8"
            ) { try Row.fetchOne(db, sql: sql, arguments: [[1] as FloatVector]) }
        }
    }

    // MARK: - Distances

    /// The sum of the squared differences of two vectors, and their dot product.
    private func sums<Number: Numeric>(
        _ x: [Number], _ y: [Number]
    ) -> (squares: Number, dot: Number) {
        var (squares, dot) = (Number.zero, Number.zero)
        for (a, b) in zip(x, y) {
            squares += (a - b) * (a - b)
            dot += a * b
        }
        return (squares, dot)
    }

    @Test func distancesOfEveryLength() throws {
        var generator = SplitMix64(seed: 1)
        try TestDatabases.makeQueue().read { (db: Database) throws in
            for count in Array(1...70) + [384, 1536, 3000] {
                let a = FloatVector(
                    (0..<count).map { _ in Float.random(in: -1...1, using: &generator) })
                let b = FloatVector(
                    (0..<count).map { _ in Float.random(in: -1...1, using: &generator) })
                let x = a.map(Double.init), y = b.map(Double.init)
                let (squares, dot) = sums(x, y)
                let lengths = (sums(x, x).dot * sums(y, y).dot).squareRoot()
                let expected: [VectorMetric: Double] = [
                    .l2: squares.squareRoot(), .squaredL2: squares, .dot: -dot,
                    .cosine: 1 - dot / lengths,
                ]
                for (metric, value) in expected {
                    let distance = try a.distance(to: b, by: metric)
                    #expect(
                        abs(distance - value) <= 1e-5 * max(1, abs(value)), "\(count) \(metric)")
                    let sql = "SELECT \(FloatVector._distanceFunction(metric))(?, ?)"
                    try expectEqual(Double.fetchOne(db, sql: sql, arguments: [a, b]), distance)
                }
                // Integers are exact.
                let p = Int8Vector(
                    (0..<count).map { _ in Int8.random(in: -128...127, using: &generator) })
                let q = Int8Vector(
                    (0..<count).map { _ in Int8.random(in: -128...127, using: &generator) })
                let u = p.map(Int.init), v = q.map(Int.init)
                let (intSquares, intDot) = sums(u, v)
                try expectEqual(p.distance(to: q, by: .squaredL2), Double(intSquares))
                try expectEqual(p.distance(to: q, by: .l2), Double(intSquares).squareRoot())
                try expectEqual(p.distance(to: q, by: .dot), -Double(intDot))
                for metric in VectorMetric.allCases {
                    let sql = "SELECT \(Int8Vector._distanceFunction(metric))(?, ?)"
                    try expectEqual(
                        Double.fetchOne(db, sql: sql, arguments: [p, q]),
                        p.distance(to: q, by: metric))
                }
                let m = BitVector(
                    bytes: (0..<count).map { _ in .random(in: 0...255, using: &generator) })
                let n = BitVector(
                    bytes: (0..<count).map { _ in .random(in: 0...255, using: &generator) })
                let hamming = Double(zip(m, n).count { $0 != $1 })
                try expectEqual(m.distance(to: n, by: .hamming), hamming)
                try expectEqual(
                    Double.fetchOne(
                        db, sql: "SELECT vector_bits_distance_hamming(?, ?)", arguments: [m, n]),
                    hamming)
            }
        }
    }

    @Test func bytesDoNotOverflow() throws {
        let count = 200_000
        let low = Int8Vector([Int8](repeating: -128, count: count))
        let high = Int8Vector([Int8](repeating: 127, count: count))
        try expectEqual(low.distance(to: high, by: .squaredL2), Double(255 * 255 * count))
        try expectEqual(low.distance(to: low, by: .dot), -Double(128 * 128 * count))
        try expectEqual(low.distance(to: high, by: .cosine), 2)
    }

    @Test func extremeNumbers() throws {
        let huge: FloatVector = [1e30, 0], tiny: FloatVector = [1e-30, 1e-30]
        #expect(try abs(huge.distance(to: [-1e30, 0], by: .l2) / 2e30 - 1) < 1e-6)
        #expect(try abs(huge.distance(to: huge, by: .cosine)) < 1e-9)
        #expect(try abs(tiny.distance(to: tiny, by: .cosine)) < 1e-9)
        #expect(try abs(tiny.distance(to: [1, 1], by: .cosine)) < 1e-6)
        try expectEqual(([0, 0] as FloatVector).distance(to: [1, 1], by: .cosine), 1)
        try expectEqual(([0, 0] as Int8Vector).distance(to: [1, 1], by: .cosine), 1)
        try expectEqual(([2, 0] as FloatVector).distance(to: [-1, 0], by: .cosine), 2)
        try expectEqual(([.infinity] as FloatVector).distance(to: [1], by: .l2), .infinity)
        try expectEqual(([] as FloatVector).distance(to: [], by: .l2), 0)
        try expectEqual(([1, 0] as FloatVector).distance(to: [0, 1], by: .dot).sign, .plus)
    }

    @Test func distancesThatFail() throws {
        let one: FloatVector = [1]
        try expectMessage("the vectors have 1 and 2 dimensions") {
            try one.distance(to: [1, 2], by: .l2)
        }
        try expectMessage("the distance is not a number (NaN)") {
            try one.distance(to: [.nan], by: .dot)
        }
        try expectMessage("the vectors have 8 and 16 dimensions") {
            try BitVector(bytes: [1]).distance(to: BitVector(bytes: [1, 2]), by: .hamming)
        }
        try TestDatabases.makeQueue().read { (db: Database) throws in
            let failures = [
                (
                    "vector_distance_l2(x'00000000', x'0000000000000000')",
                    "the vectors have 1 and 2 dimensions"
                ),
                (
                    "vector_distance_cosine(x'000000', x'000000')",
                    "a blob of 3 bytes is not a vector of floats"
                ),
                ("vector_distance_dot('[1]', x'00000000')", "vectors must be blobs"),
                ("vector_distance_l2_squared(x'00000000', 1)", "vectors must be blobs"),
                (
                    "vector_distance_cosine(x'0000c07f', x'0000803f')",
                    "the distance is not a number (NaN)"
                ),
                (
                    "vector_distance_cosine(x'00000000', x'0000c07f')",
                    "the distance is not a number (NaN)"
                ),
                (
                    "vector_distance_l2(x'0000807f', x'0000807f')",
                    "the distance is not a number (NaN)"
                ),
                ("vector_int8_distance_l2(x'00', x'')", "the vectors have 1 and 0 dimensions"),
                (
                    "vector_bits_distance_hamming(x'00', x'0000')",
                    "the vectors have 8 and 16 dimensions"
                ),
            ]
            for (call, message) in failures {
                let name = call.prefix { $0 != "(" }
                try expectMessage("\(name)(): \(message)") {
                    try Row.fetchOne(db, sql: "SELECT \(call)")
                }
            }
            try expectEqual(
                Double?.fetchOne(db, sql: "SELECT vector_distance_l2(NULL, x'00000000')"),
                .some(nil))
            try expectEqual(
                Double.fetchOne(db, sql: "SELECT vector_distance_l2(zeroblob(8), zeroblob(8))"),
                0)
        }
    }

    @Test func schemasMayUseTheFunctions() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        try TestDatabases.makeQueue(.memory, configuration).write { (db: Database) throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(
                        v BLOB CHECK (vector_distance_l2(v, v) = 0),
                        bits BLOB AS (vector_quantize_bits(v)));
                    CREATE INDEX byLength ON t(vector_distance_l2(v, zeroblob(32)));
                    """)
            let vector = FloatVector((1...8).map { Float($0) })
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [vector])
            try expectEqual(
                BitVector.fetchOne(db, sql: "SELECT bits FROM t"),
                BitVector(bytes: [0xff]))
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES (x'00')")
            }
            try db.checkIntegrity()
        }
    }

    private func expectMessage<Result>(
        _ message: String, line: Int = #line,
        _ body: () throws -> Result
    ) throws {
        let error = expectError(DatabaseError.self, line: line) {
            _ = try body()
        }
        expectEqual(error?.message, message, line: line)
        expectEqual(error?.resultCode, .SQLITE_ERROR, line: line)
    }
}
