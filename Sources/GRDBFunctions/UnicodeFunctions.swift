import GRDB

#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation
#endif

extension DatabaseFunctionSet {
    /// Functions that replace `lower(X)`, `upper(X)` and the operator `LIKE` of SQLite. The
    /// functions of SQLite only handle the case of ASCII letters; the replacements handle the case
    /// of all letters.
    ///
    /// ```swift
    /// db.add(functions: .unicode)
    /// // 'ÉMILIE' LIKE 'émil%' is true
    /// let players = try Player.filter { $0.name.like("émil%") }.fetchAll(db)
    /// ```
    ///
    /// `LIKE` compares characters like Swift: `_` matches one user-perceived character, and the
    /// encoding of accents does not matter. The replacement uses no index.
    ///
    /// If an index, a generated column or a constraint uses these functions, all connections to the
    /// database must add the set, because the original functions have different results.
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

    /// The SQL function that implements the operator `LIKE`, for all letters.
    public static let unicodeLike = DatabaseFunction(
        "like", argumentCount: 2, pure: true
    ) { try matchesLike($0) }
    .withOptions(.innocuous)

    /// The SQL function that implements the operator `LIKE … ESCAPE`, for all letters.
    public static let unicodeLikeWithEscape = DatabaseFunction(
        "like", argumentCount: 3, pure: true
    ) { try matchesLike($0) }
    .withOptions(.innocuous)

    /// `X LIKE Y ESCAPE Z` calls `like(Y, X, Z)`.
    private static func matchesLike(_ dbValues: [DatabaseValue]) throws -> Bool? {
        if dbValues.contains(where: \.isNull) { return nil }
        // As in this build of SQLite: see the option SQLITE_LIKE_DOESNT_MATCH_BLOBS.
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
        // As in SQLite, an escape character at the end matches nothing.
        isUnmatchable = isEscaped
    }

    private let isUnmatchable: Bool

    func matches(_ text: String) -> Bool {
        if isUnmatchable { return false }
        let characters = text.map { $0.lowercased() }
        var position = 0
        var index = 0
        // The position at which matching continues after the last `%`, if the following text does
        // not match.
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

#if GRDB_FOUNDATION || !canImport(FoundationEssentials)

extension DatabaseCollation {
    /// Returns a collation with the sort order of a language.
    ///
    /// ```swift
    /// let swedish = DatabaseCollation.locale(Locale(identifier: "sv_SE"))
    /// db.add(collation: swedish)
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE "locale_sv_SE"
    /// let players = try Player.order { $0.name.collating(swedish) }.fetchAll(db)
    /// ```
    ///
    /// Unlike ``/GRDB/DatabaseCollation/localizedCompare``, the order does not depend on the preferences of the user. It
    /// may still change with the version of the system. In that case, rebuild indexes with
    /// ``/GRDB/Database/reindex(collation:)-(DatabaseCollation)``.
    ///
    /// - parameter locale: the locale of the language.
    /// - parameter options: options of the comparison, such as `.caseInsensitive`,
    ///   `.diacriticInsensitive` and `.numeric`.
    /// - parameter name: the name of the collation. By default, the name consists of `locale_`, the
    ///   identifier of the locale, and the options.
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

#endif
