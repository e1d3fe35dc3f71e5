// Reads the symbol graphs of the modules, for scripts/check-api and scripts/check-docs, which compile
// this file.
//
//   symbols interface FOLDER       the public interface, a sorted line a symbol
//   symbols undocumented FOLDER    the public symbols without a doc comment, a line each
//   symbols silent FOLDER          the public functions that throw, and whose comment has no `- throws:`
//   symbols comments FOLDER        how many symbols have a comment of their own, and how many say what
//                                  they throw
//
// A symbol that implements a requirement without a comment of its own has the comment of the requirement.

import Foundation

struct Graph: Decodable {
    var symbols: [Symbol]
    var relationships: [Relationship]
}

struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
    var sourceOrigin: Origin?

    struct Origin: Decodable {
        var identifier: String
    }
}

struct Symbol: Decodable {
    struct Kind: Decodable {
        var identifier: String
    }
    struct Identifier: Decodable {
        var precise: String
    }
    struct Fragment: Decodable {
        var spelling: String
    }
    struct Comment: Decodable {
        struct Line: Decodable {
            struct Range: Decodable {
                var end: Location.Position
            }
            var text: String
            var range: Range?
        }
        var lines: [Line]
        var module: String?
        var uri: String?
    }
    struct Location: Decodable {
        struct Position: Decodable {
            var line: Int
        }
        var uri: String
        var position: Position
    }
    struct SwiftExtension: Decodable {
        struct Constraint: Decodable {
            var kind: String
            var lhs: String
            var rhs: String
        }
        var constraints: [Constraint]?
    }

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]?
    var docComment: Comment?
    var location: Location?
    var swiftExtension: SwiftExtension?

    var name: String { pathComponents.joined(separator: ".") }

    var declaration: String {
        (declarationFragments ?? []).map(\.spelling).joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Where the symbol is declared; nil if that is in another module.
    var place: String? {
        guard let location, let path = location.uri.range(of: "Sources/GRDB") else { return nil }
        let file = location.uri[path.lowerBound...]
        return "\(file):\(location.position.line + 1): \(name)"
    }

    var isDocumented: Bool {
        docComment?.lines.contains { !$0.text.allSatisfy(\.isWhitespace) } ?? false
    }

    /// Whether the comment precedes the declaration, rather than that of a requirement.
    var hasOwnComment: Bool {
        guard isDocumented, let docComment, let location, docComment.uri == location.uri,
            let end = docComment.lines.last?.range?.end
        else { return false }
        // Attributes may stand between them.
        return (1...8).contains(location.position.line - end.line)
    }

    /// Whether the declaration throws errors of its own: functions that rethrow say so, and closures
    /// that throw are inside of parentheses.
    var isThrowing: Bool {
        let kinds = [
            "swift.func", "swift.func.op", "swift.init", "swift.method", "swift.property",
            "swift.subscript", "swift.type.method", "swift.type.property", "swift.type.subscript",
            "swift.var",
        ]
        guard kinds.contains(kind.identifier) else { return false }
        var depth = 0
        var outside = ""
        for character in declaration {
            if "([".contains(character) { depth += 1 }
            if depth == 0 { outside.append(character) }
            if ")]".contains(character) {
                depth -= 1
                outside.append(" ")
            }
        }
        return outside.split(whereSeparator: { !$0.isLetter }).contains("throws")
    }

    /// Whether the comment says which errors the function throws. Comments of the standard library say it
    /// in other words.
    var saysErrors: Bool {
        guard let docComment else { return false }
        if let module = docComment.module, !module.hasPrefix("GRDB") { return true }
        return docComment.lines.contains {
            $0.text.drop(while: \.isWhitespace).lowercased().hasPrefix("- throws:")
        }
    }

    /// What its extension asks of the type. Two members may differ in nothing else.
    var conditions: String {
        let constraints = (swiftExtension?.constraints ?? []).map { constraint in
            switch constraint.kind {
            case "sameType": "\(constraint.lhs) == \(constraint.rhs)"
            default: "\(constraint.lhs): \(constraint.rhs)"
            }
        }
        return constraints.isEmpty ? "" : " where " + constraints.sorted().joined(separator: ", ")
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("symbols: \(message)\n".utf8))
    exit(2)
}

let usage = "usage: symbols interface|undocumented|silent|comments FOLDER"
guard CommandLine.arguments.count == 3 else { fail(usage) }
let command = CommandLine.arguments[1]
let folder = URL(fileURLWithPath: CommandLine.arguments[2])

var symbols: [Symbol] = []
var relationships: [Relationship] = []
for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
where path.hasSuffix(".symbols.json") {
    let file = folder.appendingPathComponent(path)
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
    symbols += graph.symbols
    relationships += graph.relationships
}
if symbols.isEmpty { fail("no symbol graph in \(folder.path)") }

// A leading underscore marks what is public for the compiler's sake. Extensions of the types of other modules have
// symbols of their own, which only the site needs.
let visible = symbols.filter { symbol in
    symbol.kind.identifier != "swift.extension"
        && !symbol.pathComponents.contains { $0.hasPrefix("_") }
}

var lines: [String]
switch command {
case "interface":
    lines = visible.map { "\($0.name)  \($0.declaration)\($0.conditions)" }
    let names = Dictionary(
        symbols.map { ($0.identifier.precise, $0.name) }, uniquingKeysWith: { first, _ in first })
    for relationship in relationships where relationship.kind == "conformsTo" {
        guard let type = names[relationship.source] else { continue }
        let proto = names[relationship.target] ?? relationship.targetFallback ?? relationship.target
        if type.hasPrefix("_") || proto.contains("_") { continue }
        lines.append("\(type)  : \(proto)")
    }
case "undocumented":
    // Requirements of other modules may come without comments.
    let known = Set(symbols.map(\.identifier.precise))
    let inherited = Set(
        relationships.filter { relationship in
            relationship.sourceOrigin.map { !known.contains($0.identifier) } ?? false
                || relationship.kind == "defaultImplementationOf"
                    && !known.contains(relationship.target)
        }.map(\.source))
    lines = visible.filter { symbol in
        !symbol.isDocumented && !inherited.contains(symbol.identifier.precise)
    }.compactMap(\.place)
case "silent":
    lines = visible.filter { $0.isThrowing && !$0.saysErrors }.compactMap(\.place)
case "comments":
    let own = visible.filter { $0.place != nil }
    let throwing = own.filter(\.isThrowing)
    let lacking = own.filter { !$0.hasOwnComment }
    lines = [
        "\(own.count) public symbols, \(lacking.count) with the comment of a requirement",
        "\(throwing.count) that throw, \(throwing.count - throwing.filter(\.saysErrors).count) silent",
    ]
default:
    fail(usage)
}
for line in Set(lines).sorted() {
    print(line)
}
