import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Team: Codable, Equatable {
    var name: String
    var color: String?
}

private struct Membership: Decodable, FetchableRecord, Equatable {
    var id: Int
    var team: TeamRecord?
}

private struct StrictMembership: Decodable, FetchableRecord {
    var id: Int
    var team: TeamRecord
}

private struct PlainMembership: Decodable, FetchableRecord {
    var id: Int
    var team: Team
}

private struct TeamRecord: Decodable, FetchableRecord, Equatable {
    var name: String
    var color: String?
    var isFetched = false

    enum CodingKeys: CodingKey {
        case name, color
    }

    init(name: String, isFetched: Bool) {
        self.name = name
        self.isFetched = isFetched
    }

    init(row: Row) throws {
        self = try FetchableRecordDecoder().decode(TeamRecord.self, from: row)
        isFetched = true
    }
}

let teamAdapter = ScopeAdapter(
    base: RangeRowAdapter(0..<1), scopes: ["team": SuffixRowAdapter(fromIndex: 1)])

/// Nested records are decoded from scopes.
extension RowDecodingTests {
    @Test func nestedRecordsAreDecodedFromScopes() throws {
        try read { db in
            let sql = "SELECT 1 AS id, 'Reds' AS name, NULL AS color UNION ALL SELECT 2, NULL, NULL"
            let memberships = try Membership.fetchAll(db, sql: sql, adapter: teamAdapter)
            expectEqual(
                memberships,
                [
                    Membership(id: 1, team: TeamRecord(name: "Reds", isFetched: true)),
                    Membership(id: 2, team: nil),
                ])
            // The scope of a decodable type that is no record
            let plain = try PlainMembership.fetchOne(db, sql: sql, adapter: teamAdapter)
            expectEqual(plain?.team, Team(name: "Reds"))
            expectError(
                """
                could not decode String from database value NULL - column: "name", \
                column index: 1, sql: `\(sql)`
                """
            ) {
                try StrictMembership.fetchAll(db, sql: sql, adapter: teamAdapter)
            }
        }
    }

    @Test func deepScopesAreFound() throws {
        try read { db in
            let adapter = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["deep": teamAdapter])
            let membership = try Membership.fetchOne(
                db, sql: "SELECT 1 AS id, 'Reds' AS name", adapter: adapter)
            expectEqual(membership?.team?.name, "Reds")
        }
    }

    @Test func missingScopesAreDecodedFromTheRowItself() throws {
        try read { db in
            let sql = "SELECT 1 AS id, 'Reds' AS name"
            let plain = try PlainMembership.fetchOne(db, sql: sql)
            expectEqual(plain?.team, Team(name: "Reds"))
            try expectEqual(Membership.fetchOne(db, sql: sql)?.team, nil)
        }
    }
}
