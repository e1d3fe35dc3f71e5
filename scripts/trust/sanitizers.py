"""Prints what scripts/run-tests sanitizers has found: TITLE REPORTS LOG STATUS [--figures FIGURES]."""

import argparse
import collections
import os
import re
import sys

from figures import keep

REPORT = re.compile(r"ERROR: (?:Address|Leak|Thread)Sanitizer|WARNING: ThreadSanitizer|: runtime error: |AddressSanitizer:DEADLYSIGNAL")
# The tables at the end of a process: of the thread sanitizer, and of leaks, which also has bytes.
SUPPRESSED = re.compile(r"^\s*(\d+) (\w+:.+)$|^\s+(\d+)\s+\d+ (\S.*)$")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("title")
    parser.add_argument("reports")
    parser.add_argument("log")
    parser.add_argument("status", type=int)
    parser.add_argument("--figures")
    options = parser.parse_args()

    texts = []
    for name in sorted(os.listdir(options.reports)):
        with open(os.path.join(options.reports, name), encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    with open(options.log, encoding="utf-8", errors="replace") as file:
        log = file.read()
    found = re.findall(r"Test run with (\d+) tests", log)
    tests = int(found[-1]) if found else 0
    # A process that a sanitizer ends may have the exit code 0.
    failed = options.status != 0 or (not found and "stress" not in options.title)

    count, kinds, first = 0, collections.Counter(), {}
    suppressed = collections.Counter()
    for text in texts + [log]:
        lines = text.splitlines()
        start = None
        for i, line in enumerate(lines):
            if REPORT.search(line):
                start = i
                count += 1
            elif line.startswith("SUMMARY: "):
                kind = line.removeprefix("SUMMARY: ")
                kinds[kind] += 1
                if start is not None:
                    first.setdefault(kind, lines[start : start + 30])
            elif match := SUPPRESSED.match(line):
                suppressed[match[2] or match[4]] += int(match[1] or match[3])

    print(f"{options.title}: {count} reports, {tests} tests, which end with status {options.status}")
    for kind, number in kinds.most_common():
        print(f"\n{number} times: {kind}")
        print("\n".join("    " + line for line in first.get(kind, [])))
    for pattern, number in suppressed.most_common():
        print(f"suppressed {number} times: {pattern}")
    for line in log.splitlines():
        if re.match(r"^✘ (?!Test run)", line):
            print(line)
    if options.figures:
        figures = {
            "tests": tests,
            "reports": count,
            "failed": failed,
            "suppressions": sorted([pattern, number] for pattern, number in suppressed.items()),
        }
        keep(options.figures, options.title, figures, part="sanitizers")
    sys.exit(1 if count or failed else 0)


if __name__ == "__main__":
    main()
