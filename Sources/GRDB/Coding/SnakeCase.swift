/// Converts names between `camelCase` and `snake_case`.
///
/// Names keep the underscores at both ends.
enum SnakeCase {
    /// `player_id` is `playerId`.
    static func camelCased(_ name: String) -> String {
        guard let (prefix, core, suffix) = trimmed(name) else { return name }
        let words = core.split(separator: "_")
        guard words.count > 1 else { return name }
        let camelCased = words.dropFirst().reduce(words[0].lowercased()) { $0 + $1.capitalizedWord }
        return prefix + camelCased + suffix
    }

    /// `playerId` is `player_id`, and `httpURLPath` is `http_url_path`.
    static func snakeCased(_ name: String) -> String {
        var result = ""
        let characters = Array(name)
        // Whether the word started with a capital, and had no small letter since.
        var isInCapitals = false
        for (index, character) in characters.enumerated() {
            if character.isUppercase {
                if index > 0, characters[index - 1] != "_" {
                    let next = index + 1 < characters.count ? characters[index + 1] : nil
                    if !isInCapitals || next?.isLowercase == true { result.append("_") }
                }
                isInCapitals = true
            } else if character.isLowercase || character == "_" {
                isInCapitals = false
            }
            result += character.lowercased()
        }
        return result
    }

    /// The name, and the underscores at both ends. Nil if there is nothing else.
    private static func trimmed(
        _ name: String
    ) -> (prefix: Substring, core: Substring, suffix: Substring)? {
        guard let first = name.firstIndex(where: { $0 != "_" }),
            let last = name.lastIndex(where: { $0 != "_" })
        else {
            return nil
        }
        return (name[..<first], name[first...last], name[name.index(after: last)...])
    }
}

extension Substring {
    fileprivate var capitalizedWord: String {
        prefix(1).uppercased() + dropFirst().lowercased()
    }
}
