"""Writes the report of scripts/run-trust from its figures: FIGURES REPORT."""

import json
import os
import sys


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def main():
    figures_path, report_path = sys.argv[1:]
    with open(figures_path, encoding="utf-8") as file:
        figures = json.load(file)
    parts = [
        "# What was tried\n",
        "`scripts/run-trust PART --figures` collects these figures, and `scripts/run-trust report` writes this page.\n",
    ]
    titles = {"faults": "Failures of the file system", "memory": "Failures of allocations"}
    for name, title in titles.items():
        if name not in figures:
            continue
        result = figures[name]
        parts.append(f"## {title}\n")
        parts.append(
            f"{result['points']} points, {result['date']}: each operation fails alone, and with all that follow. "
            "After each point, the connection writes and reads, observers have the last value, and APSW checks the "
            "integrity of the file and compares its content with the commits that observers were notified of.\n"
        )
        parts.append(table(["failing operation", "points", "reported", "absorbed", "other code"], result["faults"]))
        parts.append(table(["workload", "points"], result["workloads"]))
        parts.append(f"Findings of this run, which the last section describes: {len(result['findings'])}.\n")
        for kind, count, message in result["findings"]:
            parts.append(f"- {kind}, {count} times: `{message}`\n")
    if "observation" in figures:
        result = figures["observation"]
        parts.append("## Observations\n")
        parts.append(
            f"{result['rounds']} rounds from seed {result['seed']}, {result['date']}: {result['comparisons']} observed "
            f"values are compared with fetched ones. Stale or lost: {len(result['findings'])}.\n"
        )
    sanitized = lambda result: " under the address sanitizer" if result["sanitizer"] == "address" else ""
    if "model" in figures:
        result = figures["model"]
        parts.append("## A model\n")
        parts.append(
            f"{result['seeds']} sequences of 50 calls from seed {result['seed']}, {result['date']}{sanitized(result)}: "
            "each result, error code, callback of a transaction observer and observed value is compared with a model "
            f"that knows no SQLite. Differences: {len(result['findings'])}.\n"
        )
    if "callbacks" in figures:
        result = figures["callbacks"]
        parts.append("## Callbacks\n")
        parts.append(
            f"{result['cells']} cells, {result['date']}: [what callbacks may do](callbacks.md). "
            f"Findings: {len(result['findings'])}.\n"
        )
    if "interleavings" in figures:
        result = figures["interleavings"]
        parts.append("## Interleavings\n")
        parts.append(
            f"{result['seeds']} interleavings of accesses of a pool from seed {result['seed']}, "
            f"{result['date']}{sanitized(result)}. Findings: {len(result['findings'])}. Then 1000 tasks that read, over "
            "5 readers, and 1000 that write, all started at once, in milliseconds from the call to the result:\n"
        )
        rows = [[row[0], row[1], row[3], row[5], row[7]] for row in result["starvation"]]
        parts.append(table(["tasks", "count", "median", "99 %", "longest"], rows))
    notes = os.path.join(os.path.dirname(report_path), "notes.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as file:
            parts.append(file.read())
    with open(report_path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main()
