public import Foundation

extension DatabaseFunctionSet {
    /// Replaces `lower(X)`, `upper(X)` and the operator `LIKE` of SQLite, which know the case of ASCII
    /// letters only, by functions that know that of all letters.
    ///
    /// ```swift
    /// db.add(functions: .unicode)
    /// // 'ÉMILIE' LIKE 'émil%' is true
    /// let players = try Player.filter { $0.name.like("émil%") }.fetchAll(db)
    /// ```
    ///
    /// `LIKE` compares characters as Swift does: `_` stands for what readers take for one character, and
    /// it does not matter how an accent is encoded. It uses no index any more.
    ///
    /// Indexes, generated columns and constraints that use these functions must be used by connections
    /// that have added the set, and by no others: the results of both differ.
    public static let unicode = DatabaseFunctionSet(
        functions: [.unicodeLower, .unicodeUpper, .unicodeLike, .unicodeLikeWithEscape])
}

extension DatabaseFunction {
    /// The SQL function `lower(X)`, for all letters.
    public static let unicodeLower = DatabaseFunction(
        "lower", argumentCount: 1, pure: true
    ) { $0[0].textOfAnyNumber?.lowercased() }
    .withOptions(.innocuous)

    /// The SQL function `upper(X)`, for all letters.
    public static let unicodeUpper = DatabaseFunction(
        "upper", argumentCount: 1, pure: true
    ) { $0[0].textOfAnyNumber?.uppercased() }
    .withOptions(.innocuous)

    /// The SQL function behind the operator `LIKE`, for all letters.
    public static let unicodeLike = DatabaseFunction(
        "like", argumentCount: 2, pure: true
    ) { try matchesLike($0) }
    .withOptions(.innocuous)

    /// The SQL function behind the operator `LIKE … ESCAPE`, for all letters.
    public static let unicodeLikeWithEscape = DatabaseFunction(
        "like", argumentCount: 3, pure: true
    ) { try matchesLike($0) }
    .withOptions(.innocuous)

    /// `X LIKE Y ESCAPE Z` calls `like(Y, X, Z)`.
    private static func matchesLike(_ dbValues: [DatabaseValue]) throws -> Bool? {
        if dbValues.contains(where: \.isNull) { return nil }
        // As this SQLite does: see the option SQLITE_LIKE_DOESNT_MATCH_BLOBS.
        if dbValues.contains(where: \.isBlob) { return false }
        guard let pattern = dbValues[0].textOfAnyNumber, let text = dbValues[1].textOfAnyNumber
        else { return nil }
        var escape: Character?
        if dbValues.count == 3 {
            let characters = dbValues[2].textOfAnyNumber ?? ""
            guard characters.count == 1 else {
                throw DatabaseError(message: "ESCAPE expression must be a single character")
            }
            escape = characters.first
        }
        return LikePattern(pattern, escape: escape).matches(text)
    }
}

extension DatabaseValue {
    fileprivate var isBlob: Bool {
        if case .blob = storage { true } else { false }
    }
}

/// A pattern of `LIKE`.
private struct LikePattern {
    private enum Element {
        case anyCharacters
        case anyCharacter
        case character(String)
    }

    private var elements: [Element] = []

    init(_ pattern: String, escape: Character?) {
        var isEscaped = false
        for character in pattern {
            if !isEscaped, character == escape {
                isEscaped = true
                continue
            }
            switch character {
            case "%" where !isEscaped:
                if case .anyCharacters = elements.last { break }
                elements.append(.anyCharacters)
            case "_" where !isEscaped:
                elements.append(.anyCharacter)
            default:
                elements.append(.character(character.lowercased()))
            }
            isEscaped = false
        }
        // Like SQLite: an escape character at the end matches nothing.
        isUnmatchable = isEscaped
    }

    private let isUnmatchable: Bool

    func matches(_ text: String) -> Bool {
        if isUnmatchable { return false }
        let characters = text.map { $0.lowercased() }
        var position = 0
        var index = 0
        // Where to go on after the last `%`, when what follows does not match.
        var retry: (position: Int, index: Int)?
        while position < characters.count {
            if index < elements.count {
                switch elements[index] {
                case .anyCharacters:
                    index += 1
                    retry = (position, index)
                    continue
                case .anyCharacter:
                    position += 1
                    index += 1
                    continue
                case .character(let character) where character == characters[position]:
                    position += 1
                    index += 1
                    continue
                case .character:
                    break
                }
            }
            guard let last = retry else { return false }
            retry = (last.position + 1, last.index)
            position = last.position + 1
            index = last.index
        }
        return elements[index...].allSatisfy {
            if case .anyCharacters = $0 { true } else { false }
        }
    }
}

extension DatabaseCollation {
    /// A collation with the order of a language.
    ///
    /// ```swift
    /// let swedish = DatabaseCollation.locale(Locale(identifier: "sv_SE"))
    /// db.add(collation: swedish)
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE "locale_sv_SE"
    /// let players = try Player.order { $0.name.collating(swedish) }.fetchAll(db)
    /// ```
    ///
    /// Unlike ``localizedCompare``, it does not depend on the preferences of the user. Still, another
    /// version of the system may know another order: build indexes anew then, by
    /// ``Database/reindex(collation:)-(DatabaseCollation)``.
    ///
    /// - parameter locale: the locale of the language.
    /// - parameter options: options of the comparison, such as `.caseInsensitive`,
    ///   `.diacriticInsensitive` and `.numeric`.
    /// - parameter name: the name of the collation; by default, `locale_`, the identifier of the locale,
    ///   and the options.
    public static func locale(
        _ locale: Locale, options: String.CompareOptions = [], name: String? = nil
    ) -> DatabaseCollation {
        var defaultName = "locale_\(locale.identifier)"
        for (option, suffix) in collationSuffixes where options.contains(option) {
            defaultName += "_\(suffix)"
        }
        let rawOptions = options.rawValue
        return DatabaseCollation(name ?? defaultName) { lhs, rhs in
            lhs.compare(
                rhs, options: String.CompareOptions(rawValue: rawOptions), range: nil,
                locale: locale)
        }
    }

    private static var collationSuffixes: [(String.CompareOptions, String)] {
        [
            (.caseInsensitive, "ci"), (.diacriticInsensitive, "di"), (.widthInsensitive, "wi"),
            (.numeric, "numeric"), (.forcedOrdering, "forced"), (.literal, "literal"),
        ]
    }
}
