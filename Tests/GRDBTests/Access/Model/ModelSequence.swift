import Foundation

/// A sequence of calls, which depends on its seed alone.
struct ModelSequence {
    let seed: UInt64
    let kind: ModelRun.Kind
    var calls: [ModelCall]

    init(seed: UInt64, count: Int = 50) {
        self.seed = seed
        var random = ModelRandom(seed: seed)
        // Opening a file takes longer than the calls.
        kind = [.memory, .memory, .file, .pool, .pool].randomElement(using: &random)!
        calls = (0..<count).map { _ in ModelCall.random(&random) }
    }

    /// Runs the calls on a new database, and returns what went wrong.
    func run(path: String, tracer: ((String) -> Void)? = nil) -> String? {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        do {
            return try ModelRun(calls, kind: kind, path: path, tracer: tracer).run()
        } catch {
            return "\(error)"
        }
    }

    /// The smallest sequence that fails, found by leaving out calls.
    func shrunk(path: String, fails: (ModelSequence) -> Bool) -> ModelSequence {
        var smallest = self
        var size = max(1, calls.count / 2)
        while true {
            var index = 0
            var isSmaller = false
            while index < smallest.calls.count {
                var candidate = smallest
                candidate.calls.removeSubrange(
                    index..<min(index + size, candidate.calls.count))
                if fails(candidate) {
                    smallest = candidate
                    isSmaller = true
                } else {
                    index += size
                }
            }
            if size == 1, !isSmaller { return smallest }
            size = max(1, size / 2)
        }
    }
}
