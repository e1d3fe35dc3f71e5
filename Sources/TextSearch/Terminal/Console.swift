import Foundation

/// Where the program writes, and what it knows about the reader.
struct Console: Sendable {
    /// Whether standard output is a terminal.
    var isOutputTerminal: Bool
    /// Whether standard error is a terminal, where a progress bar may move.
    var isErrorTerminal: Bool
    /// Whether standard output understands escape sequences.
    var isStyled: Bool
    /// Whether a program reads the output.
    var isJSON = false
    /// The width of the terminal.
    var columns: @Sendable () -> Int
    /// Writes to standard output.
    var write: @Sendable (String) -> Void
    /// Writes to standard error.
    var writeError: @Sendable (String) -> Void

    func print(_ line: String) { write(line + "\n") }

    func printError(_ line: String) { writeError(line + "\n") }

    // MARK: - Styles

    /// What a text is. The colors are those that other search programs have made known.
    enum Style: String {
        case match = "1;31"
        case path = "35"
        case lineNumber = "32"
        case added = "32;1"
        case changed = "33"
        case removed = "31"
        case faint = "2"
    }

    /// The text with its color, on a terminal; the text alone elsewhere.
    func styled(_ text: String, _ style: Style) -> String {
        isStyled && !text.isEmpty ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// Text that should be seen less.
    func faint(_ text: String) -> String { styled(text, .faint) }

    /// This console, as the options of a command want it.
    func printing(_ options: OutputOptions) -> Console {
        var console = self
        console.isJSON = options.isJSON
        switch options.color {
        case .auto: break
        case .always: console.isStyled = true
        case .never: console.isStyled = false
        }
        return console
    }
}

extension Console {
    /// The streams of the process.
    static var standard: Console {
        let isOutputTerminal = isatty(STDOUT_FILENO) == 1
        return Console(
            isOutputTerminal: isOutputTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            isStyled: isOutputTerminal && allowsStyles(ProcessInfo.processInfo.environment),
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

    /// Whether a terminal should get escape sequences. See <https://no-color.org>.
    static func allowsStyles(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
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
