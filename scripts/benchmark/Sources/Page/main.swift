// Writes the page of benchmarks from what the program Benchmark has measured. scripts/run-benchmarks
// --page runs it.
//
// usage: Page THIS_RESULTS [--peer=RESULTS] [--fact=NAME=VALUE]… --output=FOLDER [--readme=FILE]

import Foundation

func values(_ option: String) -> [String] {
    CommandLine.arguments.filter { $0.hasPrefix("--\(option)=") }
        .map { String($0.dropFirst(option.count + 3)) }
}

let page = Page(
    this: try Measurements(path: CommandLine.arguments[1]),
    peer: try values("peer").first.map { try Measurements(path: $0) },
    facts: values("fact").map { fact in
        let parts = fact.split(separator: "=", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    })
let folder = URL(fileURLWithPath: values("output")[0])

try page.text.write(
    to: folder.appendingPathComponent("results.md"), atomically: true, encoding: .utf8)
try Chart(page: page).text.write(
    to: folder.appendingPathComponent("results.svg"), atomically: true, encoding: .utf8)
for readme in values("readme") {
    let old = try String(contentsOfFile: readme, encoding: .utf8)
    try page.replacingRows(in: old).write(toFile: readme, atomically: true, encoding: .utf8)
}
