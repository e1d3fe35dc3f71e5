extension Inflections {
    /// The rules of English nouns, from general to specific.
    static var english: Inflections {
        var inflections = Inflections()
        inflections.addPlurals()
        inflections.addSingulars()
        for (singular, plural) in [
            ("person", "people"), ("man", "men"), ("child", "children"), ("foot", "feet"),
            ("tooth", "teeth"), ("goose", "geese"), ("mouse", "mice"),
        ] {
            inflections.irregularSuffix(singular, plural)
        }
        inflections.addExceptions()
        inflections.uncountableWords([
            "advice", "aircraft", "deer", "dice", "equipment", "feedback", "fish", "furniture",
            "hardware", "headquarters", "homework", "information", "jeans", "luggage", "metadata",
            "money", "moose", "music", "news", "offspring", "police", "rice", "salmon", "scissors",
            "series", "sheep", "software", "spacecraft", "species", "traffic", "trousers",
        ])
        return inflections
    }

    // Without lookbehinds, which Swift's regular expressions don't have.

    // MARK: - Families of words

    /// Nouns in -us with a plural in -es.
    private static let us = """
        status|bonus|campus|census|virus|focus|circus|corpus|surplus|chorus|bus|walrus|lotus|\
        crocus|nexus|prospectus|apparatus|consensus|platypus|hippopotamus|abacus|thesaurus|minus|\
        plus|sinus|citrus|discus|fetus|isthmus|rhombus|papyrus|hiatus|eucalyptus
        """

    /// Nouns in another vowel and -s with a plural in -es.
    private static let otherS = """
        gas|lens|canvas|alias|atlas|bias|pancreas|iris|trellis|pelvis|ibis|tennis|chaos
        """

    /// Stems of nouns in -us with a plural in -i.
    private static let usToI = "octop|cact|radi|nucle|fung|alumn|stimul|syllab"

    /// Stems of nouns in -um with a plural in -a.
    private static let umToA = "dat|medi|bacteri|stadi|errat|addend|memorand|millenni|symposi|strat"

    /// Stems of nouns in -on with a plural in -a.
    private static let onToA = "criteri|phenomen"

    /// Stems of nouns in -o with a plural in -es.
    private static let oes = """
        her|potat|tomat|ech|vet|torped|embarg|domin|mang|mosquit|volcan|buffal|carg
        """

    /// Stems of nouns in -f with a plural in -ves.
    private static let fToVes = "hal|cal|wol|lea|loa|thie|shea|scar|whar|dwar"

    /// Stems of nouns in -sis with a plural in -ses.
    private static let sis = "analy|paraly|cataly|cri|the|diagno|progno|synop|empha|neme|gene"

    private mutating func addPlurals() {
        plural("$", "s")
        plural("s$", "s")
        plural("(ch|sh|x|z|ss)$", "$1es")
        plural("([^aeiou]|qu)y$", "$1ies")
        plural("(\(Self.us)|\(Self.otherS))$", "$1es")
        plural("(\(Self.oes))o$", "$1oes")
        plural("(wi|kni|li)fe$", "$1ves")
        plural("(\(Self.fToVes)|el)f$", "$1ves")
        plural("(s|x)is$", "$1es")
        plural("(matr|append)ix$", "$1ices")
        plural("(vert|ind|vort|cod)ex$", "$1ices")
        plural("(\(Self.usToI))(?:us|i)$", "$1i")
        plural("(\(Self.umToA))(?:um|a)$", "$1a")
        plural("(\(Self.onToA))(?:on|a)$", "$1a")
        plural("quiz$", "quizzes")
        plural("^(l)(?:ouse|ice)$", "$1ice")
        plural("^(ox)(?:en)?$", "$1en")
    }

    private mutating func addSingulars() {
        singular("s$", "")
        singular("ss$", "ss")
        singular("(ch|sh|x|ss|zz|tz)es$", "$1")
        singular("(ach|avalanch|nich|quich|psych)es$", "$1e")
        singular("([^aeiou]|qu)ies$", "$1y")
        singular("(mov|cook|zomb|calor|brown|hood|self|gen|rook|smooth)ies$", "$1ie")
        singular("^(t|p|l|d)ies$", "$1ie")
        singular("(\(Self.us)|\(Self.otherS))(?:es)?$", "$1")
        singular("(\(Self.oes))oes$", "$1o")
        singular("(wi|kni|(?:^|[^o])li)ves$", "$1fe")
        singular("(\(Self.fToVes)|(?:^|[^a-z])s?el|shel)ves$", "$1f")
        singular("(s|x)is$", "$1is")
        singular("(\(Self.sis)|^oa)ses$", "$1sis")
        singular("^axes$", "axis")
        singular("taxis$", "taxi")
        singular("(matr|append)ices$", "$1ix")
        singular("(vert|ind|vort|cod)ices$", "$1ex")
        singular("(\(Self.usToI))(?:us|i)$", "$1us")
        singular("(\(Self.umToA))a$", "$1um")
        singular("(\(Self.onToA))a$", "$1on")
        singular("(quiz)zes$", "$1")
        singular("^(l)ice$", "$1ouse")
        singular("^(ox)en$", "$1")
        singular("testes$", "testis")
        singular("testis$", "testis")
    }

    /// Adds regular words with the suffix of an irregular word.
    private mutating func addExceptions() {
        let men = "hu|ger|talis|ro|nor|sha|otto|cai"
        plural("(\(men))mans?$", "$1mans")
        singular("(\(men))mans?$", "$1man")
        let specimen = "specimen|abdomen|regimen|stamen|(?:^|[^w])omen"
        plural("(\(specimen))s?$", "$1s")
        singular("(\(specimen))s?$", "$1")
        plural("(mongoose)s?$", "$1s")
        singular("(mongoose)s?$", "$1")
    }
}
