import Foundation

/// How numbers, durations and foreign text are shown.
enum TextFormat {
    /// `1234567` as `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `3 files`, `1 file`.
    static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// A number of bytes, in decimal units.
    static func size(_ bytes: Int) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        if bytes < 1000 { return count(bytes, "byte") }
        var value = Double(bytes) / 1000
        var unit = 0
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(decimal(value)) \(units[unit])"
    }

    /// A number with one decimal.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(count(abs(tenths) / 10)).\(abs(tenths) % 10)"
    }

    /// A number with some decimals, for people who compare.
    static func decimal(_ value: Double, digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }

    /// `75` as `1:15`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 360_000 else { return "?" }
        let seconds = Int(seconds.rounded(.up))
        let rest = padded(String(seconds % 60), to: 2, with: "0")
        if seconds < 3600 { return "\(seconds / 60):\(rest)" }
        return "\(seconds / 3600):\(padded(String(seconds / 60 % 60), to: 2, with: "0")):\(rest)"
    }

    /// The text, at the end of a field.
    static func padded(_ text: String, to width: Int, with character: Character = " ") -> String {
        String(repeating: character, count: max(0, width - text.count)) + text
    }

    /// Text from a file, or the name of a file, without what could drive the terminal: control
    /// characters become `�`, a tab becomes four spaces.
    static func printable(_ text: some StringProtocol) -> String {
        func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            // C0 and C1 controls, line and paragraph separators, and what turns the direction.
            case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: false
            default: true
            }
        }
        if text.unicodeScalars.allSatisfy(isHarmless) { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\t" {
                result.append(contentsOf: "    ".unicodeScalars)
            } else {
                result.append(isHarmless(scalar) ? scalar : "\u{fffd}")
            }
        }
        return String(result)
    }
}
