#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation

/// Replaces the matches of a regular expression.
struct InflectionRule: Sendable {
    private let expression: NSRegularExpression
    private let template: String

    init(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) throws {
        expression = try NSRegularExpression(pattern: pattern, options: options)
        self.template = template
    }

    /// Creates a rule that replaces a suffix. The pattern decides where case matters.
    private init(suffix pattern: String, replacement: String) throws {
        try self.init(
            pattern, options: [], NSRegularExpression.escapedTemplate(for: replacement))
    }

    private static func escaped(_ text: String) -> String {
        NSRegularExpression.escapedPattern(for: text)
    }

    /// Returns the inflected string; nil if the rule does not apply.
    func apply(_ string: String) -> String? {
        let range = NSRange(string.startIndex..., in: string)
        guard expression.firstMatch(in: string, range: range) != nil else { return nil }
        return expression.stringByReplacingMatches(
            in: string, range: range, withTemplate: template)
    }
}

#else

/// Replaces the match of a regular expression of Swift.
///
/// `@unchecked Sendable`: no closure of an app is in the expression, which is the only reason why expressions
/// are not sendable.
struct InflectionRule: @unchecked Sendable {
    private let expression: Regex<AnyRegexOutput>

    /// The texts between the captures that the replacement contains.
    private var replacement: [(capture: Int?, text: String)] = []

    init(_ pattern: String, _ template: String) throws {
        expression = try Regex(pattern).ignoresCase()
        var capture: Int?
        for (index, part) in template.split(separator: "$", omittingEmptySubsequences: false)
            .enumerated()
        {
            let digits = index == 0 ? 0 : part.prefix { $0.isASCII && $0.isNumber }.count
            if digits > 0 { capture = Int(part.prefix(digits)) }
            replacement.append((capture, String(part.dropFirst(digits))))
            capture = nil
        }
    }

    /// Creates a rule that replaces a suffix. The pattern decides where case matters.
    private init(suffix pattern: String, replacement: String) throws {
        expression = try Regex(pattern)
        self.replacement = [(nil, replacement)]
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { $0.isLetter || $0.isNumber ? [$0] : ["\\", $0] })
    }

    /// Returns the inflected string; nil if the rule does not apply.
    func apply(_ string: String) -> String? {
        guard let match = string.firstMatch(of: expression) else { return nil }
        var inflected = String(string[..<match.range.lowerBound])
        for (capture, text) in replacement {
            if let capture, match.output.indices.contains(capture) {
                inflected += match.output[capture].substring ?? ""
            }
            inflected += text
        }
        return inflected + string[match.range.upperBound...]
    }
}

#endif

extension InflectionRule {
    /// Returns rules that replace a suffix, and preserve the case of its first letter.
    static func suffixRules(_ from: String, _ to: String) -> [InflectionRule] {
        guard !from.isEmpty else { return [] }
        let casings: [(String) -> String] = [{ $0.uppercased() }, { $0.lowercased() }]
        return casings.map { casing in
            let first = escaped(casing(String(from.prefix(1))))
            let rest = escaped(String(from.dropFirst()))
            do {
                return try InflectionRule(
                    suffix: "\(first)(?i)\(rest)$",
                    replacement: casing(String(to.prefix(1))) + to.dropFirst())
            } catch {
                fatalError("Invalid suffix: \(from)")
            }
        }
    }
}
