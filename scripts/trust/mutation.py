"""Negates conditions, and runs the tests that evaluate them, for scripts/run-tests mutation: ROOT FOLDER OPTIONS…"""

import argparse
import concurrent.futures
import datetime
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from conditions import Conditions
from figures import keep

SOURCES = "Sources"
# The build has some more conditions than are tried, in place of those that don't compile.
SPARE = 1.1
SUPPORT = """#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The conditions that scripts/run-tests mutation negates: GRDB_MUTANT has their numbers, and the file GRDB_MUTANT_LOG gets
/// a byte for each condition that is evaluated, also by processes that crash.
@usableFromInline
package enum Mutant {
    static let count = 4096

    nonisolated(unsafe) static let isNegated: UnsafeMutablePointer<Bool> = {
        let result = UnsafeMutablePointer<Bool>.allocate(capacity: count)
        result.initialize(repeating: false, count: count)
        if let text = getenv("GRDB_MUTANT") {
            for number in String(cString: text).split(separator: ",") { result[Int(number)!] = true }
        }
        return result
    }()

    nonisolated(unsafe) static let isEvaluated: UnsafeMutablePointer<UInt8> = {
        if let path = getenv("GRDB_MUTANT_LOG") {
            let file = open(path, O_RDWR)
            let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            close(file)
            if let memory, memory != MAP_FAILED { return memory.assumingMemoryBound(to: UInt8.self) }
        }
        return .allocate(capacity: count)
    }()

    @usableFromInline
    package static func flip(_ number: Int, _ condition: Bool) -> Bool {
        isEvaluated[number] = 1
        return condition != isNegated[number]
    }
}
"""
COUNT = 4096


