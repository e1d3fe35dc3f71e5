// What the snippets of the guide use without declaring it: only to type-check.

import Foundation
import GRDB

nonisolated(unsafe) var config = Configuration()
nonisolated(unsafe) let dbPool: DatabasePool! = nil
nonisolated(unsafe) var dbQueue: DatabaseQueue! = nil
let (path, newPath, passphrase, newPassphrase) = ("", "", "", "")
let key = EncryptionKey.passphrase("")
let salt = Data()

func loadPassphrase() -> String { "" }
func loadPassphraseData() throws -> Data { Data() }
func askForPassphraseAgain() {}
