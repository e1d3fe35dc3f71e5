extension String.UTF8View {
    /// The offset of the first byte of this value.
    func firstOffset(of byte: UInt8) -> Int? {
        if let offset = withContiguousStorageIfAvailable({ $0.firstIndex(of: byte) }) {
            return offset
        }
        return firstIndex(of: byte).map { distance(from: startIndex, to: $0) }
    }
}

extension String {
    /// Calls the closure with the bytes of the string, without a copy of it.
    ///
    /// `withUTF8` wants a variable: one more reference to count.
    @inlinable
    @inline(__always)
    func withUnsafeUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        // A string that came from Objective-C.
        var copy = self
        return copy.withUTF8(body)
    }
}
