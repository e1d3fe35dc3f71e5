import Foundation

/// `demo`: indexes the sources and the tests of this package, and runs three searches that show what the
/// tokenizer and the ranking do.
struct DemoCommand {
    /// The checkout.
    var root: String
    var databasePath: String

    init(_ arguments: Arguments) throws {
        root = try DemoCommand.packageRoot()
        databasePath = try DatabaseLocation.path(
            arguments.value(of: "--database"), default: DemoCommand.databaseName(root: root))
    }

    /// The name of the index of a checkout. Another checkout has another name: its files would be found,
    /// and would change the ranking.
    static func databaseName(root: String) -> String {
        // FNV-1a: the hash values of Swift differ from process to process.
        let hash = root.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "demo-\(String(hash, radix: 16)).sqlite"
    }

    /// The two copies of SQLite in Vendor are twice as much text as all these files.
    private static let folders = ["Sources", "Tests", "scripts"]

    private struct Search {
        var query: String
        var remark: String
    }

    private static let synonyms = """
        # A group of synonyms a line.
        erase, delete, remove
        """

    private static let searches = [
        Search(
            query: "\"will change\" observer",
            remark: "A phrase is found inside of camelCase: databaseWillChange."),
        Search(
            query: "érasé diacritics",
            remark: "Accents are folded, and the synonyms of “erase” are found: delete, remove."),
        Search(
            query: "DatabaseQueue",
            remark: "Ranked by bm25: a word in the name of a file weighs ten times as much."),
    ]

    /// - returns: the exit code.
    func run(console: Console, interruption: Interruption) throws -> Int32 {
        if !console.isJSON {
            console.print("Indexing \(TextFormat.printable(root))")
            console.print("Index: \(TextFormat.printable(databasePath))")
            console.print("")
        }
        let index = IndexCommand(
            folders: DemoCommand.folders.map { "\(root)/\($0)" }, databasePath: databasePath,
            synonyms: .text(DemoCommand.synonyms))
        let code = try index.run(console: console, interruption: interruption)
        if interruption.isRequested { return code }
        for search in DemoCommand.searches {
            if !console.isJSON {
                console.print("")
                console.print("$ TextSearch search '\(search.query)' --limit 3")
                console.print(search.remark)
            }
            var command = SearchCommand(
                query: search.query, databasePath: databasePath, limit: 3)
            // An index that --database names may have other folders.
            command.folder = root
            _ = try command.run(console: console)
        }
        return code
    }

    /// The folder of this package: the current one, one around it, or that of the sources.
    static func packageRoot(
        from folder: String = FileManager.default.currentDirectoryPath
    ) throws -> String {
        for start in [folder, #filePath] {
            var url = URL(fileURLWithPath: start).standardizedFileURL
            while true {
                // Any other package has no such file.
                let source = url.appendingPathComponent("Sources/TextSearch/main.swift")
                if FileManager.default.fileExists(atPath: source.path) {
                    // As the index has it: without symbolic links.
                    guard let path = realpath(url.path, nil) else { return url.path }
                    defer { free(path) }
                    return String(cString: path)
                }
                let parent = url.deletingLastPathComponent().standardizedFileURL
                if parent.path == url.path { break }
                url = parent
            }
        }
        throw CommandError(
            message: """
                the checkout of this package was not found: run the demo in it, or index another \
                folder with `TextSearch index FOLDER`
                """)
    }
}
