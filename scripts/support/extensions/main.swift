// The program that scripts/check-extensions runs. That script compiles it.
//
//   vec LIBRARY FILE           KNN search with sqlite-vec
//   spatialite LIBRARY FILE    spatial queries, and functions that write
//   vfs LIBRARY FILE           a virtual file system, and a function that writes

import Foundation
import GRDB
import GRDBTables

func check(_ condition: Bool, _ message: String, line: UInt = #line) {
    if condition { return }
    FileHandle.standardError.write(Data("check-extensions: line \(line): not \(message)\n".utf8))
    exit(1)
}

/// Notes the values of an observation, in their order.
final class Values: @unchecked Sendable {
    private let lock = NSLock()
    private var storage: [Int] = []

    func append(_ value: Int) { lock.withLock { storage.append(value) } }
    var last: Int? { lock.withLock { storage.last } }

    /// Waits until the observation has reported a value.
    func wait(for value: Int) -> Bool {
        for _ in 0..<1000 {
            if last == value { return true }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return false
    }
}

/// Observes the number of rows of a table.
func observe(_ table: String, in writer: some DatabaseWriter) -> (Values, AnyDatabaseCancellable) {
    let values = Values()
    let observation = ValueObservation.tracking { try Table(table).fetchCount($0) }
    let cancellable = observation.start(
        in: writer, scheduling: .async(onQueue: DispatchQueue(label: "observation"))
    ) { error in
        check(false, "an observation without an error: \(error)")
    } onChange: {
        values.append($0)
    }
    return (values, cancellable)
}

/// A neighbor of a vector.
struct Neighbor: FetchableRecord, Decodable {
    var rowid: Int64
    var distance: Double
}

func checkVectors(_ library: String, _ path: String) throws {
    var configuration = Configuration()
    configuration.loadExtension(at: library)
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE item USING vec0(embedding float[3])")
    }
    let (counts, cancellable) = observe("item", in: pool)
    try pool.write { db in
        for id in 1...100 {
            try db.execute(
                sql: "INSERT INTO item (rowid, embedding) VALUES (?, vec_f32(?))",
                arguments: [id, "[\(id), \(id), 0]"])
        }
    }
    check(counts.wait(for: 100), "100 rows observed")
    let request = Table("item")
        .select(Column("rowid"), Column("distance"))
        .filter(sql: "embedding MATCH ? AND k = ?", arguments: ["[50.2, 50.2, 0]", 3])
        .order(Column("distance"))
        .asRequest(of: Neighbor.self)
    for neighbors in [
        try pool.read(request.fetchAll), try pool.write(request.fetchAll),
        try pool.makeSnapshot().read(request.fetchAll),
    ] {
        check(neighbors.map(\.rowid) == [50, 51, 49], "the nearest rows: \(neighbors)")
        check(abs(neighbors[0].distance - 0.2828) < 0.001, "the distance: \(neighbors)")
    }
    try pool.write { try $0.execute(sql: "DELETE FROM item WHERE rowid > 90") }
    check(counts.wait(for: 90), "90 rows observed")
    cancellable.cancel()
    let version = try pool.read { try String.fetchOne($0, sql: "SELECT vec_version()") }
    print(
        "sqlite-vec \(version ?? "?"): KNN search on the writer, a reader and a snapshot of a pool")
}

func checkSpatialite(_ library: String, _ path: String) throws {
    var configuration = Configuration()
    configuration.loadExtension(at: library)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // A function that creates tables, and fills them, in a transaction of its own.
    try queue.writeWithoutTransaction { db in
        check(try Bool.fetchOne(db, sql: "SELECT InitSpatialMetaData(1)") == true, "metadata")
        db.clearSchemaCache()
        try db.execute(sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)")
    }
    let (columns, cancellable) = observe("geometry_columns", in: queue)
    check(columns.wait(for: 0), "no geometry")
    try queue.write { db in
        let sql = "SELECT AddGeometryColumn('city', 'place', 4326, 'POINT', 'XY')"
        check(try Bool.fetchOne(db, sql: sql) == true, "a geometry column")
        db.clearSchemaCache()
    }
    check(columns.wait(for: 1), "the row that a function has written observed")
    cancellable.cancel()
    try queue.write { db in
        for (name, longitude, latitude) in [
            ("Paris", 2.35, 48.86), ("Lyon", 4.84, 45.76), ("Tokyo", 139.69, 35.69),
        ] {
            try db.execute(
                sql: "INSERT INTO city (name, place) VALUES (?, MakePoint(?, ?, 4326))",
                arguments: [name, longitude, latitude])
        }
    }
    let request = Table("city")
        .select(Column("name"), as: String.self)
        .filter(
            sql: "ST_Distance(place, MakePoint(?, ?, 4326), 1) < ?",
            arguments: [2.3, 48.8, 500_000]
        )
        .order(Column("name"))
    let names = try queue.read(request.fetchAll)
    check(names == ["Lyon", "Paris"], "the cities within 500 km: \(names)")
    let version = try queue.read { try String.fetchOne($0, sql: "SELECT spatialite_version()") }
    print(
        "SpatiaLite \(version ?? "?"): spatial queries, and rows written by functions are observed")
}

func checkFiles(_ library: String, _ path: String) throws {
    // The file system must be known before a file is opened. It stays when the connection is closed.
    let loader = try DatabaseQueue()
    try loader.write { try $0.loadExtension(at: library) }
    try loader.close()

    var configuration = Configuration()
    configuration.loadExtension(at: library)
    let queue = try DatabaseQueue(path: "file:\(path)?vfs=files", configuration: configuration)
    try queue.write { db in
        try db.execute(sql: "CREATE TABLE player (name); INSERT INTO player VALUES ('a'), ('b')")
    }
    check(FileManager.default.fileExists(atPath: path), "a file")
    let (counts, cancellable) = observe("player", in: queue)
    try queue.write { try $0.execute(sql: "SELECT files_clear()") }
    check(counts.wait(for: 0), "a function that writes observed")
    cancellable.cancel()
    do {
        _ = try DatabaseQueue(path: "file:\(path)?vfs=unknown")
        check(false, "an error")
    } catch let error as DatabaseError {
        check(error.message?.contains("no such vfs: unknown") == true, "the reason: \(error)")
    }
    print(
        "an extension compiled with another header: a virtual file system, and a function that writes"
    )
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "vec" where arguments.count == 4: try checkVectors(arguments[2], arguments[3])
case "spatialite" where arguments.count == 4: try checkSpatialite(arguments[2], arguments[3])
case "vfs" where arguments.count == 4: try checkFiles(arguments[2], arguments[3])
default:
    check(false, "vec, spatialite or vfs, a library and a file")
}
