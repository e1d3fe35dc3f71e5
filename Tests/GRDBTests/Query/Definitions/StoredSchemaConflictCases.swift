import GRDB

extension StoredSchemaCase {
    /// Keys and `NOT NULL` with each conflict clause.
    static let conflictClauses: [Self] = [
        Self(
            "auto",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id") } },
        Self(
            "auto-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ABORT AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .abort) } },
        Self(
            "auto-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .fail) } },
        Self(
            "auto-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT IGNORE AUTOINCREMENT)"#
            ]
        ) { try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .ignore) } },
        Self(
            "auto-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .replace) }
        },
        Self(
            "auto-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ROLLBACK AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") { $0.autoIncrementedPrimaryKey("id", onConflict: .rollback) }
        },
        Self(
            "pk-ABORT",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT ABORT NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .abort) } },
        Self(
            "pk-FAIL",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT FAIL NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .fail) } },
        Self(
            "pk-IGNORE",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT IGNORE NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .ignore) } },
        Self(
            "pk-REPLACE",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT REPLACE NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .replace) } },
        Self(
            "pk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" TEXT PRIMARY KEY ON CONFLICT ROLLBACK NOT NULL)"#
            ]
        ) { try $0.create(table: "t") { $0.primaryKey("id", .text, onConflict: .rollback) } },
        Self(
            "cpk-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ABORT AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .abort, autoincrement: true)
            }
        },
        Self(
            "cpk-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .fail, autoincrement: true)
            }
        },
        Self(
            "cpk-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT IGNORE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .ignore, autoincrement: true)
            }
        },
        Self(
            "cpk-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .replace, autoincrement: true)
            }
        },
        Self(
            "cpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT ROLLBACK AUTOINCREMENT)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).primaryKey(onConflict: .rollback, autoincrement: true)
            }
        },
        Self(
            "nn-ABORT",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL UNIQUE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .abort).unique(onConflict: .abort)
            }
        },
        Self(
            "nn-FAIL",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT FAIL UNIQUE ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .fail).unique(onConflict: .fail)
            }
        },
        Self(
            "nn-IGNORE",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .ignore).unique(onConflict: .ignore)
            }
        },
        Self(
            "nn-REPLACE",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT REPLACE UNIQUE ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .replace).unique(onConflict: .replace)
            }
        },
        Self(
            "nn-ROLLBACK",
            [
                #"CREATE TABLE "t" ("id" INTEGER NOT NULL ON CONFLICT ROLLBACK UNIQUE ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") {
                $0.column("id", .integer).notNull(onConflict: .rollback).unique(
                    onConflict: .rollback)
            }
        },
        Self(
            "tpk-ABORT",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .abort)
            }
        },
        Self(
            "tpk-FAIL",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .fail)
            }
        },
        Self(
            "tpk-IGNORE",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .ignore)
            }
        },
        Self(
            "tpk-REPLACE",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .replace)
            }
        },
        Self(
            "tpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.primaryKey(["a", "b"], onConflict: .rollback)
            }
        },
        Self(
            "tuk-ABORT",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .abort)
            }
        },
        Self(
            "tuk-FAIL",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .fail)
            }
        },
        Self(
            "tuk-IGNORE",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .ignore)
            }
        },
        Self(
            "tuk-REPLACE",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .replace)
            }
        },
        Self(
            "tuk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a", "b", UNIQUE ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.column("a"); t.column("b"); t.uniqueKey(["a", "b"], onConflict: .rollback)
            }
        },
        Self(
            "bpk-ABORT",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT ABORT)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .abort) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Self(
            "bpk-FAIL",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT FAIL)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .fail) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Self(
            "bpk-IGNORE",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT IGNORE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .ignore) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Self(
            "bpk-REPLACE",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT REPLACE)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .replace) {
                    t.column("a"); t.column("b")
                }
            }
        },
        Self(
            "bpk-ROLLBACK",
            [
                #"CREATE TABLE "t" ("a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b") ON CONFLICT ROLLBACK)"#
            ]
        ) {
            try $0.create(table: "t") { t in
                t.primaryKey(onConflict: .rollback) {
                    t.column("a"); t.column("b")
                }
            }
        },
    ]
}
