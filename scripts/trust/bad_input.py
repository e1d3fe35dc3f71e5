"""Gives bad input to the library, each in a process of its own: the driver of `trust input`."""

import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import time


def cases(program):
    output = subprocess.run([program, "input"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in output.splitlines():
        number, text = line.split(" ", 1)
        found.append((int(number), *json.loads(text)))
    return found


def run_one(arguments):
    program, folder, number = arguments
    path = os.path.join(folder, str(number))
    os.makedirs(path, exist_ok=True)
    try:
        process = subprocess.run(
            [program, "input", str(number)],
            capture_output=True,
            timeout=300,
            check=False,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "TMPDIR": path},
        )
    except subprocess.TimeoutExpired:
        return number, "hangs", "it runs for five minutes"
    output = process.stdout.decode(errors="replace")
    for line in output.splitlines():
        kind, _, text = line.partition(" ")
        if kind in ("seen", "wrong") and text:
            return number, kind, json.loads(text)[0]
    name = signal.Signals(-process.returncode).name if process.returncode < 0 else str(process.returncode)
    errors = process.stderr.decode(errors="replace").strip().replace("\n", " ")
    return number, "trap", f"{name} {errors[-300:]}"


def run(program, options, folder):
    started = time.monotonic()
    every = [case for case in cases(program) if options.selects(case[1])]
    counts = collections.Counter()
    findings = []
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(run_one, [(program, folder, case[0]) for case in every]))
    seen = {number: (kind, text) for number, kind, text in results}
    for number, group, text, expected in every:
        kind, result = seen[number]
        counts[kind] += 1
        rows.append([group, text, expected, result if kind == "seen" else f"{kind}: {result}"])
        if kind != "seen":
            findings.append([group, 1, f"{number} {text}: {kind}: {result}"])
            print(f"{kind}: {number} {group}: {text}: {result}", flush=True)
    print(
        f"input: {len(every)} inputs, {counts['trap']} traps, {counts['hangs']} hangs, {counts['wrong']} wrong, "
        f"{time.monotonic() - started:.0f} s"
    )
    if options.verbose:
        for row in rows:
            print(" | ".join(row))
    return {"inputs": len(every), "rows": rows, "findings": findings}
