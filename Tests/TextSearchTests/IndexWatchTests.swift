import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct IndexWatchTests {
    @Test func seesWhatAnotherConnectionChanges() throws {
        let files = try TestIndex()
        try files.folder.write("a", "one")
        try files.folder.write("b", "two")
        try files.update()
        let reader = try IndexDatabase.forReading(path: files.databasePath)
        let watch = try IndexWatch(reader)
        try expectEqual(watch.poll(), nil)

        try files.folder.write("a", "longer")
        try files.folder.write("c", "three")
        try files.folder.remove("b")
        try files.update()
        try expectEqual(
            watch.poll(),
            [
                FileChange(path: files.folder["a"], kind: .changed(oldSize: 3, newSize: 6)),
                FileChange(path: files.folder["b"], kind: .deleted(size: 3)),
                FileChange(path: files.folder["c"], kind: .inserted(size: 5)),
            ])
        try expectEqual(watch.poll(), nil)
        try reader.close()
    }

    @Test func synonymsOfAnotherConnectionTakeEffect() throws {
        let files = try TestIndex()
        try files.folder.write("a", "erase")
        try files.update()
        let reader = try IndexDatabase.forReading(path: files.databasePath)
        let watch = try IndexWatch(reader)
        try files.index.replaceSynonyms(SynonymList(groups: [["delete", "erase"]]))
        try expectEqual(watch.poll(), [])
        let searcher = Searcher(index: reader, limit: 10, isRaw: false)
        try expectEqual(searcher.search("delete")?.count, 1)
        try reader.close()
    }

    @Test func resultsAreCompared() {
        expectEqual(
            ResultChange.changes(from: ["a", "b", "c"], to: ["b", "d", "c"]),
            [
                .disappeared(path: "a"),
                .moved(path: "b", from: 2, to: 1),
                .appeared(path: "d", place: 2),
            ])
        expectEqual(ResultChange.changes(from: ["a"], to: ["a"]), [])
    }
}
