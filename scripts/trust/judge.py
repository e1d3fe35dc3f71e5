"""Another SQLite, that of APSW, which opens the files that the programs leave."""

import glob
import os

import apsw


# Whether files are encrypted, with the key of the workloads.
uses_key = False


def connect(path, flags=apsw.SQLITE_OPEN_READWRITE):
    connection = apsw.Connection(path, flags=flags)
    if uses_key:
        connection.pragma("cipher", "sqlcipher")
        connection.pragma("legacy", 4)
        connection.pragma("key", "x'" + bytes(range(32)).hex() + "'")
    connection.set_busy_timeout(5000)
    # The Swift tokenizer of the workloads.
    connection.register_fts5_tokenizer("letters", lambda con, args: con.fts5_tokenizer("unicode61", args))
    return connection


_shathree = None


def _load_sha3(connection):
    global _shathree
    if _shathree is None:
        folder = os.path.join(os.path.dirname(apsw.__file__), "sqlite_extra_binaries")
        found = glob.glob(os.path.join(folder, "shathree.*"))
        _shathree = found[0] if found else ""
    if not _shathree:
        raise SystemExit("APSW has no extension shathree")
    connection.enable_load_extension(True)
    connection.load_extension(_shathree)


def content_hash(connection, excluded=("afterwards",)):
    """The hash of all rows and of the schema, as sqlite3_dbhash computes it, without some tables."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    ).fetchall()
    queries = ["SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name <> 'afterwards' ORDER BY 1, 2"]
    for (name,) in tables:
        if name in excluded or name.startswith("sqlite_stat"):
            continue
        quoted = '"' + name.replace('"', '""') + '"'
        queries.append(f"SELECT * FROM {quoted} ORDER BY 1")
    _load_sha3(connection)
    return connection.execute("SELECT hex(sha3_query(?, 256))", (";".join(queries),)).get


def judge(path):
    """Returns the hash of the content, and what is wrong with the file, or None."""
    problem = None
    digest = None
    connection = None
    try:
        connection = connect(path)
        report = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        if report != ["ok"]:
            problem = "integrity_check: " + "; ".join(report)[:200]
        violations = connection.execute("PRAGMA foreign_key_check").fetchall()
        if violations:
            problem = problem or f"foreign_key_check: {violations[:3]}"
        digest = content_hash(connection)
    except apsw.Error as error:
        problem = f"{type(error).__name__}: {error}"
    finally:
        if connection is not None:
            connection.close()
    return digest, problem
