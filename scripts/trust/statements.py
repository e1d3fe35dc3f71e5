"""Generates sessions of SQL statements with arguments, from a seed: the same session for the same seed."""

import random

NAMES = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "order",
    "two words",
    'x"(a); DROP TABLE v; --',
    "Größe",
    "it's",
    "1st",
    "[k]",
    "a.b",
]
TEXTS = [
    "",
    "a",
    "A",
    "abc",
    "ABC ",
    "aBc",
    "ä",
    "Ä",
    "e\u0301",
    "日本",
    "😀",
    "a\0b",
    "\0",
    "%",
    "_",
    "10",
    "1.5",
    "1e3",
    " 7",
    "0x10",
    "-0",
    "inf",
    "nan",
    "null",
    "2024-02-29",
    "2024-01-01 12:30:45.678",
    "it's",
    '"q"',
    "a\nb",
    "9" * 25,
    '{"a":[1,2,{"b":null}],"c":"x"}',
    '[1,2.5,"t",null,true]',
    "{}",
    "[",
    "\ufeffx",
    "z" * 300,
    "\U0010ffff",
]
INTEGERS = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    10,
    100,
    255,
    65536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**53,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
]
REALS = [
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.5,
    3.25,
    1e10,
    1e-10,
    1e308,
    -1e308,
    5e-324,
    1e300,
    9007199254740993.0,
    9.3e18,
    float("inf"),
    float("-inf"),
    float("nan"),
    0.1,
    123456789.123456789,
]
BLOBS = [b"", b"\0", b"a", b"abc", b"\xff\xfe", b"\x80", bytes(range(40)), b"10", b"[1,2]", b"\xe4"]
TYPES = [
    "",
    "INTEGER",
    "TEXT",
    "REAL",
    "BLOB",
    "NUMERIC",
    "VARCHAR(10)",
    "BOOLEAN",
    "DATETIME",
    "DOUBLE",
    "FLOATING POINT",
]
STRICT_TYPES = ["INT", "INTEGER", "TEXT", "REAL", "BLOB", "ANY"]
COLLATIONS = ["BINARY", "NOCASE", "RTRIM"]
CONFLICTS = ["", "", "", "", "OR IGNORE", "OR REPLACE", "OR ABORT", "OR FAIL", "OR ROLLBACK"]
ONE = [
    "abs",
    "hex",
    "length",
    "lower",
    "upper",
    "typeof",
    "quote",
    "trim",
    "ltrim",
    "rtrim",
    "unicode",
    "round",
    "sign",
    "ceil",
    "floor",
    "trunc",
    "octet_length",
    "json_valid",
    "json_type",
    "json_quote",
    "date",
    "datetime",
    "julianday",
    "soundex_",
    "zeroblob_",
    "likely",
    "unhex",
    "sqrt",
    "exp",
    "ln",
    "sin",
    "degrees",
    "json",
    "json_array_length",
    "char",
    "time",
    "unixepoch",
    "unistr",
    "jsonb",
]
TWO = [
    "ifnull",
    "nullif",
    "instr",
    "max",
    "min",
    "round",
    "substr",
    "printf",
    "json_extract",
    "json_array",
    "trim",
    "glob",
    "like",
    "mod",
    "pow",
    "atan2",
    "json_remove",
    "concat",
    "json_patch",
    "log",
    "timediff",
    "unhex",
    "format",
]
THREE = [
    "substr",
    "replace",
    "coalesce",
    "iif",
    "json_set",
    "json_insert",
    "json_replace",
    "max",
    "min",
    "strftime",
    "concat_ws",
    "json_object_",
    "like",
]
AGGREGATES = ["count", "sum", "total", "avg", "min", "max", "json_group_array_", "median", "count"]
PATHS = ["$", "$.a", "$[0]", "$.a[1]", "$.a[2].b", "$[#-1]", "$.c", "x", '$."x"']
DATES = ["%Y-%m-%d", "%s", "%f", "%j", "%H:%M", "%J", "%w", "%%", "%G-%V", "%d %s", "%e"]
# Without %j and %J, which SQLite 3.54 has added.
FORMATS = [
    "%d",
    "%s",
    "%f",
    "%%",
    "%d %s",
    "%,d",
    "%5.2f|",
    "%Q",
    "%q|%w",
    "%x",
    "%c",
    "%e",
    "%g",
    "%!.20g",
    "%-8s|",
    "%.3s",
    "%lld",
]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Table:
    def __init__(self, name, columns, key, generated, kind):
        self.name, self.columns, self.key, self.generated, self.kind = name, columns, key, generated, kind

    @property
    def writable(self):
        return [column for column in self.columns if column not in self.generated]


