"""Writes the report of scripts/run-trust from its figures: FIGURES REPORT."""

import json
import os
import sys


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def difference(result):
    lines = [
        "## Difference\n",
        f"APSW with SQLite {result['apsw']} runs the same statements, and the SQL that is written beside requests of the query "
        "interface, on the same content: rows, types and error codes are compared. A session of 250 statements ends at its first "
        "difference, or where versions of SQLite differ and its content may.\n",
        table(["runs", "seed", "compared", "rows", "differ", "found"], result["runs"]),
        table(["statements of the last run", "count"], [row for row in result["kinds"] if row[0] not in ("statements", "differences")]),
    ]
    return lines + [f"- `{text}`\n" for _, _, text in result["findings"]]


def fuzz(targets):
    rows = [
        [name, one["runs"], one["edges"], one["seconds"], one["seed"], "yes" if one["failed"] else "no", one["date"]]
        for name, one in sorted(targets.items())
    ]
    return [
        "## Fuzzing\n",
        "libFuzzer with the address sanitizer, on the library and SQLite with coverage.\n",
        table(["target", "executions", "edges", "seconds", "seed", "failed", "date"], rows),
    ]


def bad_input(result):
    def cell(text):
        return str(text).replace("|", "\\|").replace("\n", " ").replace("\0", "\\0")

    lines = [
        "## Bad input\n",
        f"{result['inputs']} inputs, {result['date']}, each in a process of its own. "
        f"Traps, hangs and wrong results: {len(result['findings'])}.\n",
    ]
    lines += [f"- {text}\n" for _, _, text in result["findings"]]
    lines.append("The calls that take a name, with 30 names each:\n")
    calls = {}
    for group, text, _, seen in result["rows"]:
        if group == "names":
            kinds = calls.setdefault(
                text.split(": ", 1)[0] if not text.startswith("transform:") else "transform: rename", {}
            )
            kinds[seen] = kinds.get(seen, 0) + 1
    lines.append(
        table(
            ["call", "seen"],
            [
                [name, cell(", ".join(f"{count} × {seen}" for seen, count in sorted(kinds.items())))]
                for name, kinds in calls.items()
            ],
        )
    )
    lines.append(
        table(
            ["input", "expected", "seen"],
            [
                [f"{group}: {cell(text)}", cell(expected), cell(seen)]
                for group, text, expected, seen in result["rows"]
                if group != "names"
            ],
        )
    )
    return lines


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
    if "difference" in figures:
        parts += difference(figures["difference"])
    if "fuzz" in figures:
        parts += fuzz(figures["fuzz"])
    if "input" in figures:
        parts += bad_input(figures["input"])
    notes = os.path.join(os.path.dirname(report_path), "notes.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as file:
            parts.append(file.read())
    with open(report_path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main()
