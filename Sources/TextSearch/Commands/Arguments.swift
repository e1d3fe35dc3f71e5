/// The arguments of a command, sorted into options and the rest.
///
/// Options are spelled `--name`, `--name VALUE` or `--name=VALUE`, anywhere; those after `--` are
/// no options. A single dash makes no option, so that `search -word` can exclude a word.
struct Arguments {
    /// The arguments that are no options.
    private(set) var operands: [String] = []
    private var flags: Set<String> = []
    private var values: [String: String] = [:]

    /// - parameter flags: the names, dashes included, of the options without a value.
    /// - parameter options: the names of the options with a value.
    /// - throws: a `UsageError`.
    init(_ arguments: [String], flags: Set<String> = [], options: Set<String> = []) throws {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                operands += remaining
                break
            }
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            let pieces = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pieces[0])
            if flags.contains(name), pieces.count == 1 {
                self.flags.insert(name)
            } else if flags.contains(name) {
                throw UsageError(message: "\(name) takes no value")
            } else if options.contains(name) {
                guard let value = pieces.count == 2 ? String(pieces[1]) : remaining.popFirst(),
                    !value.isEmpty
                else {
                    throw UsageError(message: "\(name) needs a value")
                }
                values[name] = value
            } else {
                throw UsageError(message: "unknown option \(name)")
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func value(of option: String) -> String? { values[option] }

    /// - throws: a `UsageError` if the value is no number, or not in range.
    func number(of option: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = values[option] else { return nil }
        guard let number = Int(value), range.contains(number) else {
            throw UsageError(
                message: """
                    \(option) needs a number from \(range.lowerBound) to \(range.upperBound), not \
                    “\(value)”
                    """)
        }
        return number
    }

    /// - throws: a `UsageError` if there are operands.
    func requireNoOperands() throws {
        if let operand = operands.first {
            throw UsageError(message: "unexpected argument “\(operand)”")
        }
    }
}
