import Foundation

// JSON coders want sendable user info, which the user info of records is not declared to be. The
// coders that get it stay in one thread.

extension JSONDecoder {
    func setUserInfo(_ userInfo: [CodingUserInfoKey: Any]) {
        if !userInfo.isEmpty { self.userInfo = userInfo.assumingSendable }
    }
}

extension JSONEncoder {
    func setUserInfo(_ userInfo: [CodingUserInfoKey: Any]) {
        if !userInfo.isEmpty { self.userInfo = userInfo.assumingSendable }
    }
}

extension [CodingUserInfoKey: Any] {
    fileprivate var assumingSendable: [CodingUserInfoKey: any Sendable] {
        // `Sendable` does not exist at run time. The dictionary as a whole: a value would be
        // unwrapped.
        unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
    }
}
