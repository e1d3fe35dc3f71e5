// undo SEED COUNT FOLDER [replay]
//
// Runs histories of groups, those of COUNT seeds from SEED on, and shrinks those that fail. The sequences
// themselves are in Tests/GRDBTests/Features/Sessions/Model.
func runUndo(_ arguments: ArraySlice<String>) {
    let arguments = Array(arguments)
    let (first, count) = (UInt64(arguments[0])!, UInt64(arguments[1])!)
    if arguments.last == "replay" {
        return printLine("\(UndoSequence(seed: first).run { printLine($0) })")
    }
    var failures = 0
    var steps = 0
    var undone = 0
    for seed in first..<first + count {
        printLine("seed \(seed)")
        let sequence = UndoSequence(seed: seed)
        let result = sequence.run()
        steps += result.steps
        undone += result.done
        guard let failure = result.failure else { continue }
        failures += 1
        printLine("FAILED seed \(seed): \(failure)")
        _ = sequence.shrunk().run { text in
            for line in text.split(separator: "\n") { printLine("    \(line)") }
        }
        if failures == 5 { break }
    }
    printLine("steps \(steps), of which undid or redid \(undone)")
    print("end \(count) \(failures)")
}
