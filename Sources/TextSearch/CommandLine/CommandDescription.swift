/// What a command takes: the arguments are read by it, and so are the help pages and the completions
/// of shells made.
struct CommandDescription: Sendable {
    /// An option: `--limit N`.
    struct Option: Sendable {
        /// What follows the name.
        enum Value: Sendable {
            case none
            case file
            case number
            case oneOf([String])
        }

        /// With its dashes.
        var name: String
        /// With its dash.
        var shortName: String?
        var value = Value.none
        /// How the value is called in the help.
        var valueName = ""
        var help: String

        /// All spellings.
        var names: [String] { (shortName.map { [$0] } ?? []) + [name] }
        var takesValue: Bool { if case .none = value { false } else { true } }
    }

    /// What stands without dashes.
    enum Operands: Sendable {
        case none
        case folders
        case query
        case oneOf([String])
    }

    var name: String
    /// What stands after the name: `QUERY [OPTION…]`.
    var synopsis: String
    /// A few words.
    var summary: String
    /// The text of the help page. Paragraphs are wrapped again, for the width of the terminal. In lines
    /// with two spaces or more, what follows these is a column.
    var details = ""
    var operands = Operands.none
    var options: [Option] = []
}

extension CommandDescription {
    /// The description of a command; nil if there is no such command.
    static func named(_ name: String) -> CommandDescription? {
        all.first { $0.name == name }
    }

    static let all = [index, remove, search, watch, stats, demo, completions, help]

    // MARK: - Options of several commands

    private static let database = Option(
        name: "--database", value: .file, valueName: "FILE",
        help: "The index. The default is TextSearch/index.sqlite in the cache folder of the user.")

    private static let json = Option(
        name: "--json", help: "Prints JSON, for other programs.")

    private static let color = Option(
        name: "--color", value: .oneOf(["auto", "always", "never"]), valueName: "WHEN",
        help: """
            Colors: auto, always or never. By default (auto), on a terminal, unless NO_COLOR is
            set: https://no-color.org
            """)

    private static let limit = Option(
        name: "--limit", shortName: "-n", value: .number, valueName: "N",
        help: "The maximum number of results. The default is 10.")

    private static let raw = Option(
        name: "--raw",
        help: """
            QUERY is in the syntax of FTS5, with the columns title and body:
            https://www.sqlite.org/fts5.html#full_text_query_syntax
            """)

    // MARK: - Commands

    static let index = CommandDescription(
        name: "index",
        synopsis: "FOLDER… [OPTION…]",
        summary: "index folders of text files, or bring the index up to date",
        details: """
            Indexes the text files of folders and of the folders inside, but for hidden folders (those
            whose name starts with a dot) and what .gitignore files exclude. Symbolic links are not
            followed.

            Indexing again is incremental: a file whose size and modification date are the same is
            not read again, files that are gone leave the index. A folder that is gone leaves it by
            `TextSearch remove FOLDER`. The content itself is not compared: an edit that keeps both
            size and date is not noticed, a new date alone is a change.

            Binary files (those with a NUL byte, or with many control characters) are counted and
            skipped. Files that can't be read, are no UTF-8 text, or are larger than 256 MB are
            listed on standard error, and the exit status is then 1; the other files are indexed all
            the same. What the index has of a file or folder that can't be read is kept.

            Ctrl-C ends after the current file: every file is indexed as a whole, or not at all. A
            second Ctrl-C drops the files of the current transaction, a third does not wait for it.
            """,
        operands: .folders,
        options: [
            Option(
                name: "--synonyms", value: .file, valueName: "FILE",
                help: """
                    One group of synonyms a line, separated by commas: `delete, erase`. Lines that
                    start with # are comments. They replace those of the index, take effect at once,
                    and need no indexing again.
                    """),
            Option(name: "--no-ignore", help: "Also indexes what .gitignore files exclude."),
            Option(
                name: "--verbose",
                help: """
                    Lists all changes and all skipped files. Without it, changes are listed when there
                    are 20 or less.
                    """),
            database, json, color,
        ])

    static let remove = CommandDescription(
        name: "remove",
        synopsis: "FOLDER… [OPTION…]",
        summary: "remove folders from the index",
        details: """
            Removes folders, and the folders inside, from the index. The folders themselves may be gone;
            if they are there, nothing happens to them. A file is removed in the same way. The exit
            status is 1 if the index had nothing of a folder.
            """,
        operands: .folders,
        options: [
            Option(
                name: "--verbose",
                help: """
                    Lists all removed files. Without it, files are listed when there are 20 or less.
                    """),
            database, json, color,
        ])

    static let search = CommandDescription(
        name: "search",
        synopsis: "QUERY [OPTION…]",
        summary: "find files, the best ones first",
        details: """
            Finds the files that contain all words. Case and accents make no difference, words are
            found inside of camelCase and snake_case names, file names weigh more than contents. Up to
            three lines of each file are printed, as `path:line: text`.

            word         This word, or a synonym.
            "two words"  One after the other.
            word*        Words that start so.
            -word        Files without this word.

            A query that only excludes words lists the other files in the order of their paths. Options
            start with two dashes, except -n and -h. Arguments after -- are words of the query. The
            exit status is 1 if nothing was found.
            """,
        operands: .query,
        options: [
            limit, raw,
            Option(
                name: "--explain",
                help: """
                    Prints the query, how SQLite runs it, and for each file its rank, its score (files
                    with higher scores come first) and where its first match is.
                    """),
            database, json, color,
        ])

    static let watch = CommandDescription(
        name: "watch",
        synopsis: "[QUERY] [OPTION…]",
        summary: "print what changes in the index, or in the results of a query",
        details: """
            Prints what changes in the index, or in the results of QUERY, as another process indexes,
            until Ctrl-C. With --json, each change is an object on a line of its own.
            """,
        operands: .query,
        options: [limit, raw, database, json, color])

    static let stats = CommandDescription(
        name: "stats",
        synopsis: "[OPTION…]",
        summary: "print what the index is made of",
        details: "Prints the tables, their sizes, the version of SQLite and its compile options.",
        options: [database, json, color])

    static let demo = CommandDescription(
        name: "demo",
        synopsis: "[OPTION…]",
        summary: "index the sources and tests of this package, and search them",
        details: """
            Indexes the folders Sources, Tests and scripts in the checkout of this package, and runs three
            searches. Each checkout has an index of its own, apart from that of the other commands.
            """,
        options: [database, json, color])

    static let completions = CommandDescription(
        name: "completions",
        synopsis: "SHELL",
        summary: "print a completion script for bash, zsh or fish",
        details: """
            Prints a script that completes commands and options. To install it:

            bash  TextSearch completions bash > ~/.local/share/bash-completion/completions/TextSearch
            zsh   TextSearch completions zsh > "${fpath[1]}/_TextSearch"
            fish  TextSearch completions fish > ~/.config/fish/completions/TextSearch.fish
            """,
        operands: .oneOf(CompletionScript.Shell.allCases.map(\.rawValue)))

    static let help = CommandDescription(
        name: "help",
        synopsis: "[COMMAND]",
        summary: "print this page, or that of a command",
        operands: .oneOf(["index", "remove", "search", "watch", "stats", "demo", "completions"]))
}
