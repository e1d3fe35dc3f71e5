// The example program of this package: a full-text index of folders of text files.
//
//     swift run -c release TextSearch demo

import Foundation

exit(TextSearchCommand(console: .standard).run(Array(CommandLine.arguments.dropFirst())))
