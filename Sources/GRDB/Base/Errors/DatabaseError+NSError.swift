#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
public import Foundation

extension DatabaseError: CustomNSError {
    /// The domain of the error as an `NSError`: `GRDB.DatabaseError`.
    public static var errorDomain: String { "GRDB.DatabaseError" }

    /// The extended result code.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The description, and the message as the failure reason.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let message {
            userInfo[NSLocalizedFailureReasonErrorKey] = message
        }
        return userInfo
    }
}

#endif
