"""Compares the library with APSW on the same content: generated statements, and requests with SQL beside them."""

import collections
import concurrent.futures
import os
import re
import struct
import subprocess
import time

import apsw

import requests_difference
import statements

SESSION = 250
SESSIONS = 40


def pack_values(values):
    parts = [struct.pack("<I", len(values))]
    for value in values:
        if value is None:
            parts.append(b"n")
        elif isinstance(value, int):
            parts.append(b"i" + struct.pack("<q", value))
        elif isinstance(value, float):
            parts.append(b"f" + struct.pack("<d", value))
        elif isinstance(value, str):
            data = value.encode()
            parts.append(b"t" + struct.pack("<I", len(data)) + data)
        else:
            parts.append(b"b" + struct.pack("<I", len(value)) + bytes(value))
    return b"".join(parts)


def write_sessions(path, sessions):
    with open(path, "wb") as file:
        for session in sessions:
            file.write(struct.pack("<I", len(session)))
            for sql, arguments, _ in session:
                data = sql.encode()
                file.write(struct.pack("<I", len(data)) + data + pack_values(arguments))


def connect():
    connection = apsw.Connection(":memory:")
    # The settings of the library: foreign keys, and no strings in double quotes.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    return connection


def row_bytes(row):
    return pack_values(row)[4:]


def run_sessions(sessions):
    """What each statement returns with APSW: ('rows', [bytes]), ('error', code, message) or ('text',)."""
    results = []
    for session in sessions:
        connection = connect()
        for sql, arguments, _ in session:
            try:
                cursor = connection.cursor()
                cursor.execute(sql, arguments, can_cache=False)
                try:
                    names = [column[0] for column in cursor.get_description()]
                except apsw.ExecutionCompleteError:
                    names = []
                rows = [row_bytes(row) for row in cursor]
                if rows:
                    rows.insert(0, row_bytes(names))
                results.append(("rows", rows))
            except apsw.Error as error:
                results.append(("error", getattr(error, "extendedresult", -1), str(error)))
            except (UnicodeError, apsw.BindingsError):
                # A text that isn't valid UTF-8, which Python doesn't read: see the part `input`.
                results.append(("text",))
            finally:
                cursor.close(True)
        connection.close(True)
    return results


class Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    def integer(self):
        (value,) = struct.unpack_from("<i", self.data, self.position)
        self.position += 4
        return value

    def part(self):
        size = self.integer()
        self.position += size
        return self.data[self.position - size : self.position]

    def result(self):
        if self.position >= len(self.data):
            return ("died",)
        count = self.integer()
        if count >= 0:
            return ("rows", [self.part() for _ in range(count)])
        code = self.integer()
        return ("error", code, self.part()[5:].decode())


def run_library(program, folder, sessions, name):
    source, target = os.path.join(folder, name + ".in"), os.path.join(folder, name + ".out")
    write_sessions(source, sessions)
    open(target, "wb").close()
    process = subprocess.Popen(
        [program, "statements", source, target],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
    )
    return process, source, target


def read_library(process, source, target, count):
    try:
        output, _ = process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        output += b" (it hangs)"
    with open(target, "rb") as file:
        reader = Reader(file.read())
    os.remove(source)
    os.remove(target)
    results = [reader.result() for _ in range(count)]
    return results, output.decode(errors="replace") if process.returncode != 0 else ""


# What differs on purpose, or because the versions differ. Each rule has a reason; its uses are counted.
def random(session, theirs):
    """Whether APSW returns something else when it runs the same again: SQLite picks rowids after the greatest one."""
    again = run_sessions([session])[-1]
    return "random rowids" if again != theirs else None


def known(sql, ours, theirs):
    if theirs[0] == "text":
        return "a text that isn't valid UTF-8"
    if ours[:2] == ("error", apsw.SQLITE_MISMATCH) and theirs[:2] != ours[:2]:
        return "-9223372036854775808.0 is a rowid in SQLite 3.54"
    for pattern, reason in KNOWN:
        if re.search(pattern, sql, re.IGNORECASE | re.DOTALL):
            return reason
    return None


# A text as a rowid, and a value that a STRICT table refuses.
MISMATCHES = (apsw.SQLITE_MISMATCH, apsw.SQLITE_CONSTRAINT_DATATYPE)
# The rows before a failing one stay, or a row is left out.
PARTIAL = re.compile(r"^UPDATE OR |^INSERT OR .* SELECT ")

KNOWN = [
    (r"zeroblob\(3000000000\)", "the limit of lengths is 2 GB instead of 1 GB"),
]


