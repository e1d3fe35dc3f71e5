import _GRDBSystem

// String functions and comparisons of Swift and Foundation, which every connection has.

extension DatabaseFunction {
    /// The SQL function `swiftCapitalizedString`: Swift's `capitalized`.
    public static let capitalize = stringFunction("swiftCapitalizedString") { $0.capitalized }

    /// The SQL function `swiftLowercaseString`: Swift's `lowercased()`.
    public static let lowercase = stringFunction("swiftLowercaseString") { $0.lowercased() }

    /// The SQL function `swiftUppercaseString`: Swift's `uppercased()`.
    public static let uppercase = stringFunction("swiftUppercaseString") { $0.uppercased() }

    static func stringFunction(
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
            return lhs.order(to: rhs)
        }
        let lhs = String(decoding: lhs, as: UTF8.self)
        let rhs = String(decoding: rhs, as: UTF8.self)
        return lhs < rhs ? -1 : lhs == rhs ? 0 : 1
    }
}

extension Database {
    func addBuiltInFunctions() throws {
        let functions: [DatabaseFunction] = [.exclusiveOr, .capitalize, .lowercase, .uppercase]
        try functions.forEach(tryAdd(function:))
        try tryAdd(collation: .unicodeCompare)
        #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
        try addLocalizedFunctions()
        #endif
        try DatabaseError.convertingFailures { try raw.addVectorFunctions() }
    }
}
