/// The help pages.
enum Help {
    /// Lines are not longer than this on a wider terminal: long lines are hard to read.
    private static let maximumWidth = 100

    /// The page about the program.
    ///
    /// - parameter width: the width of the terminal. Lines break at words.
    static func overview(width: Int) -> String {
        let names = CommandDescription.all.map(\.name.count).max() ?? 0
        let commands = CommandDescription.all.map { command in
            "  \(pad(command.name, to: names))  \(command.summary)"
        }
        let page = """
            TextSearch: a full-text index of folders of text files.

            USAGE
              TextSearch COMMAND [ARGUMENT…]
              TextSearch --version

            COMMANDS
            \(commands.joined(separator: "\n"))

            `TextSearch COMMAND --help` tells more about a command.

            EXIT STATUS
              0    done
              1    nothing was found, or some files could not be indexed
              2    failed
              64   the command line makes no sense
              130  ended by Ctrl-C, while indexing
            """
        return wrapped(page, width: width) + "\n"
    }

    /// The page about a command.
    ///
    /// - parameter width: the width of the terminal. Lines break at words.
    static func page(_ command: CommandDescription, width: Int) -> String {
        var paragraphs = [
            "TextSearch \(command.name): \(command.summary).",
            "USAGE\n  TextSearch \(command.name) \(command.synopsis)",
        ]
        if !command.details.isEmpty { paragraphs.append(joiningLines(command.details)) }
        let options =
            command.options
            + [
                CommandDescription.Option(
                    name: "--help", shortName: "-h", help: "Prints this page.")
            ]
        let titles = options.map { option in
            let names = option.names.joined(separator: ", ")
            return option.takesValue ? "\(names) \(option.valueName)" : names
        }
        let titleWidth = titles.map(\.count).max() ?? 0
        let lines = zip(titles, options).map { title, option in
            "  \(pad(title, to: titleWidth))  \(joiningLines(option.help))"
        }
        paragraphs.append("OPTIONS\n" + lines.joined(separator: "\n"))
        return wrapped(paragraphs.joined(separator: "\n\n"), width: width) + "\n"
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    // MARK: - Lines

    /// Makes one line of each paragraph of prose. Lines with columns stay apart.
    private static func joiningLines(_ text: String) -> String {
        let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(separator: "", omittingEmptySubsequences: false)
        return paragraphs.map { lines in
            let hasColumns = lines.contains { columnStart($0) != nil }
            return lines.joined(separator: hasColumns ? "\n" : " ")
        }.joined(separator: "\n\n")
    }

    /// Where the last column of a line starts: after two spaces or more.
    private static func columnStart(_ line: Substring) -> Int? {
        let characters = Array(line)
        return characters.indices.dropFirst(3).last { index in
            characters[index] != " " && characters[index - 1] == " " && characters[index - 2] == " "
                && characters[..<index].contains { $0 != " " }
        }
    }

    /// Breaks lines at words. The rest of a line starts where its last column does.
    static func wrapped(_ text: String, width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { wrapped(line: $0, width: min(width, maximumWidth)) }
            .joined(separator: "\n")
    }

    private static func wrapped(line: Substring, width: Int) -> String {
        if line.count <= width { return String(line) }
        var indent = columnStart(line) ?? line.prefix { $0 == " " }.count
        var current = String(line.prefix(indent))
        // Too narrow for columns.
        if indent > width / 2 { indent = 4 }
        var lines: [String] = []
        var isEmpty = true
        for word in line.dropFirst(current.count).split(separator: " ") {
            if !isEmpty, current.count + 1 + word.count > width {
                lines.append(current)
                current = String(repeating: " ", count: indent)
                isEmpty = true
            }
            current += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(current)
        return lines.joined(separator: "\n")
    }
}
