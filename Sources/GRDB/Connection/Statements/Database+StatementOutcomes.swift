// Handling the success and failure of statements, and the end of their cursors.

extension Database {
    /// Brings caches and observers up to date after a statement has succeeded.
    ///
    /// - throws: the error of an observer.
    func statementDidSucceed(_ statement: Statement) throws {
        if let effect = statement.effects.transactionEffect {
            transactionStateDidChange(effect)
            if broker.isActive || !broker.replacedSchemas.isEmpty, hasEndedEmptyTransaction(effect)
            {
                broker.emptyTransactionDidCommit()
            }
        } else if statement.effects.changesSchema {
            if let table = statement.effects.droppedOrAlteredTable {
                let table = CaseInsensitiveIdentifier(table)
                alterations.recorded?.insert(table)
                if broker.isActive {
                    alterations.unobserved.insert(table)
                    if statement.effects.replacedTable != nil { alterations.replaced.insert(table) }
                }
            }
            schemaDidChange()
            if compilation.mayReplaceSchemas { noteReplacedSchemas() }
        } else if statement.effects.changesSettings {
            settingsDidChange()
        }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            throw error
        }
    }

    private func transactionStateDidChange(_ effect: StatementEffects.TransactionEffect) {
        switch effect {
        case .begin:
            transactionDidBegin()
        case .beginSavepoint(let name):
            if !isTransactionDated {
                transactionDidBegin()
            }
            heldTransaction?.savepoints.insert(.init(name))
            broker.didOpenSavepoint(name)
        case .releaseSavepoint(let name):
            broker.didReleaseSavepoint(name)
        case .rollbackToSavepoint(let name):
            if heldTransaction?.savepoints.contains(.init(name)) == false {
                heldTransaction?.isRolledBack = true
            }
            broker.didRollBackSavepoint(name)
            // The rollback has expired these blobs, but SQLite would refuse another savepoint while
            // they are open.
            if !raw.blobs.isEmpty { raw.closeWritableBlobs() }
            rollbackReason = nil
            clearSchemaCache()
        case .commit:
            break
        case .rollback:
            // The rollback may have restored an older schema.
            clearSchemaCache()
        }
        if raw.isInAutocommitMode {
            transactionDidEnd()
        }
    }

    /// Whether the statement has ended a transaction that changed nothing, so that SQLite has not
    /// called the commit hook.
    private func hasEndedEmptyTransaction(_ effect: StatementEffects.TransactionEffect) -> Bool {
        switch effect {
        case .commit, .releaseSavepoint: break
        default: return false
        }
        return !broker.hasCompletion && raw.isInAutocommitMode && !isInUnnotifiedRead
    }

    /// Turns the failure of a statement into the error to throw.
    func statementDidFail(_ statement: Statement, _ failure: RawFailure) -> any Error {
        let failure = stopFailure(failure)
        let callbackError = raw.callbackError
        raw.callbackError = nil
        // FTS5 looks up the tokenizer of a table when it is first needed, in the middle of a
        // change.
        let lacksTokenizer = failure.message?.hasPrefix("no such tokenizer: ") ?? false
        if raw.hasFailedWithinChange || lacksTokenizer {
            raw.hasFailedWithinChange = false
            requireRollback(
                of: statement, because: callbackError.map { "\($0)" } ?? failure.message ?? "")
        }
        if raw.isInAutocommitMode {
            // The rollback has expired these blobs, but SQLite would refuse to commit while they are open.
            if broker.hasRolledBack, !raw.blobs.isEmpty { raw.closeWritableBlobs() }
            // SQLite may have rolled back a schema change together with the failed statement.
            clearSchemaCache()
            transactionDidEnd()
        }
        if broker.hasFailedToCommit { broker.noteFailure(failure) }
        if broker.hasCompletion, let error = broker.notifyCompletion() {
            return error
        }
        if let callbackError {
            return statementError(callbackError, statement)
        }
        if let error = cancellationError(failure) { return error }
        return DatabaseError(
            failure, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Returns an error thrown by a Swift callback unchanged, except for a database error without
    /// statement, which is completed with the statement.
    private func statementError(_ error: any Error, _ statement: Statement) -> any Error {
        guard let error = error as? DatabaseError, error.sql == nil else { return error }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: statement.sql,
            arguments: statement.arguments.isEmpty ? nil : statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Resets the statements of cursors that outlive their access: they must not keep the lock or
    /// the snapshot of the access.
    package func endCursors() {
        if !accessBounds.isEmpty { endAccessBounds() }
        if !raw.blobs.isEmpty { raw.closeBlobs() }
        statementCache.forgetRefinements()
        // C code may have ended a transaction after the last statement.
        statementDidReset()
        // C code may have attached a database, or deserialized an image.
        if compilation.mayReplaceSchemas { noteReplacedSchemas() }
        guard raw.cursorCount > 0 else { return }
        if raw.resetAllStatements() { keepFailure(DatabaseError(.outOfMemory)) }
        statementDidReset()
    }

    /// Called after a statement was reset before its end, which commits in autocommit mode.
    package func statementDidReset() {
        if broker.hasCompletion {
            // The error of a cancelled commit has no caller to be thrown to.
            _ = broker.notifyCompletion()
        }
    }
}
