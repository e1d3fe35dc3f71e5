import Foundation

/// Where the program writes, and what it knows about the reader.
struct Console: Sendable {
    /// Whether standard output is a terminal.
    var isOutputTerminal: Bool
    /// Whether standard error is a terminal, where a progress bar may move.
    var isErrorTerminal: Bool
    /// Whether standard output understands escape sequences.
    var isStyled: Bool
    /// The width of the terminal.
    var columns: @Sendable () -> Int
    /// Writes to standard output.
    var write: @Sendable (String) -> Void
    /// Writes to standard error.
    var writeError: @Sendable (String) -> Void

    func print(_ line: String) { write(line + "\n") }

    func printError(_ line: String) { writeError(line + "\n") }

    /// Text that should be seen: bold on a terminal, in brackets elsewhere.
    func highlighted(_ text: String) -> String {
        isStyled ? "\u{1b}[1m\(text)\u{1b}[0m" : "[\(text)]"
    }

    /// Text that should be seen less: faint on a terminal, as it is elsewhere.
    func faint(_ text: String) -> String {
        isStyled ? "\u{1b}[2m\(text)\u{1b}[0m" : text
    }
}

extension Console {
    /// The streams of the process.
    static var standard: Console {
        let isOutputTerminal = isatty(STDOUT_FILENO) == 1
        let environment = ProcessInfo.processInfo.environment
        // https://no-color.org
        let allowsStyles =
            environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return Console(
            isOutputTerminal: isOutputTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            isStyled: isOutputTerminal && allowsStyles,
            columns: { terminalWidth() },
            write: { text in
                if let code = writeAll(text, to: STDOUT_FILENO) {
                    _ = writeAll(
                        "TextSearch: standard output: \(String(cString: strerror(code)))\n",
                        to: STDERR_FILENO)
                    exit(ExitCode.failure)
                }
            },
            writeError: { _ = writeAll($0, to: STDERR_FILENO) })
    }

    /// Writes without a buffer, so that both streams stay in order.
    ///
    /// - returns: the error number of a failure.
    private static func writeAll(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var remaining = UnsafeRawBufferPointer(bytes)
            while !remaining.isEmpty {
                let count = Foundation.write(descriptor, remaining.baseAddress, remaining.count)
                if count >= 0 {
                    remaining = UnsafeRawBufferPointer(rebasing: remaining.dropFirst(count))
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }

    private static func terminalWidth() -> Int {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO]
        where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return 80
    }
}
