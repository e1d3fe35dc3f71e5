import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct RarePartsTests {
    private struct Parts: RarePartsContent {
        var number = 0
        var texts: [String] = []
    }

    @Test func readingPartsAllocatesNothing() {
        let rare = RareParts<Parts>()
        expectEqual(rare.parts.number, 0)
        expectEqual(rare.box?.parts.texts, nil)
        expectEqual(rare.isEmpty, true)
    }

    @Test func changingACopyKeepsTheOriginal() {
        var rare = RareParts<Parts>()
        rare.parts.number = 1
        var copy = rare
        copy.parts.number = 2
        copy.parts.texts.append("a")
        expectEqual(rare.parts.number, 1)
        expectEqual(rare.parts.texts, [])
        expectEqual(copy.parts.number, 2)
        expectEqual(copy.parts.texts, ["a"])
    }

    @Test func theOnlyReferenceIsChangedInPlace() {
        var rare = RareParts<Parts>()
        rare.parts.number = 1
        let box = rare.box.map(ObjectIdentifier.init)
        rare.parts.number = 2
        expectEqual(rare.box.map(ObjectIdentifier.init), box)
    }
}
