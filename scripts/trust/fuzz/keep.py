"""Keeps the figures of a fuzzed target for the report: FIGURES TARGET RUNS EDGES SEED SECONDS STATUS."""

import datetime
import json
import os
import sys

path, target, runs, edges, seed, seconds, status = sys.argv[1:]
figures = {}
if os.path.exists(path):
    with open(path, encoding="utf-8") as file:
        figures = json.load(file)
figures.setdefault("fuzz", {})[target] = {
    "runs": int(runs),
    "edges": int(edges),
    "seed": int(seed),
    "seconds": int(seconds),
    "failed": int(status) != 0,
    "date": datetime.date.today().isoformat(),
}
with open(path, "w", encoding="utf-8") as file:
    json.dump(figures, file, indent=1, sort_keys=True)
    file.write("\n")
