/// Scripts that let shells complete the command line.
struct CompletionScript {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    let shell: Shell

    var text: String {
        switch shell {
        case .bash: CompletionScript.bash
        case .zsh: CompletionScript.zsh
        case .fish: CompletionScript.fish
        }
    }

    private static let program = "TextSearch"

    /// The options of a command, and what all commands have.
    private static func options(_ command: CommandDescription) -> [CommandDescription.Option] {
        command.options
            + [.init(name: "--help", shortName: "-h", help: "Prints the help of the command.")]
    }

    /// The first sentence of a help text, on one line.
    private static func summary(_ option: CommandDescription.Option) -> String {
        let text = option.help.split(separator: "\n").joined(separator: " ")
        return text.split(separator: ". ").first.map { String($0.trimmingSuffix(".")) } ?? ""
    }

    /// A string of a shell, in single quotes.
    private static func quoted(_ text: String, escape: String = "'\\''") -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: escape)
            + "'"
    }

    // MARK: - bash

    /// Needs nothing but bash itself, 3.2 or later.
    private static let bash: String = {
        let commands = CommandDescription.all
        let words = commands.map(\.name).joined(separator: " ")
        let values = commands.flatMap(\.options).reduce(into: [String: String]()) {
            values, option in
            let names = option.names.joined(separator: "|")
            switch option.value {
            case .none: break
            case .file: values[names] = "_TextSearch_files -f"
            case .number: values[names] = "return"
            case .oneOf(let choices):
                values[names] = "_TextSearch_words \(choices.joined(separator: " "))"
            }
        }
        let valueCases = values.sorted { $0.key < $1.key }.map { name, action in
            "        \(name)) \(action); return ;;"
        }
        let commandCases = commands.map { command in
            let names = options(command).map(\.name).joined(separator: " ")
            let operands =
                switch command.operands {
                case .none, .query: "return"
                case .folders: "_TextSearch_files -d"
                case .oneOf(let choices): "_TextSearch_words \(choices.joined(separator: " "))"
                }
            return """
                        \(command.name))
                            case $current in
                                -*) _TextSearch_words \(names) ;;
                                *) \(operands) ;;
                            esac ;;
                """
        }
        return """
            # Completions of \(program) for bash.

            _TextSearch_words() {
                local IFS=$' \\n'
                COMPREPLY=($(compgen -W "$*" -- "$current"))
            }

            _TextSearch_files() {
                local name
                COMPREPLY=()
                while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$current")
                compopt -o filenames 2>/dev/null
            }

            _TextSearch() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                if [ "$COMP_CWORD" = 1 ]; then
                    _TextSearch_words \(words) --help --version
                    return
                fi
                case $previous in
            \(valueCases.joined(separator: "\n"))
                esac
                case ${COMP_WORDS[1]} in
            \(commandCases.joined(separator: "\n"))
                esac
            }

            complete -F _TextSearch \(program)

            """
    }()

    // MARK: - zsh

    private static let zsh: String = {
        let commands = CommandDescription.all
        let list = commands.map { "        \(quoted("\($0.name):\($0.summary)"))" }
        // A colon and brackets mean something in what `_arguments` takes.
        func escaped(_ text: String) -> String {
            var result = ""
            for character in text {
                if "[]:\\".contains(character) { result += "\\" }
                result.append(character)
            }
            return result
        }
        let cases = commands.map { command -> String in
            var specs = options(command).flatMap { option -> [String] in
                let help = escaped(summary(option))
                let value =
                    switch option.value {
                    case .none: ""
                    case .file: ":\(option.valueName):_files"
                    case .number: ":\(option.valueName): "
                    case .oneOf(let choices):
                        ":\(option.valueName):(\(choices.joined(separator: " ")))"
                    }
                return option.names.map { name in
                    // The value of a long name follows `=`, that of a short one follows at once.
                    let mark = !option.takesValue ? "" : name.hasPrefix("--") ? "=" : "+"
                    return quoted("\(name)\(mark)[\(help)]\(value)")
                }
            }
            switch command.operands {
            case .none: break
            case .folders: specs.append(quoted("*:folder:_files -/"))
            case .query: specs.append(quoted("*:query: "))
            case .oneOf(let choices):
                specs.append(quoted("1:argument:(\(choices.joined(separator: " ")))"))
            }
            return """
                        \(command.name))
                            _arguments -s \\
                                \(specs.joined(separator: " \\\n                    ")) ;;
                """
        }
        return """
            #compdef \(program)
            # Completions of \(program) for zsh.

            _TextSearch() {
                local -a commands
                commands=(
            \(list.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe -t commands command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases.joined(separator: "\n"))
                esac
            }

            if [ "$funcstack[1]" = _TextSearch ]; then
                _TextSearch "$@"
            else
                compdef _TextSearch \(program)
            fi

            """
    }()

    // MARK: - fish

    private static let fish: String = {
        func string(_ text: String) -> String { quoted(text, escape: "\\'") }
        let names = CommandDescription.all.map(\.name).joined(separator: " ")
        var lines = [
            "# Completions of \(program) for fish.",
            "",
            "complete -c \(program) -f",
        ]
        for command in CommandDescription.all {
            lines.append(
                """
                complete -c \(program) -n 'not __fish_seen_subcommand_from \(names)' \
                -a \(command.name) -d \(string(command.summary))
                """)
        }
        for command in CommandDescription.all {
            let condition =
                "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
            for option in options(command) {
                let name = option.name.dropFirst(2)
                let value =
                    switch option.value {
                    case .none: ""
                    case .file: " -r -F"
                    case .number: " -x"
                    case .oneOf(let choices): " -x -a \(string(choices.joined(separator: " ")))"
                    }
                let short = option.shortName.map { " -s \($0.dropFirst())" } ?? ""
                lines.append(
                    "\(condition)\(short) -l \(name)\(value) -d \(string(summary(option)))")
            }
            switch command.operands {
            case .none, .query: break
            case .folders: lines.append("\(condition) -a '(__fish_complete_directories)'")
            case .oneOf(let choices):
                lines.append("\(condition) -a \(string(choices.joined(separator: " ")))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }()
}

extension StringProtocol {
    /// The text without a suffix, if it has it.
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
    }
}
