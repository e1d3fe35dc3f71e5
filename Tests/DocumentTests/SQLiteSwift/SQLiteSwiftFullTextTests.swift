import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapter "Full-text Search" of the SQLite.swift guide, in the spelling of
/// this library.
@Suite(.databases) struct SQLiteSwiftFullTextTests {
    private let emails = Table("emails")
    private let subject = Column("subject")
    private let body = Column("body")

    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().inDatabase(body)
    }

    private func sql(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'emails'")
    }

    /// `emails.create(.FTS4(subject, body))`
    @Test func fts4Table() throws {
        try inDatabase { db in
            try db.create(virtualTable: "emails", using: FTS4()) { t in
                t.column(subject.name)
                t.column(body.name)
            }
            try expectEqual(sql(db), "CREATE VIRTUAL TABLE \"emails\" USING fts4(subject, body)")
        }
    }

    /// `emails.create(.FTS4([subject, body], tokenize: .Porter))`
    @Test func fts4TableWithTokenizer() throws {
        try inDatabase { db in
            try db.create(virtualTable: "emails", using: FTS4()) { t in
                t.tokenizer = .porter
                t.column(subject.name)
                t.column(body.name)
            }
            try expectEqual(
                sql(db),
                "CREATE VIRTUAL TABLE \"emails\" USING fts4(subject, body, tokenize=porter)")
        }
    }

    /// `FTS4Config().column(subject).column(body, [.unindexed]).languageId("lid").order(.desc)`
    @Test func fts4Config() throws {
        try inDatabase { db in
            try db.create(virtualTable: "emails", using: FTS4()) { t in
                t.column(subject.name)
                t.column(body.name).notIndexed()
                t.column("lid").asLanguageId()
                t.order = .descending
            }
            try expectEqual(
                sql(db),
                """
                CREATE VIRTUAL TABLE "emails" USING \
                fts4(subject, body, notindexed=body, languageid="lid", order="desc")
                """)
        }
    }

    /// `emails.match("wonder*")`, `emails.filter(subject.match("Re:*"))`
    @Test func fts4Matches() throws {
        try inDatabase { db in
            try db.create(virtualTable: "emails", using: FTS4()) { t in
                t.column(subject.name)
                t.column(body.name)
            }
            let text = "Hey, I was just wondering...did you get my last email?"
            try db.execute(
                literal: """
                    INSERT INTO emails (subject, body) VALUES ('Just Checking In', \(text)), \
                    ('Re: Checking', 'Yes')
                    """)

            // SELECT * FROM "emails" WHERE "emails" MATCH 'wonder*'
            let wonderfulEmails = emails.matching(try FTS3Pattern(rawPattern: "wonder*"))
            try expectRequest(
                db, wonderfulEmails, #"SELECT * FROM "emails" WHERE "emails" MATCH 'wonder*'"#,
                ["Just Checking In|\(text)"])
            // The pattern may as well be any text.
            try expectEqual(emails.filter(Column("emails").match("wonder*")).fetchCount(db), 1)

            // SELECT * FROM "emails" WHERE "subject" MATCH 'Re:*'
            let replies = emails.filter(subject.match("Re:*"))
            try expectRequest(
                db, replies, #"SELECT * FROM "emails" WHERE "subject" MATCH 'Re:*'"#,
                ["Re: Checking|Yes"])
        }
    }

    /// `FTS5Config().column(subject).column(body, [.unindexed])`
    @Test func fts5Table() throws {
        try inDatabase { db in
            try db.create(virtualTable: "emails", using: FTS5()) { t in
                t.column(subject.name)
                t.column(body.name).notIndexed()
            }
            try expectEqual(
                sql(db),
                "CREATE VIRTUAL TABLE \"emails\" USING fts5(subject, body UNINDEXED)")
            try db.execute(sql: "INSERT INTO emails VALUES ('Re: Checking', 'Re: Re:'), ('In', '')")

            // SELECT * FROM "emails" WHERE "emails" MATCH 'subject:"Re:"*'
            let replies = emails.matching(
                try db.makeFTS5Pattern(rawPattern: "subject:\"Re:\"*", forTable: "emails"))
            try expectRequest(
                db, replies, #"SELECT * FROM "emails" WHERE "emails" MATCH 'subject:"Re:"*'"#,
                ["Re: Checking|Re: Re:"])
        }
    }
}
