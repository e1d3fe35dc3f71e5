/// The arguments of a command, sorted into options and the rest.
///
/// Options are spelled `--name`, `--name VALUE` or `--name=VALUE`, anywhere; those after `--` are
/// no options. A single dash makes no option, so that `search -word` can exclude a word.
struct Arguments {
    /// The arguments that are no options.
    private(set) var operands: [String] = []
    private var flags: Set<String> = []
    private var values: [String: String] = [:]
    private let command: String

    /// - throws: a `UsageError` if an option is not one of the command.
    init(_ arguments: [String], of command: CommandDescription) throws {
        self.command = command.name
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
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw UsageError(
                    message: "unknown option \(TextFormat.printable(name))", command: command.name)
            }
            if option.takesValue {
                guard let value = pieces.count == 2 ? String(pieces[1]) : remaining.popFirst(),
                    !value.isEmpty
                else {
                    throw UsageError(message: "\(name) needs a value", command: command.name)
                }
                if case .oneOf(let choices) = option.value, !choices.contains(value) {
                    throw UsageError(
                        message: """
                            \(name) is one of \(choices.joined(separator: ", ")), not \
                            “\(TextFormat.printable(value))”
                            """,
                        command: command.name)
                }
                values[name] = value
            } else if pieces.count == 1 {
                flags.insert(name)
            } else {
                throw UsageError(message: "\(name) takes no value", command: command.name)
            }
        }
        if case .none = command.operands, let operand = operands.first {
            throw UsageError(
                message: "unexpected argument “\(TextFormat.printable(operand))”",
                command: command.name)
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
                    “\(TextFormat.printable(value))”
                    """,
                command: command)
        }
        return number
    }

    /// How the command prints: what all commands have in common.
    var output: OutputOptions {
        OutputOptions(
            isJSON: has("--json"),
            color: value(of: "--color").flatMap(OutputOptions.Color.init) ?? .auto)
    }
}

/// How a command prints.
struct OutputOptions: Equatable {
    enum Color: String {
        case auto, always, never
    }

    var isJSON = false
    var color = Color.auto
}
