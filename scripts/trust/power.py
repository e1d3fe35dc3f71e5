"""Cuts the power at any moment of each workload, and has two SQLite open what is left: the driver of `trust power`."""

import collections
import concurrent.futures
import copy
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import time
import zlib

import apsw
import disk
from judge import connect

# Journal mode, PRAGMA synchronous, whether writes leave the bytes beside them alone, and how often it is chosen.
QUEUE_MODES = [
    ("delete", "FULL", 1),
    ("delete", "EXTRA", 1),
    ("truncate", "FULL", 1),
    ("persist", "FULL", 1),
    ("delete", "EXTRA", 0),
    ("wal", "FULL", 1),
    ("wal", "NORMAL", 1),
]
POOL_MODES = [("wal", "FULL", 1), ("wal", "NORMAL", 1), ("wal", "FULL", 0)]
# One of so many images is opened by the library, too.
LIBRARY_SHARE = 4
# Images of each record on a disk that ignores syncs.
CONTROL = 10


def digest(connection):
    """As contentDigest in Digest.swift."""
    crc = 0

    def add(sql):
        nonlocal crc
        for (text,) in connection.execute(sql):
            crc = zlib.crc32((text + "\n").encode(), crc)

    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    add("SELECT quote(type) || quote(name) || quote(tbl_name) || quote(sql) FROM sqlite_schema ORDER BY type, name")
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        " AND name NOT LIKE 'sqlite_stat%' ORDER BY name"
    ).fetchall()
    for (table,) in tables:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        texts = "||'|'||".join(f"quote({quoted(name)})" for (name,) in columns)
        add(f"SELECT {texts} FROM {quoted(table)} ORDER BY 1")
    return crc


def examine(path):
    """The digest of a file, and what is wrong with it."""
    if not os.path.exists(path):
        return 0, None
    connection = None
    try:
        connection = connect(path)
        report = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        if report != ["ok"]:
            return None, "integrity_check: " + "; ".join(report)[:200]
        violations = connection.execute("PRAGMA foreign_key_check").fetchall()
        if violations:
            return None, f"foreign_key_check: {violations[:3]}"
        return digest(connection), None
    except apsw.Error as error:
        return None, f"{type(error).__name__}: {error}"
    finally:
        if connection is not None:
            connection.close()


class History:
    """The states of a group of files that are committed together, in the order of commits."""

    def __init__(self, names, marks):
        self.names = names
        self.states = []
        self.indexes = []
        for index, digests in marks:
            state = tuple(digests.get(name, 0) for name in names)
            if not self.states or self.states[-1] != state:
                self.states.append(state)
                self.indexes.append(index)

    def number(self, index):
        """The last state that was acknowledged before the event."""
        found = 0
        for number, acknowledged in enumerate(self.indexes):
            if acknowledged <= index:
                found = number
        return found


class Record:
    """What a workload has written in one mode."""

    def __init__(self, program, folder, workload, mode, seed):
        self.workload = workload
        self.journal, self.synchronous, self.overwrites = mode
        self.name = f"{workload} {self.journal} {self.synchronous} {'' if self.overwrites else 'no-psow '}".strip()
        self.folder = os.path.join(folder, "record")
        os.makedirs(self.folder)
        path = os.path.join(folder, "events")
        # The seed of the nonces of journals.
        number = zlib.crc32(f"{seed} {self.name}".encode())
        arguments = [program, "power", "record", workload, self.journal, self.synchronous, str(self.overwrites)]
        result = subprocess.run(
            arguments + [str(number), self.folder, path], capture_output=True, text=True, timeout=300, check=False
        )
        if result.returncode != 0 or not result.stdout.endswith("end\n"):
            raise RuntimeError(f"{self.name} fails without a power cut: {result.stdout} {result.stderr[-600:]}")
        self.events = disk.read_record(path)
        os.remove(path)
        shutil.rmtree(self.folder)
        marks = [(i, json.loads(event[3])) for i, event in enumerate(self.events) if event[0] == disk.MARK]
        names = sorted({name for _, digests in marks for name in digests})
        # A transaction on attached files is one only with rollback journals.
        if workload == "attached" and self.journal != "wal":
            groups = [names]
        else:
            groups = [[name] for name in names]
        self.histories = [History(group, marks) for group in groups]

    def allowed(self, history, index, state, plan):
        """The numbers of the states that the files of the group may have."""
        number = history.number(index)
        first, last = number, number + 1
        paths = [os.path.join(self.folder, name) for name in history.names]
        for name, created in state.restored_journals(plan):
            # The deletion of the journal was the commit. PRAGMA synchronous = EXTRA syncs its folder: that of the main
            # file, not those of attached ones and of copies, which have the default.
            isMain = os.path.basename(name) == "main.sqlite-journal"
            if name[: -len("-journal")] in paths and not (isMain and self.synchronous == "EXTRA"):
                first = min(first, history.number(created))
        wal = [state.disk.names.get(path + "-wal") for path in paths]
        # The default in WAL mode is NORMAL, also for copies.
        if self.journal == "wal" and (self.synchronous == "NORMAL" or history.names != ["main.sqlite"]):
            synced = [state.disk.wal_sync.get(number, -1) for number in wal if number is not None]
            first = min(first, history.number(max(synced, default=-1)))
        return range(first, min(last, len(history.states) - 1) + 1)


