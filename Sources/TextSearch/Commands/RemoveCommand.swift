import Foundation
import GRDB

/// `remove FOLDER…`: removes folders from the index, whether they are still there or not.
struct RemoveCommand {
    var folders: [String]
    var databasePath: String
    var isVerbose = false

    init(_ arguments: Arguments) throws {
        if arguments.operands.isEmpty {
            throw UsageError(message: "remove needs a folder", command: "remove")
        }
        folders = arguments.operands
        databasePath = try DatabaseLocation.path(arguments.value(of: "--database"))
        isVerbose = arguments.has("--verbose")
    }

    /// - returns: the exit code.
    func run(console: Console) throws -> Int32 {
        let index = try IndexDatabase.forChanging(path: databasePath)
        let reporter = ChangeReporter(index)
        var unknown: [String] = []
        try index.queue.write { db in
            for folder in folders {
                let path = RemoveCommand.path(of: folder)
                let count = try IndexDatabase.delete(folder: path, in: db)
                if count == 0 { unknown.append(path) }
            }
        }
        let changes = reporter.changes
        if console.isJSON {
            try console.printJSON(
                RemoveOutput(changes: changes.map(ChangeOutput.init), unknown: unknown))
        } else {
            if isVerbose || changes.count <= IndexCommand.maximumListedChanges {
                for change in changes { console.print(ChangeFormat.line(change, console)) }
            }
            for path in unknown {
                console.printError("\(DisplayPath.text(path)): is not in the index")
            }
            console.print(ChangeFormat.total(changes))
        }
        try index.close()
        return unknown.isEmpty ? ExitCode.success : ExitCode.incomplete
    }

    /// The absolute path of a folder, as the index has it: without symbolic links, as far as the folders
    /// around it are still there.
    static func path(of folder: String) -> String {
        var url = URL(fileURLWithPath: folder).standardizedFileURL
        var rest: [String] = []
        while true {
            if let real = realpath(url.path, nil) {
                defer { free(real) }
                let start = String(cString: real)
                if rest.isEmpty { return start }
                return ([start == "/" ? "" : start] + rest).joined(separator: "/")
            }
            rest.insert(url.lastPathComponent, at: 0)
            url.deleteLastPathComponent()
        }
    }
}

/// What `remove` has done.
private struct RemoveOutput: Encodable {
    var changes: [ChangeOutput]
    /// Folders that the index has nothing of.
    var unknown: [String]
}
