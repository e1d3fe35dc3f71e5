// The example program of this package: a full-text index of folders of text files.
//
//     swift run -c release TextSearch demo

import Foundation

// A file that may not grow is an error of SQLite, not the end of the process.
signal(SIGXFSZ, SIG_IGN)

exit(TextSearchCommand(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