def run_images(task):
    """Tries images of a record, and returns counts and findings."""
    program, folder, workload, mode, seed, count = task
    os.makedirs(folder)
    counts = collections.Counter()
    findings = []
    try:
        record = Record(program, folder, workload, mode, seed)
        _try_images(program, folder, record, seed, count, counts, findings)
    except Exception as error:  # pylint: disable=broad-except
        findings.append([f"{workload} {mode}: {type(error).__name__}", f"{workload} {mode}: {error}"])
    shutil.rmtree(folder, ignore_errors=True)
    return f"{workload} {' '.join(map(str, mode))}", dict(counts), findings


def _try_images(program, folder, record, seed, count, counts, findings):
    events = record.events
    library = subprocess.Popen(
        [program, "power", "open"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
    )
    # The folder of the record: journals name the super-journal with its path.
    place = record.folder
    known = {}
    seen_kinds = set()

    def write(image):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for name, content in image.items():
            with open(name, "wb") as file:
                file.write(content)

    def outcome(image, compares):
        """The digests by name, and what is wrong."""
        key = disk.key_of(image)
        if key not in known:
            write(image)
            known[key] = {name: examine(os.path.join(place, name)) for name in databases}
            if not compares:
                return known.pop(key)
            counts["distinct"] += 1
            if counts["distinct"] % LIBRARY_SHARE == 0:
                compare(image, known[key])
        return known[key]

    def compare(image, seen):
        write(image)
        for name, (expected, problem) in seen.items():
            path = os.path.join(place, name)
            if problem or not os.path.exists(path):
                continue
            library.stdin.write(f"{'pool' if record.journal == 'wal' else 'queue'} {path}\n")
            library.stdin.flush()
            answer = library.stdout.readline()
            found = json.loads(answer[5:]) if answer.startswith("file ") else {"problem": "died"}
            counts["library"] += 1
            # The library and APSW agree, or the file is empty, which the library leaves.
            if found.get("problem") or (found.get("digest") or 0) != expected:
                add("library", f"{name}: {found} instead of {expected}")

    def add(kind, message):
        findings.append([f"{record.name}: {kind}", f"{record.name}, seed {seed}, {message}"])

    def check(index, crash, plan, noise, compares=True):
        """What is wrong with the image of a plan, or None."""
        seen = outcome(crash.build(plan, random.Random(noise)), compares)
        for history in record.histories:
            found = tuple(seen[name][0] for name in history.names)
            problems = [seen[name][1] for name in history.names if seen[name][1]]
            number = history.number(index)
            if history.names == ["vacuum.sqlite"]:
                # VACUUM INTO is no transaction: only what it has ended is whole.
                if number == 0 or (found == (0,) and not problems):
                    continue
            if problems:
                return f"problem: {problems[0][:60]}", f"{history.names}: {problems}"
            allowed = record.allowed(history, index, crash, plan)
            if found not in [history.states[k] for k in allowed]:
                where = [k for k, state in enumerate(history.states) if state == found]
                kind = "lost commits" if where and where[-1] < allowed[0] else "content"
                return kind, f"{history.names}: state {where or found} instead of {list(allowed)}"
        return None

    databases = sorted({name for history in record.histories for name in history.names})
    # Before the first mark, the files that were there are read.
    first = next(i for i, event in enumerate(events) if event[0] == disk.MARK)
    kinds = (disk.SYNC, disk.DELETE, disk.TRUNCATE, disk.MARK)
    interesting = [i for i, event in enumerate(events) if event[0] in kinds]

    def choose_cuts(chance, number):
        cuts = collections.Counter()
        for _ in range(number):
            if chance.random() < 0.5:
                cuts[chance.randrange(first, len(events))] += 1
            else:
                cut = chance.choice(interesting) + chance.randint(-2, 1)
                cuts[min(max(cut, first), len(events) - 1)] += 1
        return cuts

    sweep = 0
    try:
        while counts["distinct"] < count and sweep < 12:
            chance = random.Random(f"{seed} {record.name} {sweep}")
            sweep += 1
            cuts = choose_cuts(chance, max(count // 2, 20))
            state = disk.Disk()
            for index, event in enumerate(events):
                state.apply(index, event)
                for attempt in range(cuts[index]):
                    if counts["distinct"] >= count:
                        break
                    size = chance.choice((512, 4096)) if record.overwrites else 4096
                    crash = disk.Crash(state, size, record.overwrites)
                    if attempt == 0 and crash.build(disk.Plan(), chance) != state.content():
                        raise RuntimeError(f"the disk is not rebuilt after event {index}")
                    plan = crash.plan(chance)
                    noise = chance.getrandbits(32)
                    counts["images"] += 1
                    found = check(index, crash, plan, noise)
                    if found and found[0] not in seen_kinds:
                        seen_kinds.add(found[0])
                        lost = _shrink(lambda p: check(index, crash, p, noise), crash, plan, found[0])
                        add(found[0], f"cut after event {index} of {len(events)}, sectors of {size}: {found[1]}; {lost}")
                    elif found:
                        add(found[0], f"cut after event {index}")
        # The control: a disk that ignores syncs loses and mixes commits, and this must be seen.
        chance = random.Random(f"{seed} {record.name} control")
        cuts = choose_cuts(chance, CONTROL)
        state = disk.Disk(syncs=False)
        for index, event in enumerate(events):
            state.apply(index, event)
            for _ in range(cuts[index]):
                crash = disk.Crash(state, 4096, record.overwrites)
                counts["control"] += 1
                if check(index, crash, crash.plan(chance), chance.getrandbits(32), compares=False):
                    counts["control wrong"] += 1
    finally:
        library.stdin.close()
        library.wait(60)
        library.stdout.close()
    counts["events"] = len(events)


def _shrink(check, crash, plan, kind):
    """Has the disk do more, as long as the image fails in the same way. Describes what it still has not done."""
    plan = copy.deepcopy(plan)
    for field in ("garbage", "torn", "sectors", "sizes", "names"):
        for key in sorted(getattr(plan, field)):
            attempt = copy.deepcopy(plan)
            del getattr(attempt, field)[key]
            found = check(attempt)
            if found and found[0] == kind:
                plan = attempt
    names = {number: os.path.basename(name) for name, number in crash.disk.names.items()}
    parts = [f"{os.path.basename(name)} has {done} of its changes of name" for name, done in plan.names.items()]
    parts += [f"{names.get(number, number)} has {done} of its changes of size" for number, done in plan.sizes.items()]
    parts += [
        f"sector {sector} of {names.get(number, number)} has {done} of its changes"
        for (number, sector), done in plan.sectors.items()
    ]
    parts += [f"{len(plan.torn)} torn, {len(plan.garbage)} of garbage" if plan.torn or plan.garbage else "none torn"]
    return "; ".join(parts)


def run(program, options, folder):
    listing = subprocess.run([program, "power", "list"], capture_output=True, text=True, check=True).stdout
    rows = [line.split()[1:] for line in listing.splitlines() if line.startswith("workload ")]
    tasks = []
    for name, kind in rows:
        if not options.selects(name):
            continue
        for mode in POOL_MODES if kind == "pool" else QUEUE_MODES:
            # These change the mode themselves.
            if name == "journal-modes" and mode[0] == "wal":
                continue
            tasks.append((name, mode))
    if not options.only and options.count and options.count < 10 * len(tasks):
        random.Random(options.seed).shuffle(tasks)
        tasks = tasks[: max(1, options.count // 10)]
    total = options.count or 20000
    share = -(-total // len(tasks))
    tasks = [
        (program, os.path.join(folder, str(index)), name, mode, options.seed, share)
        for index, (name, mode) in enumerate(tasks)
    ]
    started = time.monotonic()
    counts = collections.Counter()
    by_mode = collections.Counter()
    by_workload = collections.Counter()
    kinds = collections.Counter()
    first = {}
    with concurrent.futures.ProcessPoolExecutor(
        options.jobs, mp_context=multiprocessing.get_context("spawn")
    ) as executor:
        for task, (name, found, findings) in zip(tasks, executor.map(run_images, tasks)):
            counts.update(found)
            mode = f"{task[3][0]}, {task[3][1]}" + ("" if task[3][2] else ", unsafe overwrites")
            by_mode[mode] += found.get("distinct", 0)
            by_workload[task[2]] += found.get("distinct", 0)
            if options.verbose:
                print(f"{name}: {found}", flush=True)
            for kind, message in findings:
                kinds[kind] += 1
                if kind not in first:
                    first[kind] = message
                    print(f"  {message}", flush=True)
    print(
        f"power: {counts['images']} images, {counts['distinct']} of them distinct, of {len(tasks)} records with "
        f"{counts['events']} events, in {time.monotonic() - started:.0f} s, seed {options.seed}; the library opens "
        f"{counts['library']} files"
    )
    print(f"  control: {counts['control wrong']} of {counts['control']} images are wrong if the disk ignores syncs")
    if counts["control wrong"] * 20 < counts["control"]:
        kinds["control"] = 1
        first["control"] = "a disk that ignores syncs is not noticed"
    for mode, number in sorted(by_mode.items()):
        print(f"  {mode}: {number} distinct images")
    for kind, number in sorted(kinds.items()):
        print(f"FINDING {kind}: {number} times; {first[kind]}")
    return {
        "images": counts["images"],
        "distinct": counts["distinct"],
        "library": counts["library"],
        "records": len(tasks),
        "control": [counts["control wrong"], counts["control"]],
        "events": counts["events"],
        "modes": sorted(by_mode.items()),
        "workloads": sorted(by_workload.items()),
        "findings": [[kind, number, first[kind]] for kind, number in sorted(kinds.items())],
    }
