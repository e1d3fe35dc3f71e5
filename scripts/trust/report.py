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
    notes = os.path.join(os.path.dirname(report_path), "notes.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as file:
            parts.append(file.read())
    with open(report_path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main()
