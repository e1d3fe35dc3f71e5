import GRDB

/// Suites that ask about parcels by common tables.
protocol ParcelTableExpressions: ParcelQueries {}

extension ParcelTableExpressions {
    var wide: CommonTableExpression<Row> {
        CommonTableExpression(
            named: "wide", request: Parcel.select(width, height).filter(width != nil))
    }
    var wideSQL: CommonTableExpression<Row> {
        CommonTableExpression(
            named: "wide", sql: "SELECT width AS w FROM parcel WHERE width > ?", arguments: [0])
    }
    var wideLiteral: CommonTableExpression<Row> {
        CommonTableExpression(
            named: "wide", literal: "SELECT width AS w FROM parcel WHERE width > \(0)")
    }
    var sides: CommonTableExpression<Row> {
        CommonTableExpression(
            named: "wide", columns: ["side1", "x2"], request: Parcel.select(width, height))
    }
    var pair: CommonTableExpression<Row> {
        CommonTableExpression(named: "wide", columns: ["side1", "side 2"], sql: "SELECT 1, 2")
    }
    var parcels: CommonTableExpression<Parcel> {
        CommonTableExpression(named: "wide", request: Parcel.filter(width == 1))
    }
    var counter: CommonTableExpression<Row> {
        CommonTableExpression(
            recursive: true, named: "counter", columns: ["number"],
            sql: "SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < 5")
    }
    var again: CommonTableExpression<Row> {
        CommonTableExpression(recursive: true, named: "again", request: Parcel.all())
    }
    var starred: CommonTableExpression<Row> {
        CommonTableExpression(named: "starred", request: Courier.select(Column("stars")))
    }
    var odd: CommonTableExpression<Row> {
        CommonTableExpression(named: "odd name", request: Courier.all())
    }
    var widest: CommonTableExpression<Row> {
        CommonTableExpression(
            named: "widest", request: wide.all().with(wide).filter(width == 1))
    }
    var starredParcel: JoinAssociation<Parcel, Row> {
        let width = width
        return Parcel.association(to: starred, on: { $0[width] == $1["stars"] })
    }
    var brief: CommonTableExpression<BriefParcel> {
        CommonTableExpression(named: "brief", request: BriefParcel.all())
    }
    var ancestors: CommonTableExpression<Folder> {
        CommonTableExpression(
            recursive: true, named: "ancestor",
            literal: """
                SELECT * FROM folder WHERE id = \(3) UNION ALL \
                SELECT folder.* FROM folder JOIN ancestor ON ancestor.parentId = folder.id
                """)
    }
}
