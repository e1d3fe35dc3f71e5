import Foundation

/// The files that the index has of a folder, to be compared with those that are there.
///
/// Paths are compared byte by byte, and no string is made to look for one. The files of a folder come
/// in the order that the list has them in, so that the next one is nearly always the one looked for.
struct KnownFiles {
    /// In the order of the bytes of their paths, as SQLite sorts them.
    private let files: [IndexedFile]
    private var isFound: [Bool]
    private var next = 0

    init(_ files: [IndexedFile]) {
        self.files = files
        isFound = Array(repeating: false, count: files.count)
    }

    /// Those that nobody has looked for.
    var others: [IndexedFile] {
        zip(files, isFound).filter { !$0.1 }.map(\.0)
    }

    /// Returns what the index has of a file.
    mutating func find(_ path: UnsafeBufferPointer<UInt8>) -> IndexedFile? {
        var range = 0..<files.count
        var index = next
        while !range.isEmpty {
            if !range.contains(index) { index = range.lowerBound + range.count / 2 }
            switch KnownFiles.compare(files[index].path, path) {
            case 0:
                isFound[index] = true
                next = index + 1
                return files[index]
            case ..<0:
                range = index + 1..<range.upperBound
            default:
                range = range.lowerBound..<index
            }
            // Half of the rest.
            index = range.lowerBound + range.count / 2
        }
        return nil
    }

    private static func compare(_ string: String, _ path: UnsafeBufferPointer<UInt8>) -> Int {
        var string = string
        return string.withUTF8 { $0.compareBytes(with: path) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Below zero, zero or above, as these bytes come before, are the same, or come after.
    func compareBytes(with other: UnsafeBufferPointer<UInt8>) -> Int {
        if let start = baseAddress, let otherStart = other.baseAddress {
            let order = memcmp(start, otherStart, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }

    var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
