import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct InflectionsTests {
    private static let pairs = """
        player players team teams country countries address addresses person people man men woman \
        women child children mouse mice index indices vertex vertices matrix matrices status \
        statuses bus buses box boxes quiz quizzes datum data medium media octopus octopi ox oxen \
        tomato tomatoes photo photos hero heroes potato potatoes leaf leaves half halves wife \
        wives knife knives life lives wolf wolves roof roofs axis axes crisis crises analysis \
        analyses thesis theses church churches dish dishes city cities day days key keys query \
        queries bookAuthor bookAuthors postalAddress postalAddresses Player Players Person People \
        livePerson livePeople foot feet tooth teeth goose geese movie movies cookie cookies alias \
        aliases process processes class classes house houses horse horses cache caches base bases \
        database databases test tests award awards image images move moves shoe shoes zombie \
        zombies stadium stadia criterion criteria phenomenon phenomena formula formulas schema \
        schemas cactus cacti radius radii campus campuses lens lenses bonus bonuses canvas \
        canvases chief chiefs shelf shelves thief thieves piano pianos echo echoes zero zeros die \
        dies penny pennies agenda agendas bacterium bacteria basis bases oasis oases hypothesis \
        hypotheses archive archives hive hives olive olives perspective perspectives video videos \
        book_author book_authors human humans German Germans talisman talismans snowman snowmen \
        self selves elf elves buffalo buffaloes été étés menu menus service services price prices \
        purchase purchases specimen specimens mongoose mongooses x xes quota quotas virus viruses
        """

    @Test func pairsOfWords() {
        let words = Self.pairs.split(separator: " ").map(String.init)
        for index in stride(from: 0, to: words.count, by: 2) {
            let (singular, plural) = (words[index], words[index + 1])
            expectEqual(Inflections.default.pluralize(singular), plural)
            expectEqual(Inflections.default.pluralize(plural), plural)
            expectEqual(Inflections.default.singularize(singular), singular)
            // A plural of two nouns.
            if plural == "bases" && singular == "basis" { continue }
            expectEqual(Inflections.default.singularize(plural), singular)
        }
    }

    @Test(arguments: [
        "news", "series", "species", "sheep", "fish", "money", "information", "equipment", "",
        "breakingNews", "breaking_news", "MONEY",
    ])
    func uncountableWords(word: String) {
        expectEqual(Inflections.default.pluralize(word), word)
        expectEqual(Inflections.default.singularize(word), word)
    }

    @Test func digits() {
        expectEqual(Inflections.default.pluralize("player1"), "players1")
        expectEqual(Inflections.default.singularize("players22"), "player22")
        expectEqual(Inflections.default.pluralize("22"), "22")
        expectEqual(Inflections.default.pluralize("player_1"), "player_1")
        expectEqual(Inflections.default.singularize("players_1"), "players_1")
    }

    @Test func customRules() {
        var inflections = Inflections()
        expectEqual(inflections.pluralize("player"), "player")
        inflections.plural("$", "s")
        inflections.singular("s$", "")
        inflections.plural("(foo)$", "$1x")
        inflections.irregularSuffix("cow", "kine")
        inflections.uncountableWords(["Bar"])
        expectEqual(inflections.pluralize("player"), "players")
        expectEqual(inflections.pluralize("bigFOO"), "bigFOOx")
        expectEqual(inflections.pluralize("cow"), "kine")
        expectEqual(inflections.pluralize("kine"), "kine")
        expectEqual(inflections.pluralize("BigCow"), "BigKine")
        expectEqual(inflections.singularize("BigKine"), "BigCow")
        expectEqual(inflections.singularize("cow"), "cow")
        expectEqual(inflections.pluralize("bigBar"), "bigBar")
        expectEqual(inflections.pluralize("bigbar"), "bigbars")
        expectEqual(inflections.singularize("players"), "player")
    }
}
