"""Kills a process that writes, while another one checkpoints with another SQLite: the driver of `trust kills`."""

import collections
import concurrent.futures
import json
import os
import random
import select
import shutil
import subprocess
import sys
import time

import apsw

PASSIVE, FULL, RESTART, TRUNCATE = range(4)


def connect(path):
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(20000)
    return connection


def problem_of(connection, acknowledged):
    """The number of transactions in the file, and what is wrong with its content.

    Transaction n (Kills.swift) adds n to the total and to one of seven accounts, and keeps the last 40 numbers.
    """
    with connection:
        n, score = connection.execute("SELECT n, score FROM total").get
        if score != n * (n + 1) // 2:
            return n, f"{n} transactions make {score}"
        accounts = dict(connection.execute("SELECT id, score FROM account"))
        expected = {k: 0 for k in range(7)}
        for k in range(7):
            count = len(range(k or 7, n + 1, 7))
            expected[k] = count * (2 * (k or 7) + 7 * (count - 1)) // 2
        if accounts != expected:
            return n, f"the accounts after {n} transactions: {accounts}"
        kept = list(range(max(1, n - 39), n + 1))
        for table, column in (("ledger", "n"), ("ledgerText", "rowid")):
            if [row[0] for row in connection.execute(f"SELECT {column} FROM {table} ORDER BY 1")] != kept:
                return n, f"{table} after {n} transactions"
        # A transaction that was not acknowledged may be there, and so may those of its batch.
        if n < acknowledged:
            return n, f"{acknowledged} was acknowledged, {n} is the last in the file"
        # A line of each process may be missing: it was killed between the commit and the line.
        return n, None


def watch(path):
    """The foreign process: reads, checkpoints, and opens the file again, until its input ends. Prints what is wrong."""
    chance = random.Random(path)
    counts = collections.Counter()
    last = 0
    connection = None
    while not select.select([sys.stdin], [], [], chance.random() * 0.06)[0]:
        try:
            if connection is None:
                connection = connect(path)
            last, problem = problem_of(connection, last)
            if problem:
                print(f"a reader of another process: {problem}", flush=True)
                return
            counts["reads"] += 1
            if chance.random() < 0.7:
                mode = chance.choice((PASSIVE, PASSIVE, FULL, RESTART, TRUNCATE))
                connection.wal_checkpoint(mode=mode)
                counts["checkpoints"] += 1
            if chance.random() < 0.1:
                connection.close()
                connection = None
        except apsw.BusyError:
            counts["busy"] += 1
        except apsw.Error as error:
            print(f"another process: {type(error).__name__}: {error}", flush=True)
            return
    if connection:
        connection.close()
    print("counts " + json.dumps(counts))


