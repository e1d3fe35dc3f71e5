import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

/// The regions of requests.
@Suite(.databases) struct RequestRegionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func regions() throws {
        try expectRegion(
            Parcel.all(), "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(Parcel.none(), "empty")
        try expectRegion(Parcel.select(width), "parcel(width)")
        try expectRegion(Parcel.select(width).filter(height == 1), "parcel(height,width)")
        try expectRegion(Parcel.select(width, height).order(depth), "parcel(depth,height,width)")
    }

    @Test func regionsOfPrimaryKeys() throws {
        try expectRegion(
            Parcel.filter(key: 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(id: 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(ids: [1, 2]),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1,2]")
        try expectRegion(Parcel.filter(ids: [Int64]()), "empty")
        try expectRegion(
            Parcel.filter(id == 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(1 == id),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(id == 1 && width == 2),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(id == 1 || id == 2),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1,2]")
        try expectRegion(
            Parcel.filter(id == 1 || width == 2),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(Parcel.filter(id == 1).filter(id == 2), "empty")
        try expectRegion(
            Parcel.filter([1, 2].contains(id)).filter([2, 3].contains(id)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[2]")
        try expectRegion(
            Parcel.filter([1, 2].contains(id)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1,2]")
        try expectRegion(
            Parcel.filter(![1, 2].contains(id)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(id != 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(id > 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter((1...3).contains(id)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
    }

    @Test func regionsOfOtherValues() throws {
        try expectRegion(Parcel.filter(id == nil), "empty")
        try expectRegion(
            Parcel.filter(id === 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(id == "1"),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(id == 1.5),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(id == 2.0),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(id == "x"),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
    }

    @Test func regionsOfNamesOfTheRowID() throws {
        try expectRegion(
            Parcel.filter(Column.rowID == 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(Column("ID") == 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(Column("ROWID") == 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(
            Parcel.filter(Column("oid") == 1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(sql: "id = 1"),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
    }

    @Test(
        .disabled(
            if: Database.sqliteLibVersionNumber >= 3_054_000, "SQLite 3.54 reads other columns"))
    func regionsOfKeysAndSubqueries() throws {
        try expectRegion(Parcel.filter(key: 1).select(width), "parcel(id,width)[1]")
        try expectRegion(
            Parcel.filter(key: 1).limit(1),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
        try expectRegion(Parcel.filter(id == Parcel.select(max(id))), "parcel(*)")
        try expectRegion(
            Parcel.filter(Parcel.select(id).contains(id)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            Parcel.filter(key: 1).filter(Courier.filter(key: 2).exists()),
            "courier(email,first,id,last,stars),parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)"
        )
        try expectRegion(
            Parcel.filter(Courier.filter(key: 2).exists()),
            "courier(email,first,id,last,stars),parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)"
        )
        try expectRegion(
            Parcel.filter(id == 1).annotated(with: Courier.filter(id == 3).select(Column("stars"))),
            "courier(id,stars),parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)"
        )
    }

    @Test func regionsOfOtherTables() throws {
        try expectRegion(Courier.filter(key: ["email": "e1"]), "courier(email,first,id,last,stars)")
        try expectRegion(Slot.filter(key: ["shelf": 1, "place": "a"]), "slot(load,place,shelf)")
        try expectRegion(Scan.filter(key: 1), "scan(ROWID,height,width)[1]")
        try expectRegion(Hub.filter(key: "A"), "hub(code,load)")
        try expectRegion(Hub.filter(Column.rowID == 1), "hub(ROWID,code,load)[1]")
        try expectRegion(Zone.filter(key: "A"), "zone(code,load)")
        try expectRegion(ParcelView.all(), "parcel(id,label,width),parcelView(id,label,width)")
        try expectRegion(
            ParcelView.filter(id == 1), "parcel(id,label,width),parcelView(id,label,width)")
    }

    @Test func regionsOfSelections() throws {
        try expectRegion(Parcel.select(count(width)), "parcel(width)")
        try expectRegion(Parcel.select(count(id)), "parcel(*)")
        try expectRegion(Parcel.select(.rowID), "parcel(*)")
        try expectRegion(Parcel.select(1.databaseValue), "parcel(*)")
        try expectRegion(
            Parcel.limit(0), "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(Memo.all(), "memo(body)")
        try expectRegion(SQLRequest<Row>("SELECT width FROM parcel"), "parcel(width)")
        try expectRegion(
            Parcel.all().adapted { _ in EmptyRowAdapter() },
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)")
        try expectRegion(
            AnyFetchRequest(Parcel.filter(key: 1)),
            "parcel(contents,depth,height,id,isFragile,label,sentOn,weight,width)[1]")
    }

    /// A filter on the columns of an alias tells which rows are read, when it is one of the table.
    @Test func aliasedColumns() throws {
        let columns = "contents,depth,height,id,isFragile,label,sentOn,weight,width"
        let (alias, named) = (TableAlias<Parcel>(), TableAlias<Parcel>(name: "p"))
        let courier = TableAlias<Courier>()
        let parcels = Parcel.aliased(alias)
        try expectRegion(parcels.filter(alias[id] == 1), "parcel(\(columns))[1]")
        try expectRegion(parcels.filter(alias[id == 1]), "parcel(\(columns))[1]")
        try expectRegion(parcels.filter { _ in alias.id == 1 }, "parcel(\(columns))[1]")
        try expectRegion(parcels.filter([1, 2].contains(alias[id])), "parcel(\(columns))[1,2]")
        try expectRegion(parcels.filter(!(alias[id] == 1)), "parcel(\(columns))")
        try expectRegion(
            Parcel.aliased(named).filter(named[id] == 1 || named[Column.rowID] == 2),
            "parcel(\(columns))[1,2]")
        let joined = parcels.joining(
            required: Parcel.association(to: Courier.self).aliased(courier))
        try expectRegion(joined.filter(alias[id] == 2), "courier(*),parcel(\(columns))[2]")
        try expectRegion(joined.filter(courier[id] == 1), "courier(*),parcel(\(columns))")
        try expectRegion(
            joined.filter(courier[id] == 1 && alias[id] == 2), "courier(*),parcel(\(columns))[2]")
        try expectRegion(
            joined.filter(courier[id] == 1 || alias[id] == 2), "courier(*),parcel(\(columns))")
    }

    /// Many values are bound as an array, which is read from a table that does not exist.
    @Test func manyValues() throws {
        let columns = "contents,depth,height,id,isFragile,label,sentOn,weight,width"
        let ids = (1...200).map { Int64($0) }
        let rows = ids.map { "\($0)" }.joined(separator: ",")
        try expectRegion(Parcel.filter(ids: ids), "parcel(\(columns))[\(rows)]")
        let optionalIDs: [Int64?] = ids + [nil]
        try expectRegion(
            Parcel.filter(optionalIDs.contains(id)), "parcel(\(columns))[\(rows)]")
        try expectRegion(
            Parcel.filter(ids.map { "l\($0)" }.contains(label)), "parcel(\(columns))")
        try expectRegion(
            Parcel.filter(ids: ids).filter(Courier.select(id).contains(id)),
            "courier(id),parcel(\(columns))")
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE carray (value)") }
        try expectRegion(Table("carray").all(), "carray(value)")
    }

    @Test func regionsOfConstantConditions() throws {
        let columns = "contents,depth,height,id,isFragile,label,sentOn,weight,width"
        for value in [1.databaseValue, 2.5.databaseValue, "a".databaseValue, true.databaseValue] {
            try expectRegion(Parcel.filter(value), "parcel(\(columns))")
            try expectRegion(Parcel.filter(id == 1).filter(value), "parcel(\(columns))[1]")
        }
        for value in [0.databaseValue, DatabaseValue.null] {
            try expectRegion(Parcel.filter(value), "empty")
            try expectRegion(Parcel.filter(id == 1).filter(value), "empty")
        }
    }

    // MARK: - Rows of no rows

    /// An aggregate without GROUP BY has a row, whatever the filters, and subqueries may be in it.
    @Test func aggregatesOfNoRows() throws {
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE team(id INTEGER PRIMARY KEY, score)")
        }
        let team = Table("team")
        let best = team.select(max(Column("score"))).sqlExpression
        let none = Parcel.filter(keys: [Int]())
        let requests: [QueryInterfaceRequest<Parcel>] = [
            none.select(count(id), best), none.select(count(id) + best),
            Parcel.none().select(count(id), best),
            Parcel.filter(false.databaseValue).select(max(id), best),
            Parcel.filter(id == nil && id == 1).select(count(id), best),
            none.select(literal: "COUNT(id), (SELECT MAX(score) FROM team)"),
            none.select(literal: "COUNT(id), \(best)"),
            none.select(count(id)).having(best > 1), none.select(count(id)).order(best),
        ]
        for request in requests {
            try dbQueue.read { db in
                let rows = try Row.fetchAll(db, request)
                let region = try request.databaseRegion(db).description
                expectTrue(region.hasSuffix("team(score)"), "\(region): \(rows)")
            }
        }
        // There is no row, or a constant one.
        try expectRegion(none.select(best), "empty")
        try expectRegion(none.select(count(id), best).group(id), "empty")
        try expectRegion(none.select(count(id)), "empty")
        try expectRegion(none.select(literal: "COUNT(id)"), "empty")
        try expectRegion(none.order(best), "empty")
        // The counted rows of a subquery.
        try dbQueue.read { db in
            let rowCount = try none.select(count(id), best).fetchCount(db)
            expectEqual(rowCount, 1)
        }
    }

    /// The value of such a request follows the table of the subquery.
    @Test(arguments: DatabaseKind.allCases)
    func aggregateOfNoRowsIsObserved(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY);
                    CREATE TABLE team(id INTEGER PRIMARY KEY, score);
                    INSERT INTO team VALUES (1, 10);
                    """)
        }
        let best = Table("team").select(max(Column("score"))).sqlExpression
        let request = Table("player").filter(keys: [Int]()).select(count(Column("id")), best)
        let transcript = Transcript()
        for isConstant in [false, true] {
            let fetch: @Sendable (Database) throws -> String = {
                try String(describing: Row.fetchAll($0, request))
            }
            let cancellable =
                isConstant
                ? ValueObservation.trackingConstantRegion(fetch).start(in: writer, transcript)
                : ValueObservation.tracking(fetch).start(in: writer, transcript)
            transcript.wait(count: 1)
            waitForWriter(writer)
            try writer.execute("UPDATE team SET score = score + 1")
            transcript.wait(count: 2)
            cancellable.cancel()
            transcript.removeAll()
        }
    }
}
