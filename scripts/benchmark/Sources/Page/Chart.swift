import Foundation

/// The main ratios as bars that start at C. The scale is logarithmic: twice as slow is as far from C as
/// twice as fast.
///
/// The colors follow those of the reader's system, on a card of its own, so that it can be read on any
/// page.
struct Chart {
    let page: Page

    private let width = 880.0
    private let left = 282.0
    private let right = 748.0
    private let top = 104.0
    private var barHeight: Double { page.peer == nil ? 12 : 9 }
    private var rowHeight: Double { page.peer == nil ? 26 : 32 }
    private var bottom: Double { top + Double(page.highlights.count) * rowHeight + 4 }
    private var height: Double { bottom + 58 }

    /// The powers of two at the ends of the scale.
    private var limits: (Double, Double) {
        let ratios = page.highlights.flatMap { [$0.this, $0.peer].compactMap { $0 } }
        let minimum = min(0.5, ratios.map(\.minimum).min() ?? 1)
        let maximum = max(4, ratios.map(\.maximum).max() ?? 1)
        return (log2(minimum).rounded(.down), log2(maximum).rounded(.up))
    }

    private func x(_ ratio: Double) -> Double {
        let (low, high) = limits
        return left + (log2(ratio) - low) / (high - low) * (right - left)
    }

    var text: String {
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" \
            viewBox="0 0 \(n(width)) \(n(height))" role="img" aria-labelledby="title">
            """,
            "<title id=\"title\">CPU time over that of direct calls of C</title>",
            style,
            """
            <rect class="card" x="0.5" y="0.5" width="\(n(width - 1))" height="\(n(height - 1))" \
            rx="10"/>
            """,
            text(24, 36, "heading", "CPU time, over that of direct calls of SQLite’s C API"),
            text(
                24, 58, "note",
                "Shorter is better. Bars: the median round; lines: the fastest to "
                    + "the slowest. Logarithmic scale."),
        ]
        lines += legend + grid
        for (index, row) in page.highlights.enumerated() {
            lines += bars(row, y: top + Double(index) * rowHeight)
        }
        // Over the bars.
        lines.append(
            "<path class=\"unit\" d=\"M\(n(x(1))) \(n(top - 8))V\(n(bottom))\"/>")
        lines.append(text(24, height - 16, "note", footer))
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private var legend: [String] {
        var lines = [
            "<rect class=\"this\" x=\"24\" y=\"72\" width=\"12\" height=\"12\" rx=\"2\"/>",
            text(42, 82, "label", "this package"),
        ]
        if page.peer != nil {
            lines += [
                "<rect class=\"peer\" x=\"140\" y=\"72\" width=\"12\" height=\"12\" rx=\"2\"/>",
                text(158, 82, "label", "\(Page.peerName), linked with the same SQLite"),
            ]
        }
        return lines
    }

    private var grid: [String] {
        let (low, high) = limits
        return stride(from: low, through: high, by: 1).flatMap { power in
            let ratio = exp2(power)
            let place = n(x(ratio))
            let name = ratio == 1 ? "C" : "\(ratio < 1 ? String(ratio) : n(ratio))×"
            return [
                "<path class=\"grid\" d=\"M\(place) \(n(top - 8))V\(n(bottom))\"/>",
                text(x(ratio), bottom + 16, ratio == 1 ? "tick one" : "tick", name),
            ]
        }
    }

    private func bars(
        _ row: (label: String, this: Ratios, peer: Ratios?), y: Double
    ) -> [String] {
        let pair = barHeight * (page.peer == nil ? 1 : 2) + (page.peer == nil ? 0 : 3)
        let first = y + (rowHeight - pair) / 2
        let center = y + rowHeight / 2 + 4.5
        var lines = [text(left - 14, center, "label end", row.label)]
        lines += bar(row.this, "this", y: first)
        lines.append(text(right + 64, center, "value end", short(row.this.median) + "×"))
        if let peer = row.peer {
            lines += bar(peer, "peer", y: first + barHeight + 3)
            lines.append(text(right + 116, center, "other end", short(peer.median) + "×"))
        }
        return lines
    }

    private func bar(_ ratios: Ratios, _ name: String, y: Double) -> [String] {
        let from = min(x(1), x(ratios.median))
        // A ratio of one is a bar, too.
        let length = max(abs(x(ratios.median) - x(1)), 2)
        let middle = n(y + barHeight / 2)
        return [
            """
            <rect class="\(name)" x="\(n(from))" y="\(n(y))" width="\(n(length))" \
            height="\(n(barHeight))" rx="2"/>
            """,
            """
            <path class="range \(name)-range" \
            d="M\(n(x(ratios.minimum))) \(middle)H\(n(x(ratios.maximum)))"/>
            """,
        ]
    }

    private var footer: String {
        let facts = Dictionary(page.facts.map { ($0.name, $0.value) }) { first, _ in first }
        return ["Machine", "SQLite", "Swift", "Date"].compactMap { name in
            facts[name].map { name == "Machine" || name == "Date" ? $0 : "\(name) \($0)" }
        }.joined(separator: " · ")
    }

    private func text(_ x: Double, _ y: Double, _ name: String, _ content: String) -> String {
        let escaped = content.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        return "<text class=\"\(name)\" x=\"\(n(x))\" y=\"\(n(y))\">\(escaped)</text>"
    }

    /// A number without what says nothing.
    private func n(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private var style: String {
        """
        <style>
        text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; \
        font-size: 13px; fill: #1f2328; }
        .card { fill: #ffffff; stroke: #d1d9e0; }
        .heading { font-size: 17px; font-weight: 600; }
        .note, .tick { font-size: 12px; fill: #59636e; }
        .tick { text-anchor: middle; }
        .tick.one { font-weight: 700; fill: #1f2328; }
        .end { text-anchor: end; }
        .value { font-weight: 600; fill: #0757ba; }
        .other { fill: #59636e; }
        .grid { stroke: #eaeef2; }
        .unit { stroke: #1f2328; stroke-width: 1.5; }
        .this { fill: #2f81f7; }
        .peer { fill: #b6bfc8; }
        .range { fill: none; stroke-width: 1.5; }
        .this-range { stroke: #0a3069; }
        .peer-range { stroke: #6e7781; }
        @media (prefers-color-scheme: dark) {
        text, .tick.one { fill: #f0f6fc; }
        .card { fill: #0d1117; stroke: #3d444d; }
        .note, .tick, .other { fill: #9198a1; }
        .value { fill: #79c0ff; }
        .grid { stroke: #21262d; }
        .unit { stroke: #f0f6fc; }
        .this { fill: #1f6feb; }
        .peer { fill: #484f58; }
        .this-range { stroke: #a5d6ff; }
        .peer-range { stroke: #9198a1; }
        }
        </style>
        """
    }
}
