#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation

// String functions and comparisons of Foundation, which every connection has.

extension DatabaseFunction {
    /// The SQL function `swiftLocalizedCapitalizedString`: Foundation's `localizedCapitalized`.
    public static let localizedCapitalize =
        stringFunction("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

    /// The SQL function `swiftLocalizedLowercaseString`: Foundation's `localizedLowercase`.
    public static let localizedLowercase =
        stringFunction("swiftLocalizedLowercaseString") { $0.localizedLowercase }

    /// The SQL function `swiftLocalizedUppercaseString`: Foundation's `localizedUppercase`.
    public static let localizedUppercase =
        stringFunction("swiftLocalizedUppercaseString") { $0.localizedUppercase }
}

extension DatabaseCollation {
    /// The collation `swiftCaseInsensitiveCompare`: Foundation's `caseInsensitiveCompare`.
    public static let caseInsensitiveCompare =
        DatabaseCollation("swiftCaseInsensitiveCompare") { $0.caseInsensitiveCompare($1) }

    /// The collation `swiftLocalizedCaseInsensitiveCompare`: Foundation's
    /// `localizedCaseInsensitiveCompare`.
    public static let localizedCaseInsensitiveCompare =
        DatabaseCollation("swiftLocalizedCaseInsensitiveCompare") {
            $0.localizedCaseInsensitiveCompare($1)
        }

    /// The collation `swiftLocalizedCompare`: Foundation's `localizedCompare`.
    public static let localizedCompare =
        DatabaseCollation("swiftLocalizedCompare") { $0.localizedCompare($1) }

    /// The collation `swiftLocalizedStandardCompare`: Foundation's `localizedStandardCompare`.
    public static let localizedStandardCompare =
        DatabaseCollation("swiftLocalizedStandardCompare") { $0.localizedStandardCompare($1) }
}

extension Database {
    func addLocalizedFunctions() throws {
        let functions: [DatabaseFunction] = [
            .localizedCapitalize, .localizedLowercase, .localizedUppercase,
        ]
        let collations: [DatabaseCollation] = [
            .caseInsensitiveCompare, .localizedCaseInsensitiveCompare, .localizedCompare,
            .localizedStandardCompare,
        ]
        try functions.forEach(tryAdd(function:))
        try collations.forEach(tryAdd(collation:))
    }
}

#endif
