import GRDBTestSupport
import Testing

/// A short run; scripts/run-trust stress makes long ones.
struct FullTextFuzzTests {
    @Test func shortRun() throws {
        var fuzz = try FullTextFuzz(seed: 1)
        try fuzz.run(inputs: 500, limit: nil)
        expectEqual(fuzz.problems, [])
        // Not all inputs are refused.
        #expect(fuzz.documentCount > 200)
        #expect(fuzz.matchCount > 50)
        #expect(fuzz.errorCount < fuzz.patternCount)
    }
}
