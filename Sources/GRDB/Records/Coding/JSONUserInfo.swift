import _GRDBSystem

// JSON coders require sendable user info, but the user info of records is not declared sendable.
// Coders that receive it stay on one thread.

extension JSONDecoder {
    /// The whitespace bytes that JSON allows before a value.
    static let whitespace = Data([0x20, 0x09, 0x0A, 0x0D])

    func setUserInfo(_ userInfo: [CodingUserInfoKey: Any]) {
        if !userInfo.isEmpty { self.userInfo = userInfo.assumingSendable }
    }

    /// Returns a copy of the decoder with additional user info. The decoder itself may be shared
    /// between records and threads.
    ///
    /// Subclasses can't be copied: they are returned with their own user info.
    func addingUserInfo(_ userInfo: [CodingUserInfoKey: Any]) -> JSONDecoder {
        guard type(of: self) == JSONDecoder.self else { return self }
        let copy = JSONDecoder()
        copy.dateDecodingStrategy = dateDecodingStrategy
        copy.dataDecodingStrategy = dataDecodingStrategy
        copy.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        copy.keyDecodingStrategy = keyDecodingStrategy
        if #available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *) {
            copy.allowsJSON5 = allowsJSON5
            copy.assumesTopLevelDictionary = assumesTopLevelDictionary
        }
        copy.userInfo = self.userInfo.merging(userInfo.assumingSendable) { $1 }
        return copy
    }
}

extension JSONEncoder {
    func setUserInfo(_ userInfo: [CodingUserInfoKey: Any]) {
        if !userInfo.isEmpty { self.userInfo = userInfo.assumingSendable }
    }

    /// Returns a copy of the encoder with additional user info. The encoder itself may be shared
    /// between records and threads.
    ///
    /// Subclasses defined by apps can't be copied: they are returned with their own user info.
    func addingUserInfo(_ userInfo: [CodingUserInfoKey: Any]) -> JSONEncoder {
        guard type(of: self) == JSONEncoder.self || self is DefaultJSONEncoder else { return self }
        let copy = JSONEncoder()
        copy.outputFormatting = outputFormatting
        copy.dateEncodingStrategy = dateEncodingStrategy
        copy.dataEncodingStrategy = dataEncodingStrategy
        copy.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        copy.keyEncodingStrategy = keyEncodingStrategy
        copy.userInfo = self.userInfo.merging(userInfo.assumingSendable) { $1 }
        return copy
    }
}

extension [CodingUserInfoKey: Any] {
    @inline(never)
    func adding(_ userInfo: Self) -> Self { merging(userInfo) { $1 } }

    fileprivate var assumingSendable: [CodingUserInfoKey: any Sendable] {
        // `Sendable` does not exist at run time. The dictionary is cast as a whole, because casts
        // of single values unwrap optionals.
        unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
    }
}
