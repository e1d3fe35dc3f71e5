"""Lets the n-th operation of each kind fail, for each n, in each workload: the driver of `trust faults`."""

import collections
import concurrent.futures
import datetime
import hashlib
import json
import os
import random
import select
import shutil
import signal
import subprocess
import threading
import time

import judge

# The codes that a failing operation may be reported with.
SQLITE_IOERR = 10


def ioerr(number):
    return SQLITE_IOERR | number << 8


CANTOPEN = {14 | k << 8 for k in range(8)}
EXPECTED = {
    # SQLite reports a journal that can't be opened as an error of the file system, or as a read-only file.
    "open": CANTOPEN,
    "read": {ioerr(1)},
    "write": {ioerr(3)},
    "partial-write": {ioerr(3)},
    "full": {13},
    "truncate": {ioerr(6)},
    "sync": {ioerr(4)},
    "file-size": {ioerr(7)},
    "lock": {ioerr(15)},
    "unlock": {ioerr(8)},
    "check-reserved": {ioerr(14)},
    "shm-map": {ioerr(21)},
    "shm-lock": {ioerr(20)},
    "delete": {ioerr(10)},
    "delete-sync": {ioerr(5)},
    "access": {ioerr(13)},
    "full-path": CANTOPEN,
    "fetch": {ioerr(24)},
    "memory": {7, ioerr(12)},
}

TIMEOUT = 180

# The work of these consists of independent tasks: if one fails, the others still commit, in a state that the work
# without failures does not have. Integrity and observers are checked.
INDEPENDENT = {"batched-writes"}