def same(statement, ours, theirs):
    if ours[0] != theirs[0]:
        return False
    if ours[0] == "error":
        return ours[1] == theirs[1]
    if ours[0] == "rows":
        if ours[1] == theirs[1]:
            return True
        if not statement[2] and len(ours[1]) == len(theirs[1]) and ours[1][:1] == theirs[1][:1]:
            return sorted(ours[1][1:]) == sorted(theirs[1][1:])
    return False


def compare(sessions, ours, theirs, counts):
    """The first difference of each session: (session, statement)."""
    found = []
    index = 0
    for number, session in enumerate(sessions):
        differs = False
        for position, statement in enumerate(session):
            mine, other = ours[index], theirs[index]
            index += 1
            if differs:
                continue
            counts["statements"] += 1
            if same(statement, mine, other):
                if mine[0] == "error" and mine[1] in MISMATCHES and PARTIAL.search(statement[0]):
                    # The rest of the session may have other rows.
                    counts[
                        "known: the rows before a datatype mismatch stay with OR IGNORE, OR FAIL and ON CONFLICT, before SQLite 3.54"
                    ] += 1
                    differs = True
                counts["errors" if mine[0] == "error" else "rows" if mine[1] else "without rows"] += 1
                continue
            reason = known(statement[0], mine, other) or random(session[: position + 1], other)
            if reason:
                counts["known: " + reason] += 1
                # What follows may see another content.
                differs = (
                    reason.startswith(("random", "-9"))
                    or other[0] == "text"
                    and not statement[0].startswith(("SELECT", "WITH"))
                )
                continue
            found.append((number, position))
            differs = True
    return found


def batch(arguments):
    program, folder, seed, count = arguments
    sessions = []
    for number in range(count):
        sessions.append(statements.Session(seed * 1_000_003 + number, SESSION).statements)
    process, source, target = run_library(program, folder, sessions, f"s{seed}")
    theirs = run_sessions(sessions)
    ours, output = read_library(process, source, target, len(theirs))
    counts = collections.Counter()
    found = compare(sessions, ours, theirs, counts)
    findings = []
    for number, position in found[:3]:
        session = shrink(program, folder, sessions[number][: position + 1])
        findings.append(describe(program, folder, seed * 1_000_003 + number, position, session, output))
    return counts, findings, len(found)


def still_differs(program, folder, session):
    ours, _ = read_library(*run_library(program, folder, [session], f"shrink{os.getpid()}"), len(session))
    theirs = run_sessions([session])
    last = session[-1]
    return (
        not same(last, ours[-1], theirs[-1])
        and not known(last[0], ours[-1], theirs[-1])
        and not random(session, theirs[-1])
    )


def shrink(program, folder, session):
    size = len(session) // 2
    while size >= 1:
        start = 0
        while start < len(session) - 1:
            smaller = session[:start] + session[min(start + size, len(session) - 1) :]
            if len(smaller) < len(session) and still_differs(program, folder, smaller):
                session = smaller
            else:
                start += size
        size //= 2
    return session


def describe(program, folder, seed, position, session, output):
    ours, _ = read_library(*run_library(program, folder, [session], f"shrink{os.getpid()}"), len(session))
    theirs = run_sessions([session])
    lines = [f"session {seed} statement {position}:"]
    lines += [f"  {sql!r} {arguments!r}" for sql, arguments, _ in session]
    lines += [f"  library {ours[-1]!r:.400}", f"  apsw    {theirs[-1]!r:.400}"]
    if ours[-1][0] == "died":
        lines.append("  " + output[-400:])
    return "\n".join(lines)


def run(program, options, folder):
    started = time.monotonic()
    totals = collections.Counter()
    findings = []
    number = 0
    jobs = []
    if not options.statements and not options.requests:
        options.statements, options.requests = 20_000, 10_000
    remaining = options.statements
    while remaining > 0:
        count = max(1, min(SESSIONS, remaining // SESSION))
        jobs.append((program, folder, options.seed + number, count))
        number += 1
        remaining -= count * SESSION
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for counts, found, amount in pool.map(batch, jobs):
            totals.update(counts)
            totals["differences"] += amount
            for text in found:
                findings.append(["statement", 1, text])
                print(text, flush=True)
    print(
        f"difference: {totals['statements']} statements from seed {options.seed}, "
        f"{totals['differences']} sessions differ, {time.monotonic() - started:.0f} s"
    )
    for name in sorted(totals):
        if name not in ("statements", "differences"):
            print(f"  {totals[name]} {name}")
    result = {
        "kinds": sorted([name, count] for name, count in totals.items()),
        "apsw": apsw.sqlite_lib_version(),
        "findings": findings,
        "runs": [],
    }
    if options.statements:
        result["runs"].append(
            ["statements", options.seed, totals["statements"], "", totals["differences"], ""]
        )
    if options.requests:
        result["runs"].append(requests_difference.run(program, options, folder, findings))
    return result
