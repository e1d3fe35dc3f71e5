import Foundation

/// What is measured of the library and, if it was asked for, of the other one.
struct Page {
    let this: Measurements
    let peer: Measurements?
    /// The machine, the versions, the date.
    let facts: [(name: String, value: String)]

    static let peerName = "GRDB 7.10"

    /// The results in Markdown.
    var text: String {
        var lines = [
            "# Speed",
            "",
            "Written by `scripts/run-benchmarks --page\(peer == nil ? "" : " --against-grdb")`.",
            "",
            "Each number is a ratio: CPU time of all threads, over that of a twin, which makes the same "
                + "Swift values by direct calls of the C API of the same SQLite. 1.00 is as fast as "
                + "C, 2.00 takes twice as long. The two run in turn; the ratio is that of the median "
                + "round, with the smallest and the largest one. The times are those of this package "
                + "and of its twin.",
        ]
        if peer != nil {
            lines += [
                "",
                "\(Self.peerName) runs the same source, linked with the same SQLite, compiled with "
                    + "the same options, and is compared with the same calls of C: what differs is "
                    + "the library. A dash stands where its API has no such call, or would take minutes.",
            ]
        }
        lines += ["", "![Ratios of CPU time to C](results.svg)", ""]
        lines += ["| | |", "|---|---|"] + facts.map { "| \($0.name) | \($0.value) |" }
        for section in sections {
            lines += ["", "## \(section.title)", "", section.note, ""]
            lines += table(section.names)
        }
        lines += ["", "## Memory", ""]
        lines += [
            "The peak of the resident memory of a process that does nothing else, in MB. What a "
                + "process has that only opens a connection is in it.", "",
        ]
        lines += memoryTable
        lines += [
            "", "## Not on this page", "",
            "Full-text search, whose twins are tokenizers and ranking functions in C: "
                + "`scripts/run-benchmarks \"20 MB|matches\"`. How cost grows with rows, columns, "
                + "keys and observers: `scripts/run-benchmarks growth`.", "",
        ]
        return lines.joined(separator: "\n")
    }

    /// Those that have results, and one for what they don't name.
    private var sections: [Section] {
        let named = Set(Section.all.flatMap(\.names))
        let others = Section(
            title: "Others", note: "Workloads that belong nowhere else.",
            names: this.timeNames.filter { !named.contains($0) })
        return (Section.all + [others])
            .map { section in
                Section(
                    title: section.title, note: section.note,
                    names: section.names.filter { this.times[$0] != nil })
            }
            .filter { !$0.names.isEmpty }
    }

    private func table(_ names: [String]) -> [String] {
        var header = ["workload", "this package"]
        if peer != nil { header.append(Self.peerName) }
        header += ["one operation", "the twin"]
        return rows(
            header,
            names.map { name in
                let time = this.times[name]!
                var row = [name, "**\(decimals(time.ratios.median))** \(range(time.ratios))"]
                if let peer {
                    row.append(
                        peer.times[name].map {
                            "\(decimals($0.ratios.median)) \(range($0.ratios))"
                        } ?? "–")
                }
                return row + [duration(time.library), duration(time.twin)]
            })
    }

    private var memoryTable: [String] {
        var header = ["", "C", "this package"]
        if peer != nil { header.append(Self.peerName) }
        return rows(
            header,
            this.peakNames.map { name in
                let peak = this.peaks[name]!
                var row = [name, megabytes(peak.twin), "**\(megabytes(peak.library))**"]
                if let peer { row.append(peer.peaks[name].map { megabytes($0.library) } ?? "–") }
                return row
            })
    }

    /// The rows of the README, between its two marks.
    func replacingRows(in readme: String) throws -> String {
        let start = "<!-- rows of scripts/run-benchmarks --page -->\n"
        let end = "<!-- end of rows -->"
        guard let from = readme.range(of: start)?.upperBound,
            let to = readme.range(of: end)?.lowerBound, from <= to
        else { throw NoMarks() }
        var header = ["CPU time, over that of C", "this package"]
        if peer != nil { header.append(Self.peerName) }
        let lines = rows(
            header,
            highlights.filter { Section.mainLabels.contains($0.label) }.map { highlight in
                var row = [highlight.label, "**\(short(highlight.this.median))**"]
                if peer != nil { row.append(highlight.peer.map { short($0.median) } ?? "–") }
                return row
            })
        return readme[..<from] + lines.joined(separator: "\n") + "\n" + readme[to...]
    }

    struct NoMarks: Error {}

    /// The rows of the chart that have results.
    var highlights: [(label: String, this: Ratios, peer: Ratios?)] {
        Section.highlights.compactMap { name, label in
            this.times[name].map { (label, $0.ratios, peer?.times[name]?.ratios) }
        }
    }
}

/// A table of Markdown: text on the left, numbers on the right.
private func rows(_ header: [String], _ rows: [[String]]) -> [String] {
    let line = header.indices.map { $0 == 0 ? "---" : "---:" }
    return ([header, line] + rows).map { "| \($0.joined(separator: " | ")) |" }
}

private func range(_ ratios: Ratios) -> String {
    "(\(decimals(ratios.minimum))–\(decimals(ratios.maximum)))"
}

private func decimals(_ value: Double, _ count: Int = 2) -> String {
    String(format: "%.\(count)f", value)
}

/// With the digits that a reader compares.
func short(_ ratio: Double) -> String {
    decimals(ratio, ratio < 1.995 ? 2 : ratio < 9.95 ? 1 : 0)
}

private func megabytes(_ bytes: Double) -> String { decimals(bytes / 1e6, 0) }

private func duration(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\(decimals(nanoseconds, 0)) ns"
    case ..<1_000_000: "\(decimals(nanoseconds / 1000, nanoseconds < 10_000 ? 1 : 0)) µs"
    default: "\(decimals(nanoseconds / 1_000_000, 1)) ms"
    }
}
