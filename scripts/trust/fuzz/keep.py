"""Keeps the figures of a fuzzed target for the report: FIGURES TARGET RUNS EDGES SEED SECONDS STATUS."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
from figures import keep_run

path, target, runs, edges, seed, seconds, status = sys.argv[1:]
figures = {
    "runs": int(runs),
    "edges": int(edges),
    "seed": int(seed),
    "seconds": int(seconds),
    "failed": int(status) != 0,
}
keep_run(path, target, figures, part="fuzz")
