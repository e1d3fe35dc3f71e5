/// The exit codes of the program.
enum ExitCode {
    static let success: Int32 = 0
    /// Nothing was found, or some files could not be indexed.
    static let incomplete: Int32 = 1
    static let failure: Int32 = 2
    /// `EX_USAGE` of sysexits.h.
    static let usage: Int32 = 64

    /// The code of a program that a signal has ended.
    static func signal(_ number: Int32) -> Int32 { 128 + number }
}

/// The command line makes no sense.
struct UsageError: Error {
    let message: String
    /// The command whose help explains the usage; nil if the command is unknown.
    var command: String?
}

/// The command can't be done, for a reason that the message explains.
struct CommandError: Error {
    let message: String
}
