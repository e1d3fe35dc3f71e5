"""Writes the first inputs of the fuzzing targets: FOLDER. They are small, and made anew each time."""

import os
import sys
import tempfile

import apsw

SQL = [
    "SELECT a, b, c FROM t WHERE a LIKE 'a%' ORDER BY c DESC LIMIT 2",
    "INSERT INTO t(a, b) VALUES (?, ?) RETURNING *",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT sum(i) OVER (ORDER BY i) FROM n",
    "UPDATE t SET a = json_set('{}', '$.x', b) WHERE id IN (SELECT rowid FROM f WHERE f MATCH 'fox')",
    "EXPLAIN QUERY PLAN SELECT * FROM t JOIN p",
    "CREATE TABLE z(a INTEGER PRIMARY KEY, b TEXT GENERATED ALWAYS AS (a || 'x') STORED) STRICT\x01INSERT INTO z VALUES (1)\x01SELECT * FROM z",
    "SELECT highlight(f, 0, '<', '>'), bm25(f) FROM f WHERE f MATCH 'quick OR text : \"brown fox\" NEAR(a b, 2)'",
    "SELECT decimal_add('1.5', '2'), printf('%5.2f %s', 1.5, x'00'), strftime('%J', 'now')",
    "PRAGMA table_info(t)",
    "VACUUM",
    "INSERT INTO p VALUES ('a', 1, 2) ON CONFLICT (k, l) DO UPDATE SET m = excluded.m",
    "SELECT * FROM json_tree('{\"a\":[1,{}]}')",
    "CREATE TRIGGER tr AFTER DELETE ON t BEGIN INSERT INTO f VALUES (old.a, 1); END\x01DELETE FROM t",
    "ALTER TABLE t ADD COLUMN n DEFAULT 1",
]
PATTERNS = [
    "quick fox",
    '"brown fox" *',
    "text : a OR b",
    "NEAR(a b, 3)",
    "-a ^b",
    "a AND NOT b",
    "ä É",
    "{text other} : x",
    '"',
    "a*b\0c",
]
DATES = [
    "2024-02-29",
    "2024-02-29 12:34",
    "2024-02-29 12:34:56.789",
    "2024-02-29T12:34:56Z",
    "2024-02-29T12:34:56.123456+05:30",
    "12:34",
    "0000-01-01",
    "9999-12-31 23:59:59.999",
    "-4713-11-24",
    "1582-10-10",
    "2024-13-45",
    "2460000.5",
]
DECIMALS = [
    "1",
    "-0.5",
    "1e10",
    "123456789012345678901234567890123456789",
    "0.00000000000000000001",
    "+1.",
    ".5",
    "NaN",
    "1e-400",
    "1e99999999999",
]
JSON = [
    '{"name":"a","list":[1,2],"map":{"x":1.5}}',
    "[]",
    "null",
    '[{"name":null}]',
    '"\\ud800"',
    "1e999",
    "{'a':0x10,}",
    '{"a":{"b":[[[]]]}}',
]
TABLES = [
    "a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x' CHECK (b <> ''), c REAL REFERENCES t(id)",
    'a, b, c, CONSTRAINT "k" PRIMARY KEY (a, b), UNIQUE (c) ON CONFLICT REPLACE',
    '"a(" TEXT /* , */ COLLATE NOCASE, [b] AS (1) STORED -- x\n, `c` INT',
    "a INT, FOREIGN KEY (a) REFERENCES p(k) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, CHECK (a > 0)",
]
WORDS = [
    "SELECT",
    "INSERT INTO",
    "UPDATE",
    "DELETE FROM",
    "CREATE",
    "TABLE",
    "VIRTUAL",
    "TRIGGER",
    "VIEW",
    "INDEX",
    "WHERE",
    "MATCH",
    "NEAR",
    "RETURNING",
    "WITH",
    "RECURSIVE",
    "OVER",
    "PARTITION BY",
    "GENERATED ALWAYS AS",
    "STRICT",
    "WITHOUT ROWID",
    "COLLATE",
    "REFERENCES",
    "json_each",
    "fts5",
    "rtree",
    "bm25",
    "snippet",
    "PRIMARY KEY",
    "CHECK",
    "CONSTRAINT",
    "UNION",
    "VALUES",
    "FOREIGN KEY",
    "ON CONFLICT",
    "PRAGMA",
    "'",
    '\\"',
    "--",
]