class Foreign:
    """That process."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [sys.executable, __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, result):
        """Returns what was wrong."""
        try:
            output, _ = self.process.communicate("end\n", timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
            return "hangs"
        if not output.startswith("counts "):
            return output or "died"
        result.update(json.loads(output[7:]))
        return None


def last_line(path):
    """The number in the last line that is whole, and the size of the file."""
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 100))
        lines = file.read().split(b"\n")[:-1]
    return int(lines[-1]) if lines else 0


def run_lane(task):
    """Kills processes that write to one file, one after the other."""
    program, folder, kills, seed, deadline = task
    os.makedirs(folder)
    path, acknowledged, received = (os.path.join(folder, name) for name in ("app.sqlite", "acknowledged", "received"))
    chance = random.Random(seed)
    findings = []
    result = collections.Counter()
    foreign = None
    try:
        for kill in range(kills):
            if time.monotonic() > deadline:
                break
            process = subprocess.Popen(
                [program, "kills", "work", path, acknowledged, received],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
            )
            try:
                # The first creates the tables. Some die while they open the file, most while they work.
                if kill == 0 or chance.random() < 0.85:
                    if not select.select([process.stdout], [], [], 120)[0]:
                        raise RuntimeError("the process hangs while it opens the file")
                    line = process.stdout.readline()
                    if line != b"ready\n":
                        raise RuntimeError(f"{line} {process.stdout.read().decode()[-600:]}")
                    result["working"] += 1
                time.sleep(chance.random() ** 2 * 0.05)
                if process.poll() is not None:
                    raise RuntimeError(f"the process has ended: {process.stdout.read().decode()[-600:]}")
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
            result["kills"] += 1
            if foreign is None:
                foreign = Foreign(path)
            if chance.random() < 0.01:
                # The other process dies, too, and nobody has the file open.
                problem = foreign.end(result) if chance.random() < 0.5 else foreign.kill()
                if problem:
                    raise RuntimeError(problem)
                result["both ended"] += 1
                foreign = Foreign(path)
            connection = connect(path)
            n, problem = problem_of(connection, last_line(acknowledged))
            report = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            connection.close()
            if report != ["ok"]:
                problem = f"integrity_check: {report[:3]}"
            if problem:
                findings.append(["content", f"seed {seed}, kill {kill}: {problem}"])
                break
            result["transactions"] = n
            if foreign.process.poll() is not None:
                break
    except (RuntimeError, apsw.Error) as error:
        findings.append([type(error).__name__, f"seed {seed}, kill {kill}: {error}"])
    problem = foreign.end(result) if foreign else None
    if problem:
        findings.append(["other process", f"seed {seed}, before kill {kill}: {problem}"])
    findings += check_outbox(path, received, seed, result)
    shutil.rmtree(folder, ignore_errors=True)
    return dict(result), findings


def check_outbox(path, received, seed, result):
    """Each transaction was delivered, in order; those that were delivered again follow one that was not acknowledged."""
    with open(received, "rb") as file:
        numbers = [int(line) for line in file.read().split(b"\n")[:-1]]
    connection = connect(path)
    n = connection.execute("SELECT n FROM total").get
    waiting = [
        row[0]
        for row in connection.execute(
            "SELECT new ->> 'n' FROM grdb_outbox_ledger WHERE kind = 'update' AND new IS NOT NULL ORDER BY position"
        )
    ]
    connection.close()
    last = 0
    for number in numbers + waiting:
        if number > last + 1:
            return [["outbox", f"seed {seed}: {number} follows {last}"]]
        if number <= last:
            result["delivered again"] += 1
        last = max(last, number)
    if last != n:
        return [["outbox", f"seed {seed}: {last} is the last of {n} changes"]]
    result["delivered"] = n - len(waiting)
    return []


def run(program, options, folder):
    total = options.count or 10000
    lanes = min(options.jobs, total)
    share = -(-total // lanes)
    started = time.monotonic()
    counts = collections.Counter()
    kinds = collections.Counter()
    first = {}
    tasks = [
        (program, os.path.join(folder, str(lane)), share, options.seed * 1000 + lane, options.deadline)
        for lane in range(lanes)
    ]
    with concurrent.futures.ThreadPoolExecutor(lanes) as executor:
        for found, findings in executor.map(run_lane, tasks):
            counts.update(found)
            for kind, message in findings:
                kinds[kind] += 1
                first.setdefault(kind, message)
    seconds = time.monotonic() - started
    names = ("transactions", "delivered", "delivered again", "reads", "checkpoints", "busy", "both ended")
    print(
        f"kills: {counts['kills']} kills in {seconds:.0f} s, {counts['working']} of them of processes that were working, "
        f"seed {options.seed}"
    )
    print("  " + ", ".join(f"{name}: {counts[name]}" for name in names))
    for kind, number in sorted(kinds.items()):
        print(f"FINDING {kind}: {number} times; {first[kind]}")
    return {
        "kills": counts["kills"],
        "working": counts["working"],
        "counts": [[name, counts[name]] for name in names],
        "findings": [[kind, number, first[kind]] for kind, number in sorted(kinds.items())],
    }


if __name__ == "__main__":
    watch(sys.argv[1])
