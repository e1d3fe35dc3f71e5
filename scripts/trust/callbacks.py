"""Runs `trust callbacks`: each action in each callback, and what came of it."""

import collections
import os
import re
import select
import subprocess
import time

LIMIT = 60


def lines(process):
    """The lines of a process. Raises TimeoutError if none comes."""
    buffer = b""
    while True:
        ready, _, _ = select.select([process.stdout], [], [], LIMIT)
        if not ready:
            raise TimeoutError
        chunk = os.read(process.stdout.fileno(), 65536)
        if not chunk:
            return
        buffer += chunk
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            yield line.decode(errors="replace")


def run(program, options, folder):
    started = time.monotonic()
    cells = []
    findings = []
    number = 0
    isDone = False
    while not isDone:
        process = subprocess.Popen(
            [program, "callbacks", folder, str(number)],
            stdout=subprocess.PIPE,
            stderr=open(os.path.join(folder, "errors"), "w", encoding="utf-8"),
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"},
        )
        begun = None
        how = "died"
        try:
            for line in lines(process):
                fields = line.split("\t")
                if fields[0] == "begin":
                    begun = fields[2:5]
                    number = int(fields[1])
                elif fields[0] == "cell":
                    site, kind, action, seen, result, after = (fields[2:] + ["", "", ""])[:6]
                    cells.append([site, kind, action, seen, result, after])
                    begun = None
                elif line.startswith("end "):
                    isDone = True
        except TimeoutError:
            how = "hangs"
            process.kill()
        process.wait()
        process.stdout.close()
        if not isDone:
            with open(os.path.join(folder, "errors"), encoding="utf-8", errors="replace") as file:
                errors = file.read()
            reason = re.search(r"(Fatal error.*|ERROR: AddressSanitizer.*)", errors)
            text = f"{how}: {reason[0] if reason else errors[-300:]}"
            cells.append((begun or ["", "", ""]) + ["", how, text])
            number += 1
    for site, kind, action, seen, result, after in cells:
        name = f"{site}, {kind}, {action}"
        isClosed = after == "closed" and action == "close"
        if after not in ("ok",) and not isClosed:
            findings.append([name, 1, after])
        elif seen == "not called" and action != "nothing":
            findings.append([name, 1, "not called"])
    for name, _, text in findings:
        print(f"FINDING {name}: {text}")
    print(f"callbacks: {len(cells)} cells in {time.monotonic() - started:.0f} s, {len(findings)} findings")
    if options.verbose:
        for cell in cells:
            print("  " + " | ".join(cell))
    if options.figures:
        write_table(cells, os.path.join(os.path.dirname(__file__), "callbacks.md"))
    return {"cells": len(cells), "findings": findings}


def short(text):
    """The code of an error, or the text."""
    text = re.sub(r"(?<![\w\"])(\d+) (?!rows\b)[A-Za-z][^,]*", r"error \1", text)
    return text.replace("|", "\\|")


def write_table(cells, path):
    """A table of sites and actions."""
    actions = []
    rows = collections.OrderedDict()
    for site, kind, action, seen, result, after in cells:
        if action not in actions:
            actions.append(action)
        text = short(result) if seen in ("called", "") else f"{short(seen)}; {short(result)}"
        if after not in ("ok", "closed"):
            text += f"; afterwards: {after}"
        rows.setdefault((site, kind), {})[action] = text
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            "# What callbacks may do\n\n"
            "`scripts/run-trust callbacks --figures` writes this page. Each cell is what the callback saw, if it asked "
            "for something; and what the operation around it returned, or the code of the error that it threw. After "
            "each, the database is checked, written to, closed, and no file is left open. An empty cell is a callback "
            "that can't throw. Accesses without `await` are not ended by the cancellation of a task.\n\n"
        )
        file.write("| callback | database | " + " | ".join(actions) + " |\n")
        file.write("|" + "---|" * (len(actions) + 2) + "\n")
        for (site, kind), row in rows.items():
            file.write(f"| {site} | {kind} | " + " | ".join(row.get(action, "") for action in actions) + " |\n")
