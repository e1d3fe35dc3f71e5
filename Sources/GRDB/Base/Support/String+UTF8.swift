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
        #if _pointerBitWidth(_64)
        // Identical memory, which short texts have, is the same text.
        let words = unsafeBitCast(self, to: (UInt64, UInt64).self)
        let otherWords = unsafeBitCast(other, to: (UInt64, UInt64).self)
        if words.0 == otherWords.0, words.1 == otherWords.1 { return true }
        #endif
        return hasSameUTF8(as: other)
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
