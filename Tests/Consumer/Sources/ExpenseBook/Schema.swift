import GRDB

/// The migrations of the file. A migration that has shipped never changes: add another one.
func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()

    migrator.registerMigration("v1: expenses") { db in
        try db.create(table: "category") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
        }
        try db.create(table: "expense") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("category", onDelete: .restrict).notNull()
            t.column("date", .datetime).notNull().indexed()
            t.column("cents", .integer).notNull().check { $0 > 0 }
        }
    }

    migrator.registerMigration("v2: notes") { db in
        try db.alter(table: "expense") { t in
            t.add(column: "note", .text).notNull().defaults(to: "")
        }
        try db.create(virtualTable: "expense_ft", using: FTS5()) { t in
            t.synchronize(withTable: "expense")
            t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
            t.column("note")
        }
    }

    return migrator
}