def database(statements, page_size=512):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        connection = apsw.Connection(path)
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute(statements).fetchall()
        connection.close()
        with open(path, "rb") as file:
            return file.read()


FILES = [
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB); INSERT INTO t VALUES (1, 'x', 1.5, zeroblob(900)), (2, NULL, NULL, x'00')",
    "CREATE TABLE w(a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES ('a', 1), ('b', 2); CREATE INDEX i ON w(b) WHERE b > 1",
    "CREATE VIRTUAL TABLE f USING fts5(a, b); INSERT INTO f VALUES ('the quick brown', 'fox'), ('jumps', 'over')",
    "CREATE VIRTUAL TABLE f USING fts4(a); INSERT INTO f VALUES ('the quick brown'), ('jumps')",
    "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 0, 1), (2, 3, 4)",
    "CREATE TABLE s(a INT, b TEXT AS (a || 'x') STORED) STRICT; INSERT INTO s(a) VALUES (1); CREATE VIEW v AS SELECT * FROM s; "
    "CREATE TRIGGER tr AFTER INSERT ON s BEGIN UPDATE s SET a = 2; END; ANALYZE",
    "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a TEXT UNIQUE); INSERT INTO t VALUES ('ä'), ('日本')",
]


def changeset(kind):
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b, c REAL, d BLOB, e AS (length(a)));"
        "CREATE TABLE p(k TEXT, l INTEGER, m, PRIMARY KEY (k, l)) WITHOUT ROWID; INSERT INTO t VALUES (1, 'a', 1, 2.5, x'00')"
    )
    session = apsw.Session(connection, "main")
    session.attach()
    connection.execute(
        "INSERT INTO t VALUES (9, 'x', NULL, -1, x'0102'); UPDATE t SET b = 'y' WHERE id = 1;"
        "INSERT INTO p VALUES ('a', 1, 2), ('b', 2, 3)"
    )
    return session.patchset() if kind else session.changeset()


def wal():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        connection = apsw.Connection(path)
        connection.execute(
            "PRAGMA page_size = 512; PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1), ('x');"
            "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES (zeroblob(700)); CREATE INDEX i ON t(a)"
        ).fetchall()
        with open(path + "-wal", "rb") as file:
            return file.read()


def texts(values, prefix=b""):
    return [prefix + value.encode() for value in values]


def main():
    folder = sys.argv[1]
    files = [database(statements) for statements in FILES]
    corpora = {
        "sql": texts(SQL),
        "file": files,
        "image": files,
        "wal": [wal()],
        "changeset": [changeset(0), changeset(1)],
        "pattern": [bytes([kind]) + text for kind in range(6) for text in texts(PATTERNS)],
        "tokenizer": [bytes([kind]) + text for kind in range(4) for text in texts(PATTERNS)],
        "date": texts(DATES),
        "decimal": [bytes([len(a)]) + a.encode() + b.encode() for a, b in zip(DECIMALS, reversed(DECIMALS))],
        "codable": [bytes(range(1, 90)), b"\x01\x03\x05hello" * 12, b"\x02\x01\0\0\0\0\0\0\0\x07" * 12],
        "json": texts(JSON),
        "literal": [b'\x03\x05it\'s"\x01\0\0\0\0\0\0\0\x01\x04a"b;', b"\x02\x7f\xf0\0\0\0\0\0\0\x04\x02ab\x03x]y"],
        "value": [
            b"\x01\x7f\xff\xff\xff\xff\xff\xff\xff",
            b"\x03\x0512.50",
            b"\x02\x43\xe0\0\0\0\0\0\0",
            b"\x04\x10" + bytes(16),
        ],
        "transformation": [
            bytes([len(text)]) + text + bytes([kind, 0, kind + 1, 1, kind + 2, 2]) + b"\x06z TEXT"
            for text in texts(TABLES)
            for kind in range(8)
        ],
    }
    for name, inputs in corpora.items():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for number, data in enumerate(inputs):
            with open(os.path.join(folder, name, f"first{number}"), "wb") as file:
                file.write(data)
    with open(os.path.join(folder, "words"), "w", encoding="utf-8") as file:
        file.writelines(f'"{word}"\n' for word in WORDS)


main()
