@testable import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport

/// What the lists of the tests are made of.
struct ListedPlayer: Equatable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"

    var id: Int64
    var name: String
    var team: String
    var score: Int

    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        team = row["team"]
        score = row["score"]
    }

    static let schema = """
        CREATE TABLE player(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT NOT NULL, score INTEGER NOT NULL);
        """

    /// Creates a database of three players, and of another table.
    static func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.execute(
            schema + """
                CREATE TABLE other(a);
                INSERT INTO player VALUES
                    (1, 'Arthur', 'blue', 10), (2, 'Barbara', 'red', 20), (3, 'Craig', 'blue', 30);
                """)
        return writer
    }

    static let byScore = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player ORDER BY score, id")

    /// Changes the table somehow.
    static func edit(_ db: Database, _ random: inout SplitMix64) throws {
        func int(_ upperBound: Int) -> Int { Int.random(in: 0..<upperBound, using: &random) }
        func team() -> String { ["blue", "green", "red", "white", "black"][int(5)] }
        let id = int(40)
        switch int(100) {
        case 0..<35:
            try db.execute(
                sql: "INSERT OR REPLACE INTO player VALUES (?, ?, ?, ?)",
                arguments: [id, "n\(int(3))", team(), int(50)])
        case 35..<55:
            try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [id])
        case 55..<70:
            try db.execute(
                sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [int(50), id])
        case 70..<80:
            try db.execute(
                sql: "UPDATE player SET name = ? WHERE id = ?", arguments: ["n\(int(3))", id])
        case 80..<88:
            try db.execute(
                sql: "UPDATE player SET team = ? WHERE id = ?", arguments: [team(), id])
        case 88..<92:
            try db.execute(
                sql: "UPDATE OR REPLACE player SET id = ? WHERE id = ?", arguments: [int(40), id])
        case 92..<95:
            try db.execute(
                sql: "UPDATE player SET score = 50 - score WHERE team = ?", arguments: [team()])
        case 95..<98:
            try db.execute(
                sql: "UPDATE player SET team = ? WHERE team = ?", arguments: [team(), team()])
        case 98:
            try db.execute(sql: "DELETE FROM player WHERE team = ?", arguments: [team()])
        default:
            if int(4) == 0 { try db.execute(sql: "DELETE FROM player") }
        }
    }
}

/// What a table view without sections shows, if it is only told of changes.
struct SimulatedListView {
    private(set) var cells: [ListedPlayer] = []
    private(set) var faults: [String] = []

    mutating func apply(_ change: ListChange<ListedPlayer>) {
        let former = cells
        if former.applying(change.difference) != change.elements {
            faults.append("\(change.difference) does not lead from \(former) to \(change.elements)")
        }
        for item in change.deletions where former[item.index] != item.element {
            faults.append("\(item) was not deleted from \(former)")
        }
        // Deletions first, then insertions, each by increasing index.
        let removed = change.deletions.map(\.index) + change.moves.map(\.oldIndex)
        for index in removed.sorted(by: >) {
            cells.remove(at: index)
        }
        let inserted =
            change.insertions.map { ($0.index, $0.element) }
            + change.moves.map { ($0.index, former[$0.oldIndex]) }
        for (index, cell) in inserted.sorted(by: { $0.0 < $1.0 }) {
            cells.insert(cell, at: index)
        }
        // Then the cells show what has changed.
        for item in change.moves + change.updates {
            check(item, former[item.oldIndex], cells[item.index])
            cells[item.index] = item.element
        }
        if cells != change.elements {
            faults.append("\(cells) is shown instead of \(change.elements)")
        }
    }

    private mutating func check(
        _ item: ListItemChange<ListedPlayer, Int>, _ former: ListedPlayer, _ cell: ListedPlayer
    ) {
        if former != item.oldElement || cell != item.oldElement {
            faults.append("\(cell), which was \(former), is not \(item.oldElement)")
        }
        faults += item.columnFaults
    }
}

/// What a table view with sections shows, if it is only told of changes.
struct SimulatedSectionedView {
    private(set) var sections: [[ListedPlayer]] = []
    private(set) var faults: [String] = []

    mutating func apply(_ change: SectionedListChange<String, ListedPlayer>) {
        let former = sections
        for item in change.deletions where former[item.index[0]][item.index[1]] != item.element {
            faults.append("\(item) was not deleted from \(former)")
        }
        let removed = change.deletions.map(\.index) + change.moves.map(\.oldIndex)
        for path in removed.sorted(by: >) {
            if change.sectionDeletions.contains(path[0]) {
                faults.append("\(path) is deleted with its section")
            }
            sections[path[0]].remove(at: path[1])
        }
        for section in change.sectionDeletions.reversed() {
            sections.remove(at: section)
        }
        for section in change.sectionInsertions {
            sections.insert(change.sections[section].elements, at: section)
        }
        let inserted =
            change.insertions.map { ($0.index, $0.element) }
            + change.moves.map { ($0.index, former[$0.oldIndex[0]][$0.oldIndex[1]]) }
        for (path, cell) in inserted.sorted(by: { $0.0 < $1.0 }) {
            if change.sectionInsertions.contains(path[0]) {
                faults.append("\(path) is inserted with its section")
            }
            sections[path[0]].insert(cell, at: path[1])
        }
        for item in change.moves + change.updates {
            if sections[item.index[0]][item.index[1]] != item.oldElement {
                faults.append("\(sections) does not have \(item.oldElement) at \(item.index)")
            }
            faults += item.columnFaults
            sections[item.index[0]][item.index[1]] = item.element
        }
        if sections != change.sections.map(\.elements) {
            faults.append("\(sections) is shown instead of \(change.sections)")
        }
        for section in change.sections
        where section.elements.contains(where: { $0.team != section.key }) {
            faults.append("\(section) is mixed up")
        }
    }

    /// The sections that a list should have.
    static func sections(of players: [ListedPlayer]) -> [[ListedPlayer]] {
        var teams: [String] = []
        for player in players where !teams.contains(player.team) {
            teams.append(player.team)
        }
        return teams.map { team in players.filter { $0.team == team } }
    }
}

extension ListItemChange<ListedPlayer, Int> {
    fileprivate var columnFaults: [String] {
        element.faults(of: columns, since: oldElement)
    }
}

extension ListItemChange<ListedPlayer, IndexPath> {
    fileprivate var columnFaults: [String] {
        element.faults(of: columns, since: oldElement)
    }
}

extension ListedPlayer {
    fileprivate func faults(of columns: [ListColumnChange], since old: ListedPlayer) -> [String] {
        var expected: [String] = []
        if name != old.name { expected.append("name \"\(old.name)\" \"\(name)\"") }
        if team != old.team { expected.append("team \"\(old.team)\" \"\(team)\"") }
        if score != old.score { expected.append("score \(old.score) \(score)") }
        let actual = columns.map { "\($0.name) \($0.oldValue) \($0.newValue)" }
        return actual == expected ? [] : ["\(actual) instead of \(expected)"]
    }
}
