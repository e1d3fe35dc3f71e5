"""Runs the parts of scripts/run-trust, which passes the arguments: PROGRAM FOLDER PART OPTIONS…"""

import argparse
import importlib
import sys
import time

from figures import keep, keep_difference, keep_run, keep_workload

PARTS = {
    "faults": "faults",
    "memory": "faults",
    "observation": "observation",
    "power": "power",
    "kills": "kills",
    "difference": "difference",
    "input": "bad_input",
    "model": "model",
    "tables": "model",
    "undo": "model",
    "interleavings": "model",
    "batches": "model",
    "outboxes": "model",
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
        if options.part in ("faults", "memory"):
            # Of the workloads that ran. Those of the others stay.
            for name, workload in result["workloads"].items():
                keep_workload(options.figures, options.part, name, workload)
        else:
            result["seed"] = options.seed
            if PARTS[options.part] == "model" and options.part != "callbacks":
                # A build with a sanitizer is slower, and tries fewer.
                name = f"{options.part} {options.sanitize}" if options.sanitize else options.part
                keep_run(options.figures, name, result)
            elif options.part == "difference":
                keep_difference(options.figures, result)
            else:
                keep(options.figures, options.part, result)
    sys.exit(1 if result["findings"] else 0)


if __name__ == "__main__":
    main()
