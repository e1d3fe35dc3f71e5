extension String.UTF8View {
    /// Returns the offset of the first byte with this value.
    func firstOffset(of byte: UInt8) -> Int? {
        if let offset = withContiguousStorageIfAvailable({ $0.firstIndex(of: byte) }) {
            return offset
        }
        return firstIndex(of: byte).map { distance(from: startIndex, to: $0) }
    }
}

extension String {
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
