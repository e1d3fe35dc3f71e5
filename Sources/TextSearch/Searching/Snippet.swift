/// The lines of a text that show best what was found.
struct Snippet {
    struct Line: Equatable {
        /// From 1.
        var number: Int
        /// What the line says, and whether it is a match.
        var pieces: [(text: String, isMatch: Bool)]

        static func == (lhs: Line, rhs: Line) -> Bool {
            lhs.number == rhs.number && lhs.pieces.elementsEqual(rhs.pieces, by: ==)
        }
    }

    private(set) var lines: [Line] = []

    /// A line with matches.
    private struct Candidate {
        var number: Int
        var range: Range<Int>
        var matches: [PhraseMatcher.Match]

        /// How many different terms of the query the line has.
        var score: Int { Set(matches.map(\.term)).count }
    }

    /// A snippet without lines.
    init() {}

    /// - parameter width: the maximum number of characters of a line.
    init(
        of text: UnsafeBufferPointer<UInt8>, matches: [PhraseMatcher.Match], lineCount: Int = 3,
        width: Int
    ) {
        let candidates = Snippet.candidates(text, matches)
        var best: [Candidate] = []
        for score in Set(candidates.map(\.score)).sorted(by: >) where best.count < lineCount {
            best += candidates.lazy.filter { $0.score == score }.prefix(lineCount - best.count)
        }
        lines = best.sorted { $0.number < $1.number }.map { Snippet.line($0, text, width) }
    }

    /// Groups the matches by the line in which they start.
    private static func candidates(
        _ text: UnsafeBufferPointer<UInt8>, _ matches: [PhraseMatcher.Match]
    ) -> [Candidate] {
        var candidates: [Candidate] = []
        var number = 1
        var lineStart = 0
        var offset = 0
        for match in matches.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            while offset < match.range.lowerBound {
                if text[offset] == UInt8(ascii: "\n") {
                    number += 1
                    lineStart = offset + 1
                }
                offset += 1
            }
            if let last = candidates.last, last.number == number {
                candidates[candidates.count - 1].matches.append(match)
            } else {
                let rest = text[offset...]
                let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
                candidates.append(
                    Candidate(number: number, range: lineStart..<lineEnd, matches: [match]))
            }
        }
        return candidates
    }

    private static func line(
        _ candidate: Candidate, _ text: UnsafeBufferPointer<UInt8>, _ width: Int
    ) -> Line {
        // Of a long line, what stands around the first match.
        let firstMatch = candidate.matches[0].range.lowerBound
        var start = candidate.range.lowerBound
        var isStartCut = false
        if firstMatch - start > width / 2 {
            start = firstMatch - width / 4
            while text[start] & 0xc0 == 0x80 { start += 1 }
            isStartCut = true
        } else {
            while start < firstMatch, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        }

        var pieces: [(text: String, isMatch: Bool)] = []
        var remainingWidth = width
        var isEndCut = false
        func append(_ range: Range<Int>, isMatch: Bool) {
            if range.isEmpty || isEndCut { return }
            // A character takes as many bytes as it likes; four are generous.
            let bytes = text[range].prefix(4 * remainingWidth)
            let string = TextFormat.printable(String(decoding: bytes, as: UTF8.self))
            let shown = string.prefix(remainingWidth)
            isEndCut = bytes.count < range.count || shown.endIndex < string.endIndex
            remainingWidth -= shown.count
            if !shown.isEmpty { pieces.append((String(shown), isMatch)) }
        }
        if isStartCut { pieces.append(("…", false)) }
        var offset = start
        for match in candidate.matches {
            // Matches may overlap, or go on in the next line.
            let end = min(match.range.upperBound, candidate.range.upperBound)
            if end <= offset { continue }
            let matchStart = max(offset, match.range.lowerBound)
            append(offset..<matchStart, isMatch: false)
            append(matchStart..<end, isMatch: true)
            offset = end
        }
        var lineEnd = candidate.range.upperBound
        while lineEnd > offset, text[lineEnd - 1] <= 0x20 { lineEnd -= 1 }
        append(offset..<lineEnd, isMatch: false)
        if isEndCut { pieces.append(("…", false)) }
        return Line(number: candidate.number, pieces: pieces)
    }
}
