/// Documents and patterns of random bytes, in seven full-text tables.
///
/// - parameter seed: that of a run to repeat.
func fullText(inputs: Int, seed: UInt64?) throws {
    let seed = seed ?? UInt64.random(in: 0...1_000_000)
    printLine("fulltext: seed \(seed)")
    var fuzz = try FullTextFuzz(seed: seed)
    // An instrumented debug build takes several times as long.
    #if SANITIZED
    let limit = 15.0
    #else
    let limit = 1.0
    #endif
    try fuzz.run(inputs: inputs, limit: limit) { input, fuzz in
        if input.isMultiple(of: 10_000) { printLine("fulltext: \(input) inputs: \(fuzz.summary)") }
    }
    for problem in fuzz.problems { failures.append(problem) }
    printLine("fulltext: \(fuzz.summary)")
}
