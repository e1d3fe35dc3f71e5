import Foundation

// String functions and comparisons of Swift and Foundation, which every connection has.

extension DatabaseFunction {
    /// The SQL function `swiftCapitalizedString`: Swift's `capitalized`.
    public static let capitalize = stringFunction("swiftCapitalizedString") { $0.capitalized }

    /// The SQL function `swiftLowercaseString`: Swift's `lowercased()`.
    public static let lowercase = stringFunction("swiftLowercaseString") { $0.lowercased() }

    /// The SQL function `swiftUppercaseString`: Swift's `uppercased()`.
    public static let uppercase = stringFunction("swiftUppercaseString") { $0.uppercased() }

    /// The SQL function `swiftLocalizedCapitalizedString`: Foundation's `localizedCapitalized`.
    public static let localizedCapitalize =
        stringFunction("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

    /// The SQL function `swiftLocalizedLowercaseString`: Foundation's `localizedLowercase`.
    public static let localizedLowercase =
        stringFunction("swiftLocalizedLowercaseString") { $0.localizedLowercase }

    /// The SQL function `swiftLocalizedUppercaseString`: Foundation's `localizedUppercase`.
    public static let localizedUppercase =
        stringFunction("swiftLocalizedUppercaseString") { $0.localizedUppercase }

    private static func stringFunction(
        _ name: String, _ transform: @escaping @Sendable (String) -> String
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { dbValues in
            String.fromDatabaseValue(dbValues[0]).map(transform)
        }
    }
}

extension DatabaseFunction {
    /// The SQL function `swiftExclusiveOr`: the bitwise XOR of two integers.
    static let exclusiveOr = DatabaseFunction(
        "swiftExclusiveOr", argumentCount: 2, pure: true
    ) { dbValues -> Int64? in
        guard let lhs = Int64.fromDatabaseValue(dbValues[0]),
            let rhs = Int64.fromDatabaseValue(dbValues[1])
        else { return nil }
        return lhs ^ rhs
    }
}

extension DatabaseCollation {
    /// The collation `swiftCompare`: Swift's order of strings, by normalized Unicode scalars.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { lhs, rhs -> CInt in
        let isASCII: (UInt8) -> Bool = { $0 < 0x80 }
        if lhs.allSatisfy(isASCII), rhs.allSatisfy(isASCII) {
            // Normalization does not change ASCII characters.
            let count = min(lhs.count, rhs.count)
            let order = count == 0 ? 0 : memcmp(lhs.baseAddress!, rhs.baseAddress!, count)
            return order == 0 ? CInt((lhs.count - rhs.count).signum()) : CInt(order)
        }
        let lhs = String(decoding: lhs, as: UTF8.self)
        let rhs = String(decoding: rhs, as: UTF8.self)
        return lhs < rhs ? -1 : lhs == rhs ? 0 : 1
    }

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
    func addBuiltInFunctions() throws {
        let functions: [DatabaseFunction] = [
            .exclusiveOr, .capitalize, .lowercase, .uppercase, .localizedCapitalize,
            .localizedLowercase, .localizedUppercase,
        ]
        let collations: [DatabaseCollation] = [
            .unicodeCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare,
            .localizedCompare, .localizedStandardCompare,
        ]
        try functions.forEach(tryAdd(function:))
        try collations.forEach(tryAdd(collation:))
        do throws(RawFailure) {
            try raw.addVectorFunctions()
        } catch {
            throw DatabaseError(error)
        }
    }
}
