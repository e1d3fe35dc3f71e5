import GRDB

/// The work right before `COMMIT`, as a part of the transaction.
enum CommitPreparation {
    static func install(_ db: Database) {
        db.callbacks.willReplaceTable = { db, table in
            try OutboxRecorder.willReplaceTable(table, db)
        }
        db.callbacks.willCommitTransaction = { db in
            try OutboxRecorder.flushAll(db)
            // Outboxes have changed their tables.
            try TableChangeAnnouncer.current(db)?.announce(db)
        }
    }
}
