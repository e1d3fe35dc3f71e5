/// The help pages.
enum Help {
    /// The page about the program.
    static let overview: String = {
        let width = CommandDescription.all.map(\.name.count).max() ?? 0
        let commands = CommandDescription.all.map { command in
            "  \(pad(command.name, to: width))  \(command.summary)"
        }
        return """
            TextSearch: a full-text index of folders of text files.

            USAGE
              TextSearch COMMAND [ARGUMENT…]

            COMMANDS
            \(commands.joined(separator: "\n"))

            `TextSearch COMMAND --help` tells more about a command.

            EXIT STATUS
              0    done: also when nothing was found
              1    failed, or some files could not be indexed
              64   the command line makes no sense
              130  ended by Ctrl-C, while indexing

            """
    }()

    /// The page about a command.
    static func page(_ command: CommandDescription) -> String {
        var paragraphs = [
            "TextSearch \(command.name): \(command.summary).",
            "USAGE\n  TextSearch \(command.name) \(command.synopsis)",
        ]
        if !command.details.isEmpty { paragraphs.append(command.details) }
        let options =
            command.options
            + [CommandDescription.Option(name: "--help", help: "Prints this page.")]
        let titles = options.map { option in
            option.takesValue ? "\(option.name) \(option.valueName)" : option.name
        }
        let width = titles.map(\.count).max() ?? 0
        let lines = zip(titles, options).map { title, option in
            let help = option.help.split(separator: "\n").joined(
                separator: "\n" + String(repeating: " ", count: width + 4))
            return "  \(pad(title, to: width))  \(help)"
        }
        paragraphs.append("OPTIONS\n" + lines.joined(separator: "\n"))
        return paragraphs.joined(separator: "\n\n") + "\n"
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