class Child:
    """A process of ours that prints lines, and waits for answers."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
        )
        self.buffer = b""
        self.errors = b""
        self.reader = threading.Thread(target=self._read_errors, daemon=True)
        self.reader.start()

    def _read_errors(self):
        for line in self.process.stderr:
            # The reason of a trap; what follows is a trace of addresses.
            if b"Fatal error" in line or not self.errors:
                self.errors = (self.errors + line)[-4000:]

    def line(self, timeout=TIMEOUT):
        """The next line, None at the end. Raises TimeoutError."""
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def answer(self):
        try:
            self.process.stdin.write(b"go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class Findings:
    def __init__(self):
        self.lock = threading.Lock()
        # By workload and kind.
        self.counts = collections.Counter()
        self.first = {}
        # By workload, fault and outcome.
        self.outcomes = collections.Counter()
        self.uncertain = 0
        # The workloads of which the time did not allow all points.
        self.unfinished = set()
        # The verdicts on files, by their bytes: many points leave the same ones.
        self.verdicts = {}

    def add(self, workload, kind, message):
        with self.lock:
            self.counts[workload, kind] += 1
            if (workload, kind) not in self.first:
                self.first[workload, kind] = message
                print(f"  {workload} {kind}: {message}", flush=True)

    def judge(self, path):
        key = file_hash(path)
        verdict = self.verdicts.get(key)
        if verdict is None:
            verdict = judge.judge(path)
            self.verdicts[key] = verdict
        return verdict


def file_hash(path):
    """The hash of all bytes that the judge can read."""
    digest = hashlib.blake2b(digest_size=20)
    for suffix in ("", "-journal", "-wal"):
        try:
            with open(path + suffix, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            continue
        digest.update(f"{suffix} {len(content)} ".encode())
        digest.update(content)
    return digest.digest()


def calibrate(program, workload, folder):
    """The hashes of the states that the work commits."""
    child = Child([program, "faults", "calibrate", workload, folder])
    states = []
    try:
        while (line := child.line()) is not None:
            if line.startswith("state "):
                digest, problem = judge.judge(line[6:])
                if problem:
                    raise SystemExit(f"{workload}: {problem}")
                states.append(digest)
                child.answer()
            elif line == "end":
                return states
    finally:
        child.end()
    raise SystemExit(f"{workload} fails without a fault: {child.errors.decode()}")


def run_job(program, job, states, folder, findings, step, last, deadline):
    workload, fault, mode = job
    os.makedirs(folder, exist_ok=True)
    name = f"{workload} {fault} {mode}"
    number = 1
    points = 0
    while number <= last and time.monotonic() < deadline:
        child = Child([program, "faults", "points", workload, fault, mode, str(number), str(step), str(last), folder])
        isDone = False
        try:
            while True:
                line = child.line()
                if line is None:
                    status = child.process.wait()
                    findings.add(
                        workload, f"{fault}: died", f"{name} {number}: status {status}, {child.errors.decode()[-600:]}"
                    )
                    break
                if line == "end":
                    isDone = True
                    break
                if line.startswith("try "):
                    number = int(line[4:])
                elif line.startswith("point "):
                    outcome = json.loads(line[6:])
                    if outcome["fired"]:
                        points += 1
                    examine(job, outcome, states, findings)
                    if time.monotonic() > deadline:
                        isDone = True
                        break
                    child.answer()
        except TimeoutError:
            findings.add(workload, f"{fault}: hangs", f"{name} {number}")
        finally:
            child.end()
        if isDone:
            break
        number += step
    if time.monotonic() >= deadline:
        with findings.lock:
            findings.unfinished.add(workload)
    shutil.rmtree(folder, ignore_errors=True)
    return name, points


def is_of_sqlite(fault, outcome):
    """Whether the failure is reported with another code, as documented, or by SQLite itself."""
    # So throw the writes of a transaction that ended because of another one.
    if outcome.get("code") == 4 and "Transaction was aborted" in (outcome.get("error") or ""):
        return True
    # VACUUM INTO takes a file without a size for one that is not empty.
    return fault == "file-size" and "output file already exists" in (outcome.get("error") or "")


def examine(job, outcome, states, findings):
    workload, fault, mode = job
    name = f"{workload} {fault} {mode} {outcome['number']}"
    digest, problem = findings.judge(outcome["path"])
    # A file system that reports the wrong size can have SQLite write a page of zeros.
    lies = fault == "short-read"
    for text in outcome["problems"]:
        if not (lies and outcome["fired"]):
            findings.add(workload, f"{fault}: {text[:60]}", f"{name}: {text}; after {outcome.get('error')}")
    if problem and not lies:
        findings.add(workload, f"{fault}: judge", f"{name}: {problem}")
    if not lies and digest is not None and (workload not in INDEPENDENT or outcome["succeeded"]):
        commits = outcome["commits"]
        expected = states[min(commits, len(states) - 1)]
        if digest != expected:
            isUncertain = (outcome.get("code") or 0) & 0xFF == SQLITE_IOERR
            # SQLite has committed, and has failed to clean up: the commit throws, but is in the file.
            if isUncertain and digest == states[min(commits + 1, len(states) - 1)]:
                findings.uncertain += 1
            elif outcome["succeeded"] or digest not in states:
                findings.add(
                    workload,
                    f"{fault}: content",
                    f"{name}: state {states.index(digest) if digest in states else 'unknown'} instead of {commits}, "
                    f"{outcome}",
                )
            else:
                findings.add(
                    workload,
                    f"{fault}: commits",
                    f"{name}: {commits} commits are observed, but the file has state {states.index(digest)}: "
                    f"{outcome['error']}",
                )
    if not outcome["fired"]:
        if not outcome["succeeded"]:
            findings.add(workload, f"{fault}: fails without a fault", f"{name}: {outcome}")
        kind = "untouched"
    elif outcome["succeeded"]:
        kind = "absorbed"
    elif lies or outcome.get("code") in EXPECTED[fault] or is_of_sqlite(fault, outcome):
        kind = "reported"
    else:
        kind = "other"
        findings.add(workload, f"{fault}: code {outcome.get('code')}", f"{name}: {outcome.get('error')}")
    code = outcome.get("observationCode")
    if code is not None and not lies and code not in EXPECTED[fault]:
        findings.add(workload, f"{fault}: observation code {code}", name)
    with findings.lock:
        findings.outcomes[workload, fault, kind] += 1


def run(program, options, folder):
    listing = subprocess.run([program, "faults", "list"], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in listing.splitlines()]
    workloads = [word for kind, word in words if kind == "workload" and options.selects(word)]
    faults = [word for kind, word in words if kind == "fault"]
    if options.fault:
        faults = [fault for fault in faults if fault in options.fault]
    else:
        # Allocations are a part of their own.
        faults = [fault for fault in faults if (fault == "memory") == (options.part == "memory")]
    judge.uses_key = options.encrypted
    findings = Findings()
    states = {}
    jobs = []
    for workload in workloads:
        path = os.path.join(folder, "calibration-" + workload)
        os.makedirs(path)
        states[workload] = calibrate(program, workload, path)
        shutil.rmtree(path)
        jobs += [(workload, fault, mode) for fault in faults for mode in ("once", "on")]
    # The points that are reached in a limited time are of all workloads.
    random.Random(options.seed).shuffle(jobs)
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        running = []
        for index, job in enumerate(jobs):
            running.append(
                executor.submit(
                    run_job,
                    program,
                    job,
                    states[job[0]],
                    os.path.join(folder, str(index)),
                    findings,
                    options.step,
                    options.count or 10**9,
                    options.deadline,
                )
            )
        for future in concurrent.futures.as_completed(running):
            name, points = future.result()
            if options.verbose:
                print(f"{name}: {points} points", flush=True)
    ended = time.monotonic() > options.deadline
    counts = {
        workload: {
            fault: [findings.outcomes[workload, fault, kind] for kind in ("reported", "absorbed", "other")]
            for fault in faults
        }
        for workload in workloads
    }
    total = sum(sum(row) for rows in counts.values() for row in rows.values())
    print(f"{options.part}: {total} points in {time.monotonic() - started:.0f} s, step {options.step}")
    if ended:
        print(f"  not all points: ended after {options.minutes:g} minutes")
    for fault in faults:
        row = [sum(column) for column in zip(*(counts[workload][fault] for workload in workloads))]
        print("  {}: {} points, {} reported, {} absorbed, {} with another code".format(fault, sum(row), *row))
    if findings.uncertain:
        print(f"  {findings.uncertain} commits that threw are in the file")
    for (workload, kind), count in sorted(findings.counts.items()):
        print(f"FINDING {workload} {kind}: {count} times; {findings.first[workload, kind]}")
    prefix = "encrypted " if options.encrypted else ""
    return {
        # By workload, so that a run of some of them replaces theirs.
        "workloads": {
            prefix
            + workload: {
                "date": datetime.date.today().isoformat(),
                "step": options.step,
                "ended": workload in findings.unfinished,
                "faults": {fault: row for fault, row in counts[workload].items() if any(row)},
                "findings": [
                    [f"{prefix}{workload} {kind}", count, findings.first[workload, kind]]
                    for (found, kind), count in sorted(findings.counts.items())
                    if found == workload
                ],
            }
            for workload in workloads
        },
        "findings": sorted(findings.counts),
    }
