"""Runs the parts of scripts/run-trust, which passes the arguments: PROGRAM FOLDER PART OPTIONS…"""

import argparse
import datetime
import importlib
import json
import os
import sys
import time

PARTS = {
    "faults": "faults",
    "memory": "faults",
    "observation": "observation",
    "power": "power",
    "kills": "kills",
    "difference": "difference",
    "input": "bad_input",
    "model": "model",
    "interleavings": "model",
    "callbacks": "callbacks",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("part", choices=sorted(PARTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--only", action="append")
    parser.add_argument("--fault", action="append")
    parser.add_argument("--figures")
    parser.add_argument("--statements", type=int, default=0)
    parser.add_argument("--requests", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seconds", type=int, default=10**9)
    parser.add_argument("--sanitize", default="")
    parser.add_argument("--encrypted", action="store_true")
    options = parser.parse_args()
    options.deadline = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    options.selects = lambda name: not options.only or name in options.only
    result = importlib.import_module(PARTS[options.part]).run(options.program, options, options.folder)
    if options.figures:
        figures = {}
        if os.path.exists(options.figures):
            with open(options.figures, encoding="utf-8") as file:
                figures = json.load(file)
        if options.part in ("faults", "memory"):
            # Of the workloads that ran. Those of the others stay.
            former = figures.get(options.part, {})
            figures[options.part] = {"workloads": {**former.get("workloads", {}), **result["workloads"]}}
        else:
            result["seed"] = options.seed
            result["date"] = datetime.date.today().isoformat()
            # A build with a sanitizer is slower, and tries fewer.
            isSanitized = options.sanitize and options.part in ("model", "interleavings")
            figures[f"{options.part} {options.sanitize}" if isSanitized else options.part] = result
        with open(options.figures, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1, sort_keys=True)
            file.write("\n")
    sys.exit(1 if result["findings"] else 0)


if __name__ == "__main__":
    main()
