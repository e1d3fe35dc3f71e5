// The part of Apple's Security framework that the guide uses, for systems without it: only to type-check.

import Foundation

public typealias CFString = NSString
public typealias CFTypeRef = AnyObject
public typealias CFDictionary = [NSString: Any]
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
nonisolated(unsafe) public let kSecClass: CFString = "class"
nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"

public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    errSecSuccess
}

public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    errSecSuccess
}
