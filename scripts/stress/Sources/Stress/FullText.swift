/// Documents and patterns of random bytes, in seven full-text tables.
func fullText(inputs: Int) throws {
    var fuzz = try FullTextFuzz(seed: UInt64.random(in: 0...1_000_000))
    try fuzz.run(inputs: inputs, limit: 1)
    for problem in fuzz.problems { failures.append(problem) }
    printLine("fulltext: \(fuzz.summary)")
}
