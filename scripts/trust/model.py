"""Runs the parts of `trust` that run random sequences, such as `model`, in several processes, some seeds in each."""

import os
import re
import subprocess
import time

# The seeds of one process. A process that dies is known by its last seed, and the others go on.
SIZES = {"model": 250, "tables": 250, "undo": 100, "interleavings": 500, "batches": 500, "outboxes": 500}
LIMIT = 3600


def run(program, options, folder):
    part = options.part
    count = options.count or (2_500 if part == "undo" else 100_000)
    started = time.monotonic()
    waiting = [
        (first, min(SIZES[part], options.seed + count - first))
        for first in range(options.seed, options.seed + count, SIZES[part])
    ]
    running = []
    findings = []
    done = 0
    steps = [0, 0]

    def finding(seed, text):
        findings.append([f"{part} seed {seed}", 1, text[:3000]])
        print(f"FINDING {part} seed {seed}: {text}", flush=True)

    while waiting or running:
        while waiting and len(running) < options.jobs and time.monotonic() - started < options.seconds:
            first, size = waiting.pop(0)
            path = os.path.join(folder, str(first))
            os.makedirs(path)
            output = open(os.path.join(path, "output"), "w+", encoding="utf-8")
            process = subprocess.Popen(
                [program, part, str(first), str(size), path],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"},
            )
            running.append((first, size, process, output, time.monotonic()))
        if not running:
            break
        time.sleep(0.05)
        for job in list(running):
            first, size, process, output, start = job
            hangs = False
            if process.poll() is None:
                if time.monotonic() - start < LIMIT:
                    continue
                process.kill()
                process.wait()
                hangs = True
            running.remove(job)
            output.seek(0)
            text = output.read()
            output.close()
            seeds = re.findall(r"^seed (\d+)$", text, re.MULTILINE)
            last = int(seeds[-1]) if seeds else first
            for failure in re.finditer(r"^FAILED seed (\d+)(.*(?:\n    .*)*)", text, re.MULTILINE):
                finding(failure[1], failure[2].strip())
            for counts in re.findall(r"^steps (\d+), of which undid or redid (\d+)$", text, re.MULTILINE):
                steps = [total + int(count) for total, count in zip(steps, counts)]
            if re.search(r"^end \d+ \d+$", text, re.MULTILINE):
                done += last - first + 1
                continue
            tail = "\n".join(line for line in text.splitlines() if not line.startswith("seed "))[-2000:]
            finding(last, "hangs" if hangs else f"status {process.returncode}: {tail}")
            done += last - first + 1
            if last + 1 < first + size:
                waiting.insert(0, (last + 1, first + size - last - 1))
    seconds = time.monotonic() - started
    print(f"{part}: {done} seeds from {options.seed} in {seconds:.0f} s, {len(findings)} findings")
    if part == "undo":
        print(f"{steps[0]} steps, of which {steps[1]} undid or redid a group")
    result = {"seeds": done, "findings": findings, "sanitizer": options.sanitize}
    if part == "interleavings":
        path = os.path.join(folder, "starvation")
        os.makedirs(path)
        text = subprocess.run(
            [program, "starvation", "1000", path], capture_output=True, text=True, check=True
        ).stdout
        print(text, end="")
        result["starvation"] = [line.split() for line in text.splitlines()]
    return result
