/// The arguments of a command, sorted into options and the rest.
///
/// Options are spelled `--name`, `--name VALUE` or `--name=VALUE`, anywhere; arguments after `--` are
/// never options. Some have a short name: `-n VALUE`, `-nVALUE` if the value is a number. In a query,
/// other arguments with a single dash exclude words.
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
            guard let (option, pieces) = try Arguments.option(argument, of: command) else {
                operands.append(argument)
                continue
            }
            let name = option.name
            if option.takesValue {
                guard let value = pieces.count == 2 ? pieces[1] : remaining.popFirst(),
                    !value.isEmpty
                else {
                    throw UsageError(message: "\(pieces[0]) needs a value", command: command.name)
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

    /// The option that an argument is, and the parts of the argument: the name as it is spelled, and the
    /// value if the argument has one. Returns nil for an operand.
    private static func option(
        _ argument: String, of command: CommandDescription
    ) throws -> (CommandDescription.Option, [String])? {
        guard argument.hasPrefix("-"), argument != "-" else { return nil }
        let pieces: [String]
        if argument.hasPrefix("--") {
            pieces = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            if let option = command.options.first(where: { $0.name == pieces[0] }) {
                return (option, pieces)
            }
        } else {
            let value = String(argument.dropFirst(2))
            pieces = [String(argument.prefix(2))] + (value.isEmpty ? [] : [value])
            if let option = command.options.first(where: { $0.shortName == pieces[0] }),
                value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            {
                return (option, pieces)
            }
            // `-word` excludes a word.
            if case .query = command.operands { return nil }
        }
        throw UsageError(
            message: "unknown option \(TextFormat.printable(pieces[0]))", command: command.name)
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