class Session:
    """A list of (SQL, arguments, whether the order of the rows is determined)."""

    def __init__(self, seed, count):
        self.random = random.Random(seed)
        self.tables = []
        self.views = []
        self.serial = 0
        self.savepoints = 0
        self.statements = []
        for _ in range(self.random.randint(2, 3)):
            self.create()
        for _ in range(12):
            self.insert()
        makers = (
            [self.insert] * 22 + [self.update] * 12 + [self.delete] * 5 + [self.select] * 50 + [self.definition] * 4
        )
        makers += [self.transaction] * 3 + [self.wrong] * 2 + [self.create, self.values]
        while len(self.statements) < count:
            self.random.choice(makers)()

    def add(self, sql, arguments=(), ordered=False):
        self.statements.append((sql, list(arguments), ordered))

    # Values and expressions

    def value(self):
        r = self.random
        kind = r.random()
        if kind < 0.12:
            return None
        if kind < 0.4:
            return r.choice(INTEGERS) if r.random() < 0.5 else r.randint(-20, 20)
        if kind < 0.55:
            return r.choice(REALS) if r.random() < 0.6 else r.randint(-400, 400) / 8
        if kind < 0.9:
            return r.choice(TEXTS)
        return r.choice(BLOBS)

    def literal(self, value):
        if value is None:
            return "NULL"
        if isinstance(value, int):
            return str(value) if value > -(2**63) else "(-9223372036854775807 - 1)"
        if isinstance(value, float):
            if value != value:
                return "NULL"
            if value in (float("inf"), float("-inf")):
                return "9e999" if value > 0 else "-9e999"
            return repr(value)
        if isinstance(value, bytes):
            return "x'" + value.hex() + "'"
        if "\0" in value:
            return "CAST(x'" + value.encode().hex() + "' AS TEXT)"
        return "'" + value.replace("'", "''") + "'"

    def operand(self, arguments):
        value = self.value()
        if self.random.random() < 0.7:
            arguments.append(value)
            return "?"
        return self.literal(value)

    def expression(self, columns, arguments, depth=2):
        r = self.random
        kind = r.random()
        if depth == 0 or kind < 0.25:
            if columns and r.random() < 0.7:
                return r.choice(columns)
            return self.operand(arguments)

        def sub():
            return self.expression(columns, arguments, depth - 1)

        if kind < 0.40:
            return f"({sub()} {r.choice(['+', '-', '*', '/', '%', '||', '&', '|', '<<', '>>', '->', '->>'])} {sub()})"
        if kind < 0.52:
            return self.comparison(columns, arguments, depth)
        if kind < 0.64:
            return f"{r.choice(ONE).rstrip('_')}({sub()})"
        if kind < 0.74:
            name = r.choice(TWO)
            if name in ("printf", "format"):
                return f"{name}({self.literal(r.choice(FORMATS))}, {sub()})"
            if name.startswith("json_"):
                return f"{name}({sub()}, {self.literal(r.choice(PATHS))})"
            if name == "substr":
                # SQLite before 3.54 returns an empty text if a start is farther before the end than the limit of lengths.
                return f"substr({sub()}, {r.randint(-4, 4)})"
            return f"{name}({sub()}, {sub()})"
        if kind < 0.81:
            name = r.choice(THREE)
            if name in ("json_set", "json_insert", "json_replace"):
                return f"{name}({sub()}, {self.literal(r.choice(PATHS))}, {sub()})"
            if name == "strftime":
                return f"strftime({self.literal(r.choice(DATES))}, {sub()}, '+1 day')"
            if name == "json_object_":
                return f"json_object('k', {sub()})"
            return f"{name}({sub()}, {sub()}, {sub()})"
        if kind < 0.87:
            return f"CASE WHEN {self.comparison(columns, arguments, depth)} THEN {sub()} ELSE {sub()} END"
        if kind < 0.92:
            return f"CAST({sub()} AS {r.choice(['INTEGER', 'REAL', 'NUMERIC', 'BLOB', 'TEXT'])})"
        if kind < 0.96 and self.tables:
            table = r.choice(self.tables)
            inner = [f"s.{quoted(name)}" for name in table.columns]
            return f"(SELECT {r.choice(['count', 'max', 'min'])}({r.choice(inner)}) FROM {quoted(table.name)} s)"
        return f"{r.choice(['-', '+', '~', 'NOT '])}{sub()}"

    def comparison(self, columns, arguments, depth=2):
        r = self.random
        kind = r.random()

        def sub():
            return self.expression(columns, arguments, max(0, depth - 1))

        if kind < 0.5:
            collation = f" COLLATE {r.choice(COLLATIONS)}" if r.random() < 0.2 else ""
            return f"({sub()} {r.choice(['=', '<>', '<', '<=', '>', '>=', 'IS', 'IS NOT', 'LIKE', 'GLOB'])} {sub()}{collation})"
        if kind < 0.6:
            return f"({sub()} {r.choice(['IS NULL', 'NOTNULL'])})"
        if kind < 0.7:
            return f"({sub()} {r.choice(['', 'NOT '])}BETWEEN {sub()} AND {sub()})"
        if kind < 0.8:
            return f"({sub()} {r.choice(['', 'NOT '])}IN ({', '.join(sub() for _ in range(r.randint(0, 4)))}))"
        if kind < 0.95 and depth > 0:
            left = self.comparison(columns, arguments, depth - 1)
            return f"({left} {r.choice(['AND', 'OR'])} {self.comparison(columns, arguments, depth - 1)})"
        if self.tables:
            table = r.choice(self.tables)
            # The arguments of the operand come first.
            left = sub()
            return f"({left} IN (SELECT {quoted(r.choice(table.columns))} FROM {quoted(table.name)}))"
        return "1"

    # Definitions

    def create(self):
        r = self.random
        self.serial += 1
        name = r.choice(NAMES) + (str(self.serial) if r.random() < 0.8 else "")
        if name.startswith("sqlite_"):
            return
        columns = r.sample(NAMES, r.randint(2, 6))
        kind = r.choice(["", "", "", "STRICT", "WITHOUT ROWID", "STRICT, WITHOUT ROWID"])
        generated = set()
        parts = []
        for index, column in enumerate(columns):
            kinds = STRICT_TYPES if "STRICT" in kind else TYPES
            part = f"{quoted(column)} {r.choice(kinds)}"
            if index == 0 and r.random() < 0.6:
                part = f"{quoted(column)} {'INTEGER' if 'STRICT' in kind or r.random() < 0.7 else r.choice(kinds)} PRIMARY KEY"
            elif index == 0 and "WITHOUT ROWID" in kind:
                part += " PRIMARY KEY"
            elif index > 1 and r.random() < 0.15:
                inner = self.expression([quoted(column) for column in columns[:2]], [], 0)
                inner = inner.replace("?", "1")
                # SQLite before 3.54 may return integers from generated columns of the affinity REAL.
                part = f"{quoted(column)} {r.choice(['INT', 'TEXT', 'BLOB'])}"
                part += f" GENERATED ALWAYS AS ({r.choice(['length', 'typeof', 'hex', 'quote'])}({inner})) "
                part += r.choice(["VIRTUAL", "STORED"])
                generated.add(column)
            else:
                if r.random() < 0.15:
                    part += " NOT NULL"
                if r.random() < 0.1:
                    part += " UNIQUE"
                if r.random() < 0.2:
                    part += f" COLLATE {r.choice(COLLATIONS)}"
                if r.random() < 0.2:
                    part += f" DEFAULT ({self.literal(self.value())})"
                if r.random() < 0.08:
                    part += f" CHECK (typeof({quoted(column)}) <> 'blob')"
                if self.tables and r.random() < 0.05:
                    other = r.choice(self.tables)
                    part += (
                        f" REFERENCES {quoted(other.name)} ON DELETE {r.choice(['CASCADE', 'SET NULL', 'RESTRICT'])}"
                    )
            parts.append(part)
        if r.random() < 0.15:
            parts.append(f"UNIQUE ({', '.join(quoted(column) for column in columns[:2])})")
        self.add(f"CREATE {r.choice(['', '', '', 'TEMP '])}TABLE {quoted(name)} ({', '.join(parts)}) {kind}")
        self.tables = [table for table in self.tables if table.name != name]
        self.tables.append(Table(name, columns, columns[0], generated, kind))

    def definition(self):
        r = self.random
        table = r.choice(self.tables)
        self.serial += 1
        name = quoted(table.name)
        kind = r.randint(0, 8)
        if kind <= 2:
            column = r.choice(table.columns)
            where = f" WHERE {quoted(column)} IS NOT NULL" if r.random() < 0.2 else ""
            collation = f" COLLATE {r.choice(COLLATIONS)}" if r.random() < 0.3 else ""
            unique = "UNIQUE " if r.random() < 0.2 else ""
            index = quoted(r.choice(NAMES) + f" i{self.serial}")
            self.add(f"CREATE {unique}INDEX {index} ON {name} ({quoted(column)}{collation}){where}")
            # Without DESC: SQLite before 3.54 then returns 0 instead of NULL for `x IN (SELECT column FROM table)`.
        elif kind == 3:
            column = f"n{self.serial}"
            kinds = STRICT_TYPES if "STRICT" in table.kind else TYPES
            self.add(
                f"ALTER TABLE {name} ADD COLUMN {column} {r.choice(kinds)} DEFAULT {self.literal(r.choice(INTEGERS[:8]))}"
            )
            table.columns.append(column)
        elif kind == 4:
            new = f"{r.choice(NAMES)} r{self.serial}"
            self.add(f"ALTER TABLE {name} RENAME TO {quoted(new)}")
            table.name = new
        elif kind == 5 and len(table.columns) > 2:
            column = r.choice(table.columns)
            new = f"{r.choice(NAMES)} c{self.serial}"
            self.add(f"ALTER TABLE {name} RENAME COLUMN {quoted(column)} TO {quoted(new)}")
            table.columns = [new if each == column else each for each in table.columns]
            table.generated = {new if each == column else each for each in table.generated}
        elif kind == 6:
            arguments = []
            condition = self.comparison([quoted(column) for column in table.columns], arguments, 1)
            if not arguments:
                view = quoted(f"v{self.serial}")
                self.add(f"CREATE VIEW {view} AS SELECT * FROM {name} WHERE {condition}")
                self.add(f"SELECT * FROM {view}")
        elif kind == 7 and table.writable:
            column = quoted(r.choice(table.writable))
            self.add(
                f"CREATE TRIGGER t{self.serial} AFTER INSERT ON {name} BEGIN "
                f"UPDATE {name} SET {column} = new.{column} WHERE rowid = new.rowid AND {column} IS NULL; END"
            )
        else:
            self.add(
                r.choice(
                    [
                        "ANALYZE",
                        "REINDEX",
                        "PRAGMA integrity_check",
                        f"PRAGMA table_xinfo({name})",
                        "PRAGMA foreign_key_check",
                        f'DROP TABLE IF EXISTS "none {self.serial}"',
                        "VACUUM",
                    ]
                )
            )

    def transaction(self):
        r = self.random
        name = quoted(r.choice(NAMES))
        self.add(
            r.choice(
                [
                    "BEGIN",
                    "BEGIN IMMEDIATE",
                    "COMMIT",
                    "ROLLBACK",
                    f"SAVEPOINT {name}",
                    f"RELEASE {name}",
                    f"ROLLBACK TO {name}",
                    "COMMIT",
                    "COMMIT",
                ]
            )
        )

    def wrong(self):
        table = quoted(self.random.choice(self.tables).name)
        self.add(
            self.random.choice(
                [
                    "SELECT",
                    "SELEC 1",
                    f"SELECT nothing FROM {table}",
                    'SELECT * FROM "no table"',
                    f"INSERT INTO {table} VALUES ()",
                    "SELECT abs(-9223372036854775807 - 1)",
                    f"CREATE TABLE {table} (a)",
                    "SELECT nofunction(1)",
                    "SELECT 'abc",
                    "SELECT 1 UNION SELECT 1, 2",
                    "SELECT sum(9223372036854775807) OVER (), 1 LIMIT 'x'",
                    "SELECT json('[')",
                    "SELECT 1 ORDER BY 2",
                    f"DELETE FROM {table} WHERE rowid = 'a' AND",
                    "SELECT count(*) WHERE count(*) > 0",
                    'SELECT "not a column"',
                    "SELECT ?1000000",
                    "SELECT 1 COLLATE nocollation ORDER BY 1",
                    "RELEASE nothing",
                    "PRAGMA nopragma",
                    "SELECT like('a', 'b', 'cc')",
                    "SELECT json_extract('{}', 'x')",
                    "INSERT INTO sqlite_schema VALUES (1,2,3,4,5)",
                    f"ALTER TABLE {table} DROP COLUMN nothing",
                    "DROP TABLE sqlite_schema",
                    "SELECT (SELECT 1, 2)",
                    "SELECT 1 IN (1, 2, 3",
                    "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))",
                    "SELECT zeroblob(3000000000)",
                    "ATTACH '/no/such/folder/x' AS y",
                    "SELECT replace(zeroblob(10), 'a', 1)",
                    "SELECT x'abc'",
                    "SELECT 1 AS a, 2 AS a",
                    "WITH a AS (SELECT * FROM a) SELECT * FROM a",
                ]
            )
        )

    # Changes

    def insert(self):
        r = self.random
        table = r.choice(self.tables)
        writable = table.writable
        if not writable:
            return
        arguments = []
        columns = r.sample(writable, r.randint(max(1, len(writable) - 2), len(writable)))
        rows = []
        # One row with a conflict clause: what stays of several rows depends on the version of SQLite.
        conflict = r.choice(CONFLICTS)
        upserts = r.random() < 0.15
        for _ in range(1 if conflict or upserts else r.choice([1, 1, 2, 5])):
            row = []
            for column in columns:
                if column == table.key and r.random() < 0.95:
                    arguments.append(r.randint(1, 60))
                    row.append("?")
                else:
                    row.append(self.operand(arguments))
            rows.append(f"({', '.join(row)})")
        sql = f"INSERT {conflict} INTO {quoted(table.name)} ({', '.join(map(quoted, columns))}) "
        kind = r.random()
        if kind < 0.06:
            sql = f"INSERT INTO {quoted(table.name)} DEFAULT VALUES"
            arguments = []
        elif kind < 0.14:
            other = r.choice(self.tables)
            arguments = []
            inner = [quoted(column) for column in other.columns]
            selected = ", ".join(self.expression(inner, arguments, 1) for _ in columns)
            keys = ", ".join(inner)
            sql += f"SELECT {selected} FROM {quoted(other.name)} ORDER BY {keys} LIMIT 5"
        else:
            sql += f"VALUES {', '.join(rows)}"
            if upserts:
                target = r.choice(["", f"({quoted(table.key)})"])
                action = "DO NOTHING"
                if r.random() < 0.7 and target:
                    column = r.choice(columns)
                    action = f"DO UPDATE SET {quoted(column)} = excluded.{quoted(column)}"
                    if r.random() < 0.4:
                        action += f" WHERE excluded.{quoted(column)} IS NOT NULL"
                sql += f" ON CONFLICT {target} {action}"
        if r.random() < 0.25:
            sql += " RETURNING " + r.choice(
                ["*", quoted(table.columns[0]), f'typeof({quoted(table.columns[-1])}) AS "k k"']
            )
        self.add(sql, arguments)

    def update(self):
        r = self.random
        table = r.choice(self.tables)
        if not table.writable:
            return
        arguments = []
        columns = [quoted(column) for column in table.columns]
        sets = []
        for column in r.sample(table.writable, min(len(table.writable), r.choice([1, 1, 2]))):
            sets.append(f"{quoted(column)} = {self.expression(columns, arguments, r.choice([0, 1, 2]))}")
        conflict = r.choice(CONFLICTS)
        sql = f"UPDATE {conflict} {quoted(table.name)} SET {', '.join(sets)}"
        if conflict:
            arguments.append(r.randint(1, 60))
            sql += f" WHERE {quoted(table.key)} = ?"
        else:
            sql += f" WHERE {self.narrow(table, columns, arguments)}"
        if r.random() < 0.2:
            sql += " RETURNING *"
        self.add(sql, arguments)

    def narrow(self, table, columns, arguments):
        if self.random.random() < 0.5:
            low = self.random.randint(0, 60)
            arguments += [low, low + self.random.randint(0, 15)]
            return f"{quoted(table.key)} BETWEEN ? AND ?"
        return self.comparison(columns, arguments, 1)

    def delete(self):
        table = self.random.choice(self.tables)
        arguments = []
        columns = [quoted(column) for column in table.columns]
        sql = f"DELETE FROM {quoted(table.name)} WHERE {self.narrow(table, columns, arguments)}"
        if self.random.random() < 0.2:
            sql += " RETURNING *"
        self.add(sql, arguments)

    # Queries

    def values(self):
        arguments = []
        width = self.random.randint(1, 8)
        self.add("SELECT " + ", ".join(self.operand(arguments) for _ in range(width)), arguments, True)

    def select(self):
        r = self.random
        kind = r.random()
        arguments = []
        prefix = ""
        if r.random() < 0.1:
            inner = r.choice(self.tables)
            condition = self.comparison([quoted(column) for column in inner.columns], arguments, 1)
            prefix = f'WITH "the cte" AS (SELECT * FROM {quoted(inner.name)} WHERE {condition}) '
            sources = [('"the cte"', inner)]
        else:
            table = r.choice(self.tables)
            sources = [(quoted(table.name), table)]
        if kind < 0.05:
            limit = r.randint(0, 30)
            self.add(
                f"WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n LIMIT {limit}) "
                f"SELECT i, {self.expression(['i'], extra := [], 2)} FROM n ORDER BY 1",
                [0] + extra,
                False,
            )
            return
        if kind < 0.10:
            text = r.choice([t for t in TEXTS if t[:1] in "[{" and t])
            self.add(
                f"SELECT key, value, type, atom, fullkey, path FROM json_{r.choice(['each', 'tree'])}(?)",
                [text],
                True,
            )
            return
        if kind < 0.35:
            for _ in range(r.choice([1, 1, 2])):
                table = r.choice(self.tables)
                sources.append((quoted(table.name), table))
        parts = []
        columns = []
        for index, (source, table) in enumerate(sources):
            own = [f"t{index}.{quoted(column)}" for column in table.columns]
            if index == 0:
                parts.append(f"{source} t0")
            else:
                # Ordered joins only: the operands of a condition stand in the order of the text.
                join = r.choice(["JOIN", "LEFT JOIN", "LEFT JOIN", "CROSS JOIN", "FULL JOIN", "RIGHT JOIN"])
                on = f"{r.choice(own)} {r.choice(['=', '=', 'IS', '<'])} {r.choice(columns)}"
                parts.append(f"{join} {source} t{index} ON {on}")
            columns += own
        from_clause = " ".join(parts)
        if kind > 0.92:
            return self.compound(sources[0], prefix, arguments)
        if kind > 0.84:
            return self.grouped(columns, from_clause, prefix, arguments)
        if kind > 0.78 and len(sources) == 1:
            return self.windowed(sources[0][1], columns, from_clause, prefix, arguments)
        selection = []
        for index in range(r.randint(1, 5)):
            text = self.expression(columns, arguments, r.choice([0, 0, 1, 2, 3]))
            selection.append(f"{text} AS c{index}")
        if r.random() < 0.15:
            selection.append("*" if r.random() < 0.5 else "t0.*")
        distinct = "DISTINCT " if r.random() < 0.12 else ""
        sql = f"{prefix}SELECT {distinct}{', '.join(selection)} FROM {from_clause}"
        if r.random() < 0.7:
            sql += f" WHERE {self.comparison(columns, arguments)}"
        if r.random() < 0.4:
            terms = ", ".join(
                str(index + 1) + r.choice(["", " DESC", " ASC NULLS LAST"])
                for index in range(len(selection))
                if not selection[index].endswith("*")
            )
            everything = ", ".join(columns)
            sql += f" ORDER BY {terms}" + ("" if distinct else f", {everything}")
            if r.random() < 0.5 and not distinct:
                arguments += [r.randint(-1, 9), r.randint(0, 3)]
                sql += " LIMIT ? OFFSET ?"
        self.add(sql, arguments)

    def grouped(self, columns, from_clause, prefix, arguments):
        r = self.random
        key = r.choice(columns)
        selection = [f"typeof({key})"]
        for _ in range(r.randint(1, 3)):
            name = r.choice(AGGREGATES).rstrip("_")
            inner = r.choice(columns)
            if name == "json_group_array":
                selection.append(f"json_group_array(quote({inner}) ORDER BY quote({inner}))")
            elif name in ("sum", "total", "avg", "median"):
                # Sums of reals depend on the order of the rows.
                selection.append(f"{name}(length({inner}))")
            else:
                selection.append(
                    f"{name}({r.choice(['', 'DISTINCT '])}{inner})"
                    + (f" FILTER (WHERE {r.choice(columns)} IS NOT NULL)" if r.random() < 0.3 else "")
                )
        sql = f"{prefix}SELECT {', '.join(selection)} FROM {from_clause}"
        if r.random() < 0.5:
            sql += f" WHERE {self.comparison(columns, arguments, 1)}"
        # The representative of values that a collation makes equal depends on the plan.
        sql += f" GROUP BY {key} COLLATE BINARY, typeof({key})"
        if r.random() < 0.4:
            sql += f" HAVING count(*) {r.choice(['>', '<', '='])} {r.randint(0, 3)}"
        self.add(sql, arguments)

    def windowed(self, table, columns, from_clause, prefix, arguments):
        r = self.random
        order = ", ".join(f"{column}{r.choice(['', ' DESC'])}" for column in columns)
        window = f"ORDER BY {order}"
        if r.random() < 0.5:
            window = f"PARTITION BY {r.choice(columns)} {window}"
        if r.random() < 0.4:
            window += r.choice(
                [
                    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                    " ROWS UNBOUNDED PRECEDING",
                    " RANGE UNBOUNDED PRECEDING",
                    " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
                ]
            )
        function = r.choice(
            [
                "row_number()",
                "rank()",
                "dense_rank()",
                "count(*)",
                f"max(typeof({columns[0]}))",
                "ntile(3)",
                f"lag(quote({columns[-1]}), 1, 'none')",
                f"first_value({columns[0]})",
                "percent_rank()",
                "cume_dist()",
            ]
        )
        if function.startswith(("first_value", "lag")) and "WITHOUT" not in table.kind:
            function = function.replace(columns[-1], columns[0])
        self.add(f"{prefix}SELECT {', '.join(columns)}, {function} OVER ({window}) FROM {from_clause}", arguments)

    def compound(self, source, prefix, arguments):
        r = self.random
        name, table = source
        columns = [f"t.{quoted(column)}" for column in table.columns]
        width = r.randint(1, 3)
        parts = []
        for _ in range(r.randint(2, 3)):
            selection = ", ".join(self.expression(columns, arguments, 1) for _ in range(width))
            part = f"SELECT {selection} FROM {name} t"
            if r.random() < 0.6:
                part += f" WHERE {self.comparison(columns, arguments, 1)}"
            parts.append(part)
        sql = parts[0]
        for part in parts[1:]:
            sql += f" {r.choice(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'])} {part}"
        self.add(f"{prefix}{sql} ORDER BY {', '.join(str(index + 1) for index in range(width))}", arguments)
