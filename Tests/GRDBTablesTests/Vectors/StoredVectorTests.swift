@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Vectors of integers and of bits, bound to statements, and read from copied rows.
@Suite(.databases) struct StoredVectorTests {
    private let numbers: Int8Vector = [127, -128, 0]

    @Test func vectorsAreBoundAndRead() throws {
        let bits = try BitVector([true, false, false, false, false, false, false, true])
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (numbers BLOB, bits BLOB)")
            let insertion = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            try insertion.execute(arguments: [numbers, bits])
            try db.execute(literal: "INSERT INTO t VALUES (\(numbers), \(bits))")
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM t")
            for row in rows {
                expectEqual(row["numbers"], Data([127, 128, 0]))
                expectEqual(row["bits"], Data([0x81]))
                let value: DatabaseValue = row["numbers"]
                expectEqual(Int8Vector.fromDatabaseValue(value), numbers)
                expectEqual(BitVector.fromDatabaseValue(row["bits"]), bits)
                expectEqual(row["numbers"], numbers)
                expectEqual(row["bits"], bits)
            }
            expectEqual(rows.count, 2)
        }
    }

    @Test func otherValuesAreNoVectors() {
        for value in ["text".databaseValue, 1.databaseValue, .null] {
            expectEqual(Int8Vector.fromDatabaseValue(value), nil)
            expectEqual(BitVector.fromDatabaseValue(value), nil)
        }
    }

    @Test func elementsAreReplaced() {
        var vector = numbers
        vector[1] = 5
        expectEqual(vector, [127, 5, 0])
        expectEqual(vector.description, "[127, 5, 0]")
        let floats: FloatVector = [1, 2]
        expectEqual(floats.withContiguousStorageIfAvailable { Array($0) }, [1, 2])
    }
}
