/// How changes of the index are shown.
enum ChangeFormat {
    /// One change: `~ Sources/main.swift (1,200 → 1,234 bytes)`.
    static func line(_ change: FileChange, _ console: Console) -> String {
        let path = DisplayPath.text(change.path)
        return switch change.kind {
        case .inserted(let size):
            "\(console.styled("+", .added)) \(path) (\(TextFormat.count(size, "byte")))"
        case .changed(let oldSize, let newSize):
            """
            \(console.styled("~", .changed)) \(path) \
            (\(TextFormat.count(oldSize)) → \(TextFormat.count(newSize, "byte")))
            """
        case .deleted(let size):
            "\(console.styled("-", .removed)) \(path) (\(TextFormat.count(size, "byte")))"
        }
    }

    /// `3 changes: 1 inserted, 1 changed, 1 deleted.`
    static func total(_ changes: [FileChange]) -> String {
        var inserted = 0
        var changed = 0
        var deleted = 0
        for change in changes {
            switch change.kind {
            case .inserted: inserted += 1
            case .changed: changed += 1
            case .deleted: deleted += 1
            }
        }
        let count = TextFormat.count(changes.count, "change")
        if changes.isEmpty { return count + "." }
        return """
            \(count): \(TextFormat.count(inserted)) inserted, \(TextFormat.count(changed)) \
            changed, \(TextFormat.count(deleted)) deleted.
            """
    }
}
