// Reads the symbol graph of the module, for scripts/check-api and scripts/check-docs, which compile
// this file.
//
//   symbols interface FOLDER       the public interface, a sorted line a symbol
//   symbols undocumented FOLDER    the public symbols without a doc comment, a line each

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
            var text: String
        }
        var lines: [Line]
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

guard CommandLine.arguments.count == 3 else { fail("usage: symbols interface|undocumented FOLDER") }
let command = CommandLine.arguments[1]
let folder = URL(fileURLWithPath: CommandLine.arguments[2])

var symbols: [Symbol] = []
var relationships: [Relationship] = []
for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
where file.lastPathComponent.hasSuffix(".symbols.json") {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
    symbols += graph.symbols
    relationships += graph.relationships
}
if symbols.isEmpty { fail("no symbol graph in \(folder.path)") }

// A leading underscore marks what is public for the compiler's sake.
let visible = symbols.filter { symbol in !symbol.pathComponents.contains { $0.hasPrefix("_") } }

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
    // Implementations of a requirement have its comment.
    let inherited = Set(
        relationships.filter {
            $0.sourceOrigin != nil || $0.kind == "defaultImplementationOf"
                || $0.kind == "overrides"
        }.map(\.source))
    lines = visible.filter { symbol in
        guard let location = symbol.location, location.uri.contains("Sources/GRDB") else {
            return false
        }
        let isDocumented = symbol.docComment.map { comment in
            comment.lines.contains { !$0.text.trimmingCharacters(in: .whitespaces).isEmpty }
        }
        return isDocumented != true && !inherited.contains(symbol.identifier.precise)
    }.map { symbol in
        let path = symbol.location!.uri.components(separatedBy: "Sources/GRDB/").last!
        return "Sources/GRDB/\(path):\(symbol.location!.position.line + 1): \(symbol.name)"
    }
default:
    fail("usage: symbols interface|undocumented FOLDER")
}
for line in Set(lines).sorted() {
    print(line)
}
