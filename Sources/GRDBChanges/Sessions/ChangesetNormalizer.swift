import GRDB
import _GRDBSystem

/// Removes invalid updates that SQLite writes to changesets, but does not accept itself. Combined
/// patchsets, and rebased changes of tables whose columns all belong to the primary key, may
/// contain updates that change nothing. Rebased updates repeat the values of primary keys, which
/// updates never change.
final class ChangesetNormalizer {
    private var header: ChangesetHeader?
    private var remainder = Data()

    /// Writes the complete changes of a piece of a changeset, and keeps the rest for the next
    /// piece.
    func normalize(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard remainder.isEmpty else {
            remainder.append(contentsOf: bytes)
            let data = remainder
            remainder = Data()
            return try data.withUnsafeBytes { try process($0, write) }
        }
        try process(bytes, write)
    }

    /// Throws if the changeset ends with an incomplete change.
    func finish() throws {
        if !remainder.isEmpty { throw ChangesetScanner.truncated(at: 0) }
    }

    private func process(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // The start of the bytes that can be written unchanged.
        var start = 0
        var offset = 0
        while offset < bytes.count {
            var end = offset
            guard let replacement = try next(bytes, &end) else { break }
            if let replacement {
                if start < offset {
                    try write(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
                }
                if !replacement.isEmpty { try replacement.withUnsafeBytes(write) }
                start = end
            }
            offset = end
        }
        if start < offset {
            try write(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
        }
        if offset < bytes.count { remainder.append(contentsOf: bytes[offset...]) }
    }

    /// Advances an offset past a table header or a change.
    ///
    /// - returns: nil if the header or change is incomplete. Otherwise its replacement, or
    ///   `.some(nil)` to keep it.
    private func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws -> Data?? {
        let start = offset
        if bytes[start] == UInt8(ascii: "T") || bytes[start] == UInt8(ascii: "P") {
            var scanner = ChangesetScanner()
            guard case .header(let header) = try scanner.next(bytes, at: &offset) else {
                return nil
            }
            self.header = header
            return .some(nil)
        }
        guard let header, bytes.count - start >= 2 else { return nil }
        offset += 2
        guard bytes[start] == RawChangeset.update else {
            let keysOnly = header.isPatchset && bytes[start] == RawChangeset.delete
            for flag in header.keyFlags where !keysOnly || flag != 0 {
                guard try skip(bytes, &offset) != nil else { return nil }
            }
            return .some(nil)
        }
        if !header.isPatchset {
            for _ in header.keyFlags {
                guard try skip(bytes, &offset) != nil else { return nil }
            }
        }
        let newStart = offset
        var setsKey = false
        var setsColumn = false
        // The new values, with those of the primary key undefined.
        var values = Data()
        for flag in header.keyFlags {
            let valueStart = offset
            guard let isDefined = try skip(bytes, &offset) else { return nil }
            if isDefined {
                if flag == 0 { setsColumn = true } else { setsKey = true }
            }
            if flag == 0 {
                values.append(contentsOf: bytes[valueStart..<offset])
            } else {
                values.append(0)
            }
        }
        if !setsColumn { return .some(Data()) }
        if !setsKey || header.isPatchset { return .some(nil) }
        return .some(Data(bytes[start..<newStart]) + values)
    }

    private func skip(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws -> Bool? {
        try ChangesetScanner.skipValue(bytes, at: &offset, position: 0)
    }
}

extension Changeset {
    /// Returns the changeset without the updates that SQLite does not accept.
    func normalized() throws -> Changeset {
        var normalized = Data()
        let normalizer = ChangesetNormalizer()
        try data.withUnsafeBytes { bytes in
            try normalizer.normalize(bytes) { normalized.append(contentsOf: $0) }
        }
        try normalizer.finish()
        return normalized.count == data.count
            ? self : Changeset(validated: normalized, isPatchset: isPatchset)
    }
}
