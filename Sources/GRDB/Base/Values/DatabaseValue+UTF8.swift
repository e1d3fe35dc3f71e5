extension DatabaseValue {
    /// Passes the bytes of a string or a blob to a closure.
    ///
    /// - returns: the result of the closure; nil if the value is neither a string nor a blob.
    func withUTF8<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result?
    ) rethrows -> Result? {
        switch storage {
        case .string(var text):
            try text.withUTF8(body)
        case .blob(let data):
            try data.withUnsafeBytes { bytes in
                try bytes.withMemoryRebound(to: UInt8.self, body)
            }
        default:
            nil
        }
    }
}
