/// A consumer of changes that this package implements.
///
/// Hooks report the changes of rows. When the content of a schema is replaced as a whole, they report nothing, so
/// everything that relies on them must answer this event as well: there is no default implementation.
package protocol ChangeConsumer: AnyObject {
    /// Called after the content of a schema was replaced, or may have been: by a backup into it, by an erasure, by
    /// another file that is attached under its name, or by C code that deserializes an image.
    ///
    /// Called outside of transactions, before observers are notified of the end of a transaction.
    ///
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil if it is unknown.
    func contentWasReplaced(in schemaName: String?, _ db: Database)
}

extension ChangeConsumer {
    /// Whether a consumer of the main database is concerned.
    package func isMain(_ schemaName: String?) -> Bool {
        schemaName.map { ASCIICase.equal($0, "main") } ?? true
    }
}

extension Database {
    private struct WeakConsumer {
        weak var consumer: (any ChangeConsumer)?
    }

    private enum ConsumersKey: DatabaseStorageKey {
        static var defaultValue: [WeakConsumer] { [] }
    }

    /// Registers a consumer that is no transaction observer, until it is deallocated.
    package func add(changeConsumer: some ChangeConsumer) {
        self[ConsumersKey.self].removeAll { $0.consumer == nil }
        self[ConsumersKey.self].append(WeakConsumer(consumer: changeConsumer))
    }

    /// The registered consumers that are no transaction observers.
    var changeConsumers: [any ChangeConsumer] { self[ConsumersKey.self].compactMap(\.consumer) }

    /// Reports that the content of a schema, including its definitions, was replaced without statements that declare
    /// the changes.
    ///
    /// Consumers are notified now, or at the end of the current transaction.
    ///
    /// - parameter schemaName: nil if it is unknown.
    /// - parameter failure: the error of a replacement that has failed. SQLite reports a failure of the file system even
    ///   if only the last steps have failed, such as the sync of a deleted journal, or the release of a lock.
    /// - parameter statement: a statement that completes the replacement.
    package func contentWasReplaced(
        in schemaName: String?, failure: (any Error)? = nil, finally statement: String? = nil
    ) {
        if let failure, (failure as? DatabaseError)?.resultCode != .SQLITE_IOERR {
            return schemaCache.removeAll()
        }
        statementCache.removeAll()
        schemaDidChange()
        if configuration.readonly { return }
        broker.replacedSchemas.append(schemaName)
        guard raw.isInAutocommitMode, !isReadOnly else { return }
        // Observers are notified of the end of a transaction, and can't object.
        broker.ignoresObjections = true
        defer { broker.ignoresObjections = false }
        if let statement { try? execute(sql: statement) }
        if broker.replacedSchemas.isEmpty { return }
        if failure == nil {
            broker.emptyTransactionDidCommit()
        } else {
            broker.completion = .rollback
        }
        _ = broker.notifyCompletion()
    }

    /// Reports the schemas whose names now belong to other databases, because statements, or C code, have detached and
    /// attached databases, or deserialized images.
    func noteReplacedSchemas() {
        for schemaName in compilation.takeReplacedSchemas(among: raw.schemaNames) {
            contentWasReplaced(in: schemaName)
        }
    }
}

extension ObservationBroker {
    /// Notifies the consumers of replaced content.
    func notifyReplacedContent() {
        let schemaNames = replacedSchemas
        replacedSchemas = []
        for schemaName in schemaNames {
            notifying {
                observations.elements.forEachUncounted { observation in
                    if observation.isRemoved { return }
                    call(observation) { observation.contentWasReplaced(in: schemaName, database) }
                }
            }
            for consumer in database.changeConsumers {
                consumer.contentWasReplaced(in: schemaName, database)
            }
        }
    }
}
