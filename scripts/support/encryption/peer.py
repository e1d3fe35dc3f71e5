"""The other side of scripts/check-encryption: the same files, by sqlcipher3 or apsw-sqlite3mc.

    peer.py version PEER
    peer.py write|read PEER FORMAT FILE
    peer.py bench sqlcipher plain|encrypted FILE
"""

import sys

MARKER = "MARKER-of-plain-text-0123456789"
PASSPHRASE = "a passphrase, écrit"
RAW_KEY = "".join("%02x" % byte for byte in range(32))
SALT = "".join("%02x" % byte for byte in range(16))


def open_sqlcipher(format, path):
    from sqlcipher3 import dbapi2

    connection = dbapi2.connect(path, isolation_level=None)
    run = connection.execute
    key = "\"x'%s'\"" % RAW_KEY if format == "sqlcipher4-raw" else "'%s'" % PASSPHRASE
    run("PRAGMA key = %s" % key)
    if format in ("sqlcipher1", "sqlcipher2", "sqlcipher3"):
        run("PRAGMA cipher_compatibility = %s" % format[-1])
    elif format == "sqlcipher4-parameters":
        run("PRAGMA kdf_iter = 5000")
        run("PRAGMA cipher_page_size = 8192")
    elif format == "sqlcipher4-header":
        run("PRAGMA cipher_plaintext_header_size = 32")
        run("PRAGMA cipher_salt = \"x'%s'\"" % SALT)
    return connection


def open_multiple_ciphers(format, path):
    import apsw

    connection = apsw.Connection(path)
    connection.pragma("cipher", "sqlcipher" if format.startswith("sqlcipher") else format)
    if format.startswith("sqlcipher"):
        connection.pragma("legacy", 4 if "4" in format else int(format[-1]))
    connection.pragma("key", PASSPHRASE)
    return connection


def bench(kind, path):
    """The same as `bench` of main.swift."""
    import time

    if kind == "encrypted":
        connection = open_sqlcipher("sqlcipher4-raw", path)
    else:
        from sqlcipher3 import dbapi2

        connection = dbapi2.connect(path, isolation_level=None)
    run = connection.execute
    count = 200000

    def measure(name, body):
        start = time.monotonic()
        body()
        print("Python %s: %s: %d ms" % (kind, name, (time.monotonic() - start) * 1000))

    def insert():
        run("BEGIN IMMEDIATE")
        run("CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
        for id in range(count):
            run("INSERT INTO t VALUES (?, ?)", (id, "%d %s %s %s" % (id, MARKER, MARKER, MARKER)))
        run("COMMIT")

    def read():
        run("BEGIN")
        id = 0
        for _ in range(20000):
            id = (id + 7919 * 31) % count
            run("SELECT content FROM t WHERE id = ?", (id,)).fetchone()
        run("COMMIT")

    measure("%d inserts" % count, insert)
    run("PRAGMA cache_size = 100")
    measure("scan", lambda: run("SELECT SUM(LENGTH(content)) FROM t").fetchone())
    measure("20000 point reads", read)


def main(action, peer, format=None, path=None):
    if action == "version":
        if peer == "sqlcipher":
            from sqlcipher3 import dbapi2

            version = dbapi2.connect(":memory:").execute("PRAGMA cipher_version").fetchone()[0]
            assert version.startswith("4."), version
            print("SQLCipher", version)
        else:
            import apsw

            print(apsw.mc_version, "on SQLite", apsw.sqlite_lib_version())
        return
    if action == "bench":
        return bench(format, path)
    connection = (open_sqlcipher if peer == "sqlcipher" else open_multiple_ciphers)(format, path)
    rows = [(id, "%d %s" % (id, MARKER)) for id in range(1, 201)]
    if action == "write":
        if format.endswith("-wal"):
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
        connection.execute("BEGIN")
        for row in rows:
            connection.execute("INSERT INTO t VALUES (?, ?)", row)
        connection.execute("COMMIT")
        if format.endswith("-wal"):
            import os

            os._exit(0)
    else:
        assert list(connection.execute("SELECT * FROM t ORDER BY id")) == rows
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        print("ok")


main(*sys.argv[1:])
