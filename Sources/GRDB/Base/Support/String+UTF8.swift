import _GRDBSystem

extension String.UTF8View {
    /// Returns the offset of the first byte with this value.
    func firstOffset(of byte: UInt8) -> Int? {
        if let offset = withContiguousStorageIfAvailable({ $0.firstIndex(of: byte) }) {
            return offset
        }
        return firstIndex(of: byte).map { distance(from: startIndex, to: $0) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The order of the bytes: negative, zero or positive.
    func order(to other: UnsafeBufferPointer<UInt8>) -> CInt {
        let count = Swift.min(count, other.count)
        let order = count == 0 ? 0 : memcmp(baseAddress!, other.baseAddress!, count)
        return order == 0 ? CInt((self.count - other.count).signum()) : order
    }
}

extension String {
    /// Whether two texts have the same bytes, as SQLite compares texts and case-sensitive names. Swift's
    /// `==` also accepts other bytes, such as a decomposed `é` for a composed one.
    @inlinable
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        TextMemory(self) == TextMemory(other) || hasSameUTF8(as: other)
    }

    @usableFromInline
    func hasSameUTF8(as other: String) -> Bool {
        if utf8.count != other.utf8.count { return false }
        return withUnsafeUTF8 { bytes in
            other.withUnsafeUTF8 { otherBytes in
                // An empty buffer may have no address.
                guard let start = bytes.baseAddress, let other = otherBytes.baseAddress else {
                    return true
                }
                return start == other || memcmp(start, other, bytes.count) == 0
            }
        }
    }

    /// Calls the closure with the bytes of the string, without copying them.
    ///
    /// `withUTF8` requires a variable, which costs reference counting.
    @inlinable
    @inline(__always)
    func withUnsafeUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        // Strings bridged from Objective-C have no contiguous bytes.
        var copy = self
        return copy.withUTF8(body)
    }
}

extension [String] {
    /// Whether two lists contain texts with the same bytes.
    package func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}

/// Where a text is in memory, or the text itself if it is short. It may be compared where reading the text would count
/// a reference.
@usableFromInline
struct TextMemory: Equatable {
    #if _pointerBitWidth(_64)
    @usableFromInline let words: (UInt64, UInt64)
    #endif

    @inlinable
    @inline(__always)
    init(_ text: String) {
        #if _pointerBitWidth(_64)
        words = unsafeBitCast(text, to: (UInt64, UInt64).self)
        #endif
    }

    /// Whether the texts are the same, because their memory is. Always false where a text has fewer words.
    @inlinable
    @inline(__always)
    static func == (lhs: Self, rhs: Self) -> Bool {
        #if _pointerBitWidth(_64)
        lhs.words.0 == rhs.words.0 && lhs.words.1 == rhs.words.1
        #else
        false
        #endif
    }
}
