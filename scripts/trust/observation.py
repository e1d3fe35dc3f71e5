"""Compares observed values with fetched ones after random writes: the driver of `trust observation`."""

import collections
import os
import re
import subprocess
import time


def run(program, options, folder):
    count = options.count or 20000
    size = 500
    seeds = range(options.seed, options.seed + max(1, count // size))
    started = time.monotonic()
    totals = collections.Counter()
    findings = []
    refused = collections.Counter()
    waiting = list(seeds)
    running = []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            seed = waiting.pop(0)
            path = os.path.join(folder, str(seed))
            os.makedirs(path)
            output = open(os.path.join(path, "output"), "w+", encoding="utf-8")
            process = subprocess.Popen(
                [program, "observation", str(seed), str(min(size, count)), path],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
            )
            running.append((seed, process, output, time.monotonic()))
        time.sleep(0.05)
        for job in list(running):
            seed, process, output, start = job
            if process.poll() is None:
                if time.monotonic() - start < 1800:
                    continue
                process.kill()
                process.wait()
                findings.append([f"seed {seed}", 1, "hangs"])
            running.remove(job)
            output.seek(0)
            text = output.read()
            output.close()
            first = re.search(r"^stale .*", text, re.MULTILINE)
            end = re.search(r"^end rounds (\d+) comparisons (\d+) databases (\d+) stale (\d+)", text, re.MULTILINE)
            for amount, message in re.findall(r"^refused (\d+) (.*)", text, re.MULTILINE):
                refused[message] += int(amount)
            if first:
                findings.append([f"seed {seed}", text.count("\nstale ") + 1, first[0][:600]])
                print(first[0][:600], flush=True)
            if end:
                for name, value in zip(("rounds", "comparisons", "databases", "stale"), end.groups()):
                    totals[name] += int(value)
            elif process.returncode != 0:
                findings.append([f"seed {seed}", 1, f"status {process.returncode}: {text[-500:]}"])
                print(findings[-1], flush=True)
    print(
        f"observation: {totals['rounds']} rounds from seed {options.seed}, {totals['comparisons']} comparisons, "
        f"{totals['databases']} databases, {totals['stale']} stale values, {time.monotonic() - started:.0f} s"
    )
    if options.verbose:
        for message, amount in refused.most_common(30):
            print(f"  refused {amount}: {message}")
    return {"rounds": totals["rounds"], "comparisons": totals["comparisons"], "findings": findings}
