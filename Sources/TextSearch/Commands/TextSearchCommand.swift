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
            console.printError("TextSearch: \(error.message)")
            console.printError("See `TextSearch help`.")
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
        let options = rest.prefix { $0 != "--" }
        if ["help", "--help", "-h"].contains(name)
            || options.contains("--help") || options.contains("-h")
        {
            console.write(Usage.text)
            return ExitCode.success
        }
        return switch name {
        case "index": try IndexCommand(rest).run(console: console, interruption: interruption)
        case "search": try SearchCommand(rest).run(console: console)
        case "watch": try WatchCommand(rest).run(console: console, interruption: interruption)
        case "stats": try StatsCommand(rest).run(console: console)
        case "demo": try DemoCommand(rest).run(console: console, interruption: interruption)
        default: throw UsageError(message: "unknown command “\(TextFormat.printable(name))”")
        }
    }
}
