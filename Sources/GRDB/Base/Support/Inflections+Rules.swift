#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

extension Inflections {
    /// Adds a rule for plurals. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrix" → "matrices"
    /// inflections.plural("(matr|vert)(?:ix|ex)$", "$1ices")
    /// ```
    ///
    /// - parameter pattern: a regular expression.
    /// - parameter options: options of the regular expression.
    /// - parameter template: the replacement of the matches.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func plural(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) {
        Self.requiringValid(pattern) { try tryPlural(pattern, options: options, template) }
    }

    /// Adds a rule for plurals like ``plural(_:options:_:)``, but throws if the pattern is invalid. Use
    /// this method for patterns that are not constants.
    ///
    /// - throws: the error of `NSRegularExpression` if the pattern is not a valid regular expression.
    public mutating func tryPlural(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) throws {
        try pluralRules.append(InflectionRule(pattern, options: options, template))
    }

    /// Adds a rule for singulars. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrices" → "matrix"
    /// inflections.singular("(matr)ices$", "$1ix")
    /// ```
    ///
    /// - parameter pattern: a regular expression.
    /// - parameter options: options of the regular expression.
    /// - parameter template: the replacement of the matches.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func singular(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) {
        Self.requiringValid(pattern) { try trySingular(pattern, options: options, template) }
    }

    /// Adds a rule for singulars like ``singular(_:options:_:)``, but throws if the pattern is invalid. Use
    /// this method for patterns that are not constants.
    ///
    /// - throws: the error of `NSRegularExpression` if the pattern is not a valid regular expression.
    public mutating func trySingular(
        _ pattern: String,
        options: NSRegularExpression.Options = [.caseInsensitive],
        _ template: String
    ) throws {
        try singularRules.append(InflectionRule(pattern, options: options, template))
    }
}

#else

extension Inflections {
    /// Adds a rule for plurals. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrix" → "matrices"
    /// inflections.plural("(matr|vert)(?:ix|ex)$", "$1ices")
    /// ```
    ///
    /// - parameter pattern: a regular expression of Swift, which ignores case.
    /// - parameter template: the replacement of the match, with captures such as `$1`.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func plural(_ pattern: String, _ template: String) {
        Self.requiringValid(pattern) { try tryPlural(pattern, template) }
    }

    /// Adds a rule for plurals like ``plural(_:_:)``, but throws if the pattern is invalid.
    ///
    /// - throws: the error of `Regex` if the pattern is not a valid regular expression.
    public mutating func tryPlural(_ pattern: String, _ template: String) throws {
        try pluralRules.append(InflectionRule(pattern, template))
    }

    /// Adds a rule for singulars. The last added rule is tried first.
    ///
    /// ```swift
    /// // "matrices" → "matrix"
    /// inflections.singular("(matr)ices$", "$1ix")
    /// ```
    ///
    /// - parameter pattern: a regular expression of Swift, which ignores case.
    /// - parameter template: the replacement of the match, with captures such as `$1`.
    /// - precondition: the pattern is a valid regular expression.
    public mutating func singular(_ pattern: String, _ template: String) {
        Self.requiringValid(pattern) { try trySingular(pattern, template) }
    }

    /// Adds a rule for singulars like ``singular(_:_:)``, but throws if the pattern is invalid.
    ///
    /// - throws: the error of `Regex` if the pattern is not a valid regular expression.
    public mutating func trySingular(_ pattern: String, _ template: String) throws {
        try singularRules.append(InflectionRule(pattern, template))
    }
}

#endif
