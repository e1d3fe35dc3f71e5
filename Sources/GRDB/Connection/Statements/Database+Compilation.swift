// Compiling SQL, and determining the effects of the compiled statements.

extension Database {
    /// Compiles the first statement found from an offset in UTF-8 bytes.
    ///
    /// - returns: nil if there are only blanks and comments.
    func compile(
        _ sql: String, from offset: Int, persistent: Bool
    ) throws -> (statement: Statement, end: Int)? {
        try checkAccess()
        try checkLength(sql, from: offset)
        let generation = schemaGeneration
        let (prepared, recording) = try prepare(sql, from: offset, persistent: persistent)
        guard let prepared else { return nil }
        let text =
            if offset == 0, prepared.end == sql.utf8.count {
                SQLText.trimmed(sql)
            } else {
                SQLText.trimmed(
                    String(Substring(sql.utf8.dropFirst(offset).prefix(prepared.end - offset))))
            }
        var effects = recording.effects
        effects.addReplacements(by: prepared.statement)
        let statement = Statement(
            database: self, sqliteStatement: prepared.statement, sql: text, effects: effects,
            effectsGeneration: generation)
        return (statement, prepared.end)
    }

    /// Compiles the first statement found from an offset in UTF-8 bytes, and records its effects.
    ///
    /// - throws: the error of a callback of the app that runs during the compilation, or a
    ///   ``DatabaseError``.
    func prepare(
        _ sql: String, from offset: Int = 0, persistent: Bool = false, recordsReads: Bool = false
    ) throws -> (prepared: RawConnection.Prepared?, recording: CompilationMonitor.Recording) {
        let outerError = raw.callbackError
        raw.callbackError = nil
        defer { raw.callbackError = outerError }
        do throws(RawFailure) {
            let (prepared, recording) = try compilation.record(reads: recordsReads) {
                () throws(RawFailure) in
                try raw.prepare(sql, from: offset, persistent: persistent)
            }
            return (prepared, recording)
        } catch {
            if let callbackError = raw.callbackError {
                // SQLite calls pure functions on constants while it compiles.
                raw.callbackError = nil
                if let error = callbackError as? DatabaseError, error.sql == nil {
                    throw DatabaseError(
                        resultCode: error.extendedResultCode, message: error.message, sql: sql)
                }
                throw callbackError
            }
            let text = offset == 0 ? sql : String(Substring(sql.utf8.dropFirst(offset)))
            throw self.error(error, sql: text)
        }
    }

    /// Compiles a statement again to determine its effects: triggers may have been created or
    /// dropped.
    func effects(ofStatement statement: Statement) throws -> StatementEffects {
        let (prepared, recording) = try prepare(statement.sql)
        guard let prepared else { return statement.effects }
        var effects = recording.effects
        effects.addReplacements(by: prepared.statement)
        RawStatement.finalize(prepared.statement)
        return effects
    }

    /// The authorizer.
    func authorize(_ authorization: RawAuthorization) -> CInt {
        callbacks.didAuthorize?(authorization)
        #if GRDB_ENCRYPTION
        if let error = uselessPragmaError(authorization) {
            raw.callbackError = error
            return RawAuthorization.deny
        }
        #endif
        let answer = compilation.authorize(authorization, isReadOnly: isReadOnly) {
            table, isDeclared in
            broker.observesDeletes(from: table, isDeclared: isDeclared)
        } noteUndeclaredChange: {
            broker.noteUndeclaredChange()
        } noteUndeclaredReplacement: {
            noteUndeclaredReplacement(of: $0)
        }
        guard let authorizer, answer != RawAuthorization.deny, !raw.isRunningOwnStatement else {
            return answer
        }
        return authorizer(authorization, answer)
    }

    /// Throws if the SQL is longer than SQLite accepts, before the whole text is processed. The
    /// error does not contain the text.
    func checkLength(_ sql: String, from offset: Int = 0) throws {
        if sql.utf8.count - offset > 1_000_000 { try checkGreatLength(sql.utf8.count - offset) }
    }

    private func checkGreatLength(_ length: Int) throws {
        let limit = raw.limit(.sqlLength)
        guard length > limit else { return }
        throw DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message: "The SQL is too long: \(length) bytes, where \(limit) are accepted")
    }
}

#if GRDB_ENCRYPTION
extension Database {
    /// The error of a pragma of SQLCipher that changes the format of files, and that SQLite3 Multiple Ciphers
    /// ignores: the file would have another format than the app expects.
    fileprivate func uselessPragmaError(_ authorization: RawAuthorization) -> DatabaseError? {
        guard authorization.action == RawAuthorization.pragma,
            let name = authorization.argument1.map({ String(cString: $0) }),
            name.utf8.count > 7, ASCIICase.equal(String(name.prefix(7)), "cipher_")
        else { return nil }
        let lowercased = ASCIICase.lowercased(name)
        if lowercased == "cipher_migrate" {
            return DatabaseError(
                message:
                    "PRAGMA \(name) has no effect: use DatabaseQueue.migrateLegacy(path:key:to:)")
        }
        guard authorization.argument2 != nil,
            lowercased.hasPrefix("cipher_default_") || Self.formatPragmas.contains(lowercased)
        else { return nil }
        return DatabaseError(
            message: "PRAGMA \(name) has no effect: pass the parameter to DatabaseCipher.sqlcipher")
    }

    private static let formatPragmas: Set<String> = [
        "cipher_compatibility", "cipher_hmac_algorithm", "cipher_kdf_algorithm", "cipher_page_size",
        "cipher_plaintext_header_size", "cipher_use_hmac",
    ]
}
#endif