def log(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


class Mutation:
    def __init__(self, root, folder, options):
        self.root, self.folder, self.options = root, folder, options
        self.tree = os.path.join(folder, "tree")
        self.deadline = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
        self.lock = threading.Lock()
        self.state = self.stored("state.json") or {"seed": options.seed, "dropped": [], "built": False}

    # Files of the folder

    def stored(self, name):
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        return None

    def store(self, name, value):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1, sort_keys=True)
        os.replace(path + ".new", path)

    # The build

    def copy(self):
        if os.path.exists(self.tree):
            return
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\0")
        for name in filter(None, names):
            target = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.exists(os.path.join(self.root, name)):
                shutil.copy2(os.path.join(self.root, name), target)
        shutil.copytree(os.path.join(self.tree, SOURCES), os.path.join(self.folder, "sources"))
        with open(os.path.join(self.tree, SOURCES, "GRDB", "Mutant.swift"), "w", encoding="utf-8") as file:
            file.write(SUPPORT)

    def draw(self):
        """The conditions in the order in which they are tried, without those that don't compile."""
        found = []
        sources = os.path.join(self.folder, "sources")
        for folder, _, names in sorted(os.walk(sources)):
            for name in sorted(names):
                if not name.endswith(".swift"):
                    continue
                path = os.path.join(folder, name)
                # The core and the products.
                if not os.path.relpath(path, sources).startswith("GRDB"):
                    continue
                with open(path, encoding="utf-8") as file:
                    source = file.read()
                for (start, end), (kind, line) in sorted(Conditions(source).found.items()):
                    encoded = [len(source[:start].encode()), len(source[:end].encode())]
                    found.append(
                        {
                            "file": os.path.relpath(path, sources),
                            "line": line,
                            "lastLine": line + source.count("\n", start, end),
                            "range": encoded,
                            "kind": kind,
                            "text": " ".join(source[start:end].split()),
                        }
                    )
        self.total = len(found)
        random.Random(self.state["seed"]).shuffle(found)
        for number, one in enumerate(found):
            one["number"] = number
        dropped = set(self.state["dropped"])
        kept = [one for one in found if one["number"] not in dropped]
        return kept[: int(self.options.count * SPARE)]

    def write(self, mutants):
        """Wraps the conditions; lines stay where they are."""
        sources = os.path.join(self.folder, "sources")
        edits = {}
        for one in mutants:
            start, end = one["range"]
            # At the same place, what ends comes first, the inner one before the outer one.
            of_file = edits.setdefault(one["file"], [])
            of_file.append((start, 1, -(end - start), f"Mutant.flip({one['number']}, (".encode()))
            of_file.append((end, 0, end - start, b"))"))
        for folder, _, names in os.walk(sources):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), sources)
                with open(os.path.join(folder, name), "rb") as file:
                    text = file.read()
                for place, _, _, insertion in sorted(edits.get(path, []), reverse=True):
                    text = text[:place] + insertion + text[place:]
                target = os.path.join(self.tree, SOURCES, path)
                with open(target, "rb") as file:
                    former = file.read()
                if former != text:
                    with open(target, "wb") as file:
                        file.write(text)

    def swift_build(self, *arguments):
        command = ["nice", "-n", "5", "swift", "build", "-debug-info-format", "none", "--ignore-lock", *arguments]
        result = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, check=False)
        with open(os.path.join(self.folder, "build.log"), "w", encoding="utf-8") as file:
            file.write(result.stdout + result.stderr)
        return result.returncode == 0, result.stdout + result.stderr

    def build(self):
        self.copy()
        while True:
            mutants = self.draw()
            if self.state["built"]:
                break
            self.write(mutants)
            log(f"building {len(mutants)} of {self.total} conditions")
            succeeded, output = self.swift_build("-Xswiftc", "-continue-building-after-errors")
            if succeeded:
                break
            places = set(re.findall(r"/tree/Sources/(\S+?\.swift):(\d+):\d+: error:", output))
            wrong = set()
            for file, line in places:
                distances = [
                    (max(one["line"] - int(line), int(line) - one["lastLine"], 0), one["number"])
                    for one in mutants
                    if one["file"] == file
                ]
                wrong.update(number for distance, number in distances if distance == min(distances)[0])
            if not wrong:
                sys.exit("The sources don't compile: " + os.path.join(self.folder, "build.log"))
            log(f"{len(wrong)} conditions don't compile when they are wrapped")
            self.state["dropped"] += sorted(wrong)
            self.store("state.json", self.state)
        if not self.state["built"]:
            log("building the tests")
            if not self.swift_build("--build-tests", "-Xswiftc", "-continue-building-after-errors")[0]:
                sys.exit("The tests don't compile: " + os.path.join(self.folder, "build.log"))
            self.state["built"] = True
            self.store("state.json", self.state)
        self.mutants = mutants[: self.options.count]

    # The runs

    def run(self, suites, mutants=(), log_path=None, timeout=600):
        """How a run of suites ends, the names of the suites that fail or don't end, and its duration."""
        program = os.path.join(self.tree, ".build/debug/GRDBPackageTests.xctest")
        # In memory, where there is such a folder.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as work:
            events = os.path.join(work, "events")
            os.mkdir(os.path.join(work, "data"))
            command = [program, "--testing-library", "swift-testing"]
            command += ["--event-stream-output-path", events, "--event-stream-version", "0"]
            for suite in suites:
                command += ["--filter", f"^{re.escape(suite)}(/|$)"]
            environment = dict(os.environ, TMPDIR=os.path.join(work, "data"), TZ=os.environ.get("TZ", ""))
            if not environment["TZ"]:
                del environment["TZ"]
            if mutants:
                environment["GRDB_MUTANT"] = ",".join(str(number) for number in mutants)
            if log_path:
                environment["GRDB_MUTANT_LOG"] = log_path
            start = time.monotonic()
            with open(os.path.join(work, "output"), "wb") as output:
                process = subprocess.Popen(
                    ["nice", "-n", "5", *command],
                    cwd=self.tree,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
                try:
                    code = process.wait(timeout)
                    ending = "passed" if code == 0 else "failed" if code == 1 else "crashed"
                except subprocess.TimeoutExpired:
                    ending = "timeout"
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
            duration = time.monotonic() - start
            return ending, self.failing(events), duration

    @staticmethod
    def failing(events):
        open_tests, failed, tests = set(), {}, 0
        try:
            with open(events, encoding="utf-8", errors="replace") as file:
                for line in file:
                    try:
                        record = json.loads(line)
                    except ValueError:
                        continue
                    payload = record.get("payload", {})
                    kind, test = payload.get("kind"), payload.get("testID")
                    if record.get("kind") != "event" or not test:
                        continue
                    if kind == "testStarted" and "(" in test:
                        open_tests.add(test)
                        tests += 1
                    elif kind in ("testEnded", "testSkipped"):
                        open_tests.discard(test)
                    elif kind == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
                        failed[test] = True
        except FileNotFoundError:
            pass
        return sorted({test.split("/")[0] for test in failed} or {test.split("/")[0] for test in open_tests}), sorted(
            failed
        )

    def list_suites(self):
        program = os.path.join(self.tree, ".build/debug/GRDBPackageTests.xctest")
        result = subprocess.run(
            [program, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True, check=True
        )
        return sorted({line.split("/")[0] for line in result.stdout.splitlines() if re.match(r"\w+\.", line)})

    def record(self):
        """Runs each suite alone: which conditions it evaluates, and how long it takes."""
        suites = self.stored("suites.json") or {}
        missing = [suite for suite in self.list_suites() if suite not in suites]
        log(f"recording {len(missing)} suites")

        def record(suite):
            path = os.path.join(self.folder, f"log-{threading.get_ident()}")
            with open(path, "wb") as file:
                file.write(bytes(COUNT))
            ending, (_, failed), duration = self.run([suite], log_path=path, timeout=300)
            with open(path, "rb") as file:
                evaluated = [number for number, byte in enumerate(file.read()) if byte]
            os.unlink(path)
            with self.lock:
                suites[suite] = {"ending": ending, "seconds": duration, "evaluated": evaluated}
                self.store("suites.json", suites)
                if ending != "passed":
                    log(f"{suite} {ending} although no condition is negated: {failed}")

        self.in_parallel(record, missing)
        self.suites = {name: one for name, one in suites.items() if one["ending"] == "passed"}
        self.find_rooms()

    def in_parallel(self, function, elements):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for result in [pool.submit(function, element) for element in elements]:
                result.result()

    def find_rooms(self):
        """The folder of each suite."""
        rooms = {}
        tests = os.path.join(self.tree, "Tests")
        for folder, _, names in os.walk(tests):
            for name in names:
                if name.endswith("Tests.swift"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        for suite in re.findall(r"^[\w@().:, ]*\b(?:struct|class|actor|enum) (\w+)", file.read(), re.M):
                            target, *room = os.path.relpath(folder, tests).split("/")
                            rooms[suite] = [target.removesuffix("Tests"), *room]
        for name, one in self.suites.items():
            one["room"] = rooms.get(name.split(".")[1], [])

    def order(self, mutant):
        """The suites that evaluate a condition: quick ones and those of its room first."""
        parts = mutant["file"].split("/")
        stem = re.split(r"[.+]", parts[-1])[0]

        def cost(name):
            one = self.suites[name]
            weight = 1.0
            if name.split(".")[1].startswith(stem):
                weight = 0.1
            elif one["room"][:3] == parts[:-1][:3]:
                weight = 0.3
            elif one["room"][:2] == parts[:2]:
                weight = 0.6
            return weight * one["seconds"]

        return sorted((name for name, one in self.suites.items() if mutant["number"] in one["evaluated"]), key=cost)

    def limit(self, names):
        return 20 + 5 * sum(self.suites[name]["seconds"] for name in names)

    def try_alone(self, mutant):
        """Runs the first suites of a condition until one fails; those that are left are run for several at once."""
        if time.monotonic() > self.deadline:
            return
        names = self.order(mutant)
        result = {"tried": [], "left": list(names), "state": "open" if names else "not reached"}
        spent = 0.0
        while result["left"] and (spent < self.options.seconds or len(result["tried"]) < 3):
            # Quick ones share a process: it takes half a second to start.
            batch = [result["left"].pop(0)]
            while result["left"] and len(batch) < 8 and len(result["tried"]) > 1:
                following = result["left"][0]
                if sum(self.suites[name]["seconds"] for name in [*batch, following]) > 4:
                    break
                batch.append(result["left"].pop(0))
            ending, (failing, failed), duration = self.run(batch, [mutant["number"]], timeout=self.limit(batch))
            spent += duration
            result["tried"] += batch
            if ending != "passed":
                result.update(state="noticed", by=failing or batch, tests=failed[:5], ending=ending)
                break
        else:
            if names and not result["left"]:
                result["state"] = "unnoticed"
        self.keep(mutant, result)

    def keep(self, mutant, result):
        with self.lock:
            self.results[str(mutant["number"])] = result
            self.store("results.json", self.results)
            place = f"{mutant['file']}:{mutant['line']} {mutant['kind']} {mutant['text'][:100]}"
            log(f"{mutant['number']} {result['state']} {' '.join(result.get('by', []))[:60]} | {place}")

    def try_together(self, mutants):
        """Runs the suites that are left for some conditions, all negated, and finds the one that makes a suite fail."""
        mutants = [one for one in mutants if self.results[str(one["number"])]["state"] == "open"]
        if not mutants or time.monotonic() > self.deadline:
            return
        left = sorted({name for one in mutants for name in self.results[str(one["number"])]["left"]})
        numbers = [one["number"] for one in mutants]
        limit = 60 + 2 * sum(self.suites[name]["seconds"] for name in left)
        ending, (failing, failed), duration = self.run(left, numbers, timeout=limit)
        log(f"{numbers} together: {ending} after {duration:.0f} s in {len(left)} suites {failing[:5]}")
        if ending == "passed":
            for one in mutants:
                self.keep(one, {**self.results[str(one["number"])], "left": [], "state": "unnoticed"})
            return
        if len(mutants) == 1:
            kept = self.results[str(numbers[0])]
            self.keep(mutants[0], {**kept, "state": "noticed", "by": failing, "tests": failed[:5], "ending": ending})
            return
        found = False
        for one in mutants:
            kept = self.results[str(one["number"])]
            names = [name for name in failing[:4] if name in kept["left"]]
            if not names:
                continue
            ending, (alone, failed), _ = self.run(names, [one["number"]], timeout=self.limit(names))
            if ending != "passed":
                found = True
                by = alone or names
                self.keep(one, {**kept, "state": "noticed", "by": by, "tests": failed[:5], "ending": ending})
        if found:
            self.try_together(mutants)
        else:
            half = len(mutants) // 2
            self.try_together(mutants[:half])
            self.try_together(mutants[half:])

    def tries(self):
        self.results = self.stored("results.json") or {}
        self.in_parallel(self.try_alone, [one for one in self.mutants if str(one["number"]) not in self.results])
        left = [one for one in self.mutants if self.results.get(str(one["number"]), {}).get("state") == "open"]
        log(f"{len(left)} conditions go on together")
        # One process for what is left takes far less time than the suites have taken alone.
        seconds = {
            one["number"]: sum(self.suites[name]["seconds"] for name in self.results[str(one["number"])]["left"])
            for one in left
        }
        groups = [[one] for one in left if seconds[one["number"]] < 300]
        many = [one for one in left if seconds[one["number"]] >= 300]
        groups += [many[index : index + self.options.group] for index in range(0, len(many), self.options.group)]
        self.in_parallel(self.try_together, groups)

    # The figures

    def figures(self):
        path = os.path.join(self.root, "scripts/trust/equivalents.json")
        with open(path, encoding="utf-8") as file:
            reasons = {(file, text): reason for file, text, reason in json.load(file)}
        equivalent, unnoticed, unreached, unfinished = [], [], [], 0
        count = noticed = 0
        endings = {}
        for one in self.mutants:
            result = self.results.get(str(one["number"]))
            if not result or result["state"] == "open":
                unfinished += 1
                continue
            count += 1
            place = [one["file"], one["line"], one["text"]]
            if result["state"] == "noticed":
                noticed += 1
                endings[result["ending"]] = endings.get(result["ending"], 0) + 1
            elif (one["file"], one["text"]) in reasons:
                equivalent.append([*place, reasons[one["file"], one["text"]]])
            elif result["state"] == "not reached":
                unreached.append(place)
            else:
                unnoticed.append(place)
        return {
            "candidates": self.total,
            "count": count,
            "date": datetime.date.today().isoformat(),
            "endings": endings,
            "equivalent": sorted(equivalent),
            "not reached": sorted(unreached),
            "noticed": noticed,
            "seed": self.state["seed"],
            "unfinished": unfinished,
            "unnoticed": sorted(unnoticed),
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--figures")
    options = parser.parse_args()
    mutation = Mutation(os.path.abspath(options.root), os.path.abspath(options.folder), options)
    mutation.build()
    mutation.record()
    mutation.tries()
    result = mutation.figures()
    for name in ("equivalent", "unnoticed", "not reached"):
        for file, line, text, *reason in result[name]:
            print(f"{name}: {file}:{line} {text}", *reason)
    counts = {name: result[name] for name in ("count", "noticed", "unfinished")}
    counts.update({name: len(result[name]) for name in ("equivalent", "unnoticed", "not reached")})
    print(", ".join(f"{name} {number}" for name, number in counts.items()))
    if options.figures:
        keep(options.figures, "mutation", result)
    sys.exit(1 if result["unnoticed"] or result["not reached"] else 0)


if __name__ == "__main__":
    main()
