"""The requests of the query interface: `trust requests` makes them with SQL beside them, and APSW runs the SQL."""

import collections
import concurrent.futures
import os
import struct
import subprocess
import time

import apsw

DATABASES = 50
REQUESTS = 40


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

    def texts(self):
        return [self.part()[5:].decode() for _ in range(self.integer())]


def row_bytes(row):
    parts = []
    for value in row:
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


def expected(connection, texts):
    connection.execute("SAVEPOINT request")
    try:
        rows = []
        for sql in texts:
            rows += [row_bytes(row) for row in connection.execute(sql)]
        return rows
    except apsw.Error as error:
        return (getattr(error, "extendedresult", -1), str(error))
    finally:
        # An error may have ended the transaction.
        if connection.in_transaction:
            connection.execute("ROLLBACK TO request; RELEASE request")


def generate(program, folder, first, count, requests):
    path = os.path.join(folder, f"requests{first}")
    open(path, "wb").close()
    process = subprocess.run(
        [program, "requests", str(first), str(count), str(requests), path],
        capture_output=True,
        check=False,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
        timeout=600,
    )
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data, process


def judge(data, first, count):
    reader = Reader(data)
    counts = collections.Counter()
    findings = []
    for seed in range(first, first + count):
        if reader.position >= len(data):
            break
        connection = apsw.Connection(":memory:")
        schema = reader.texts()
        connection.execute(";".join(schema))
        for number in range(reader.integer()):
            texts = reader.texts()
            ordered = reader.integer() == 1
            amount = reader.integer()
            if amount < 0:
                ours = (reader.integer(), reader.part()[5:].decode())
            else:
                ours = [reader.part() for _ in range(amount)]
            try:
                theirs = expected(connection, texts)
            except UnicodeError:
                counts["invalid UTF-8"] += 1
                continue
            counts["requests"] += 1
            if isinstance(ours, tuple) or isinstance(theirs, tuple):
                same = isinstance(ours, tuple) and isinstance(theirs, tuple) and ours[0] == theirs[0]
                counts["errors"] += 1
            else:
                same = ours == theirs if ordered else sorted(ours) == sorted(theirs)
                counts["rows"] += len(ours)
            if not same and any("LEFT JOIN" in text and " LIKE " in text for text in texts):
                # APSW loses rows: see 0004-like-of-left-joins.patch.
                counts["known"] += 1
            elif not same:
                findings.append((len(" ".join(texts)), seed, number, schema, texts, ours, theirs))
    return counts, findings


def batch(arguments):
    program, folder, first, count = arguments
    data, process = generate(program, folder, first, count, REQUESTS)
    died = process.returncode != 0
    counts, findings = judge(data, first, count)
    texts = [describe(each) for each in sorted(findings)[:2]]
    if died:
        output = (process.stdout + process.stderr).decode(errors="replace")[-500:]
        texts.append(f"databases from {first}: status {process.returncode}: {output}")
    return counts, texts, len(findings)


def describe(finding):
    _, seed, number, schema, texts, ours, theirs = finding
    lines = [f"database {seed} request {number}:"] + ["  " + text for text in texts]
    lines += [f"  library {ours!r:.600}", f"  apsw    {theirs!r:.600}", "  " + "; ".join(schema)[:1500]]
    return "\n".join(lines)


def run(program, options, folder, findings):
    started = time.monotonic()
    totals = collections.Counter()
    jobs = []
    remaining = options.requests
    first = options.seed * 1_000_000
    while remaining > 0:
        count = max(1, min(DATABASES, remaining // REQUESTS))
        jobs.append((program, folder, first, count))
        first += count
        remaining -= count * REQUESTS
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for counts, texts, amount in pool.map(batch, jobs):
            totals.update(counts)
            totals["differences"] += amount
            for text in texts:
                findings.append(["request", 1, text])
                print(text, flush=True)
    print(
        f"difference: {totals['requests']} requests from seed {options.seed}, {totals['rows']} rows, "
        f"{totals['errors']} errors, {totals['known']} left joins on LIKE, {totals['differences']} differ, "
        f"{time.monotonic() - started:.0f} s"
    )
    return ["requests", options.seed, totals["requests"], totals["rows"], totals["differences"], ""]
