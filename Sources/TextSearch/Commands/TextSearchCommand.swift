import Foundation
import GRDB

/// The program: finds the command, runs it, and turns errors into messages and exit codes.
struct TextSearchCommand {
    let console: Console
    var interruption = Interruption()

    /// - parameter arguments: the arguments after the name of the program.
    /// - returns: the exit code.
    func run(_ arguments: [String]) -> Int32 {
        do {
            return try runCommand(arguments)
        } catch let error as UsageError {
            let help = error.command.map { "TextSearch \($0) --help" } ?? "TextSearch help"
            console.printError("TextSearch: \(error.message)")
            console.printError("See `\(help)`.")
            return ExitCode.usage
        } catch let error as CommandError {
            console.printError("TextSearch: \(error.message)")
        } catch let error as DatabaseError {
            console.printError("TextSearch: \(DatabaseFailure.message(error))")
        } catch {
            console.printError("TextSearch: \(error)")
        }
        return ExitCode.failure
    }

    private func runCommand(_ arguments: [String]) throws -> Int32 {
        guard let name = arguments.first else {
            throw UsageError(message: "a command is missing")
        }
        let rest = Array(arguments.dropFirst())
        if ["--help", "-h"].contains(name) {
            console.write(Help.overview(width: console.columns()))
            return ExitCode.success
        }
        if name == "--version" {
            console.print("TextSearch \(TextSearchCommand.version)")
            console.print("SQLite \(try TextSearchCommand.sqliteVersion())")
            return ExitCode.success
        }
        guard let description = CommandDescription.named(name) else {
            throw UsageError(message: "unknown command “\(TextFormat.printable(name))”")
        }
        let options = rest.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") {
            console.write(Help.page(description, width: console.columns()))
            return ExitCode.success
        }
        let arguments = try Arguments(rest, of: description)
        let console = console.printing(arguments.output)
        return switch name {
        case "index": try IndexCommand(arguments).run(console: console, interruption: interruption)
        case "remove": try RemoveCommand(arguments).run(console: console)
        case "search": try SearchCommand(arguments).run(console: console)
        case "watch": try WatchCommand(arguments).run(console: console, interruption: interruption)
        case "stats": try StatsCommand(arguments).run(console: console)
        case "demo": try DemoCommand(arguments).run(console: console, interruption: interruption)
        case "completions": try printCompletions(arguments)
        default: try printHelp(arguments)
        }
    }

    private func printHelp(_ arguments: Arguments) throws -> Int32 {
        guard let name = arguments.operands.first else {
            console.write(Help.overview(width: console.columns()))
            return ExitCode.success
        }
        guard let command = CommandDescription.named(name) else {
            throw UsageError(message: "unknown command “\(TextFormat.printable(name))”")
        }
        console.write(Help.page(command, width: console.columns()))
        return ExitCode.success
    }

    /// The version of the package: the newest one of the changelog.
    static let version = "7.11.0"

    private static func sqliteVersion() throws -> String {
        try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
    }

    private func printCompletions(_ arguments: Arguments) throws -> Int32 {
        guard arguments.operands.count == 1,
            let shell = CompletionScript.Shell(rawValue: arguments.operands[0])
        else {
            throw UsageError(
                message: "completions needs the name of a shell: bash, zsh or fish",
                command: "completions")
        }
        console.write(CompletionScript(shell: shell).text)
        return ExitCode.success
    }
}
