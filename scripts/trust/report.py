"""Writes the report of scripts/run-trust from its figures: FIGURES REPORT."""

import json
import os
import sys


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def extent(result):
    """Which points were tried."""
    parts = []
    if result.get("step", 1) > 1:
        parts.append(f"one of {result['step']} of each workload and kind of failure")
    if result.get("ended"):
        parts.append("as many as the time allowed")
    return f" ({', '.join(parts)})" if parts else ""


def findings(result):
    lines = [f"Findings of this run: {len(result['findings'])}.\n"]
    lines += [f"- {kind}, {count} times: `{message}`\n" for kind, count, message in result["findings"]]
    return lines


def power(result):
    wrong, control = result["control"]
    return [
        "## Power cuts\n",
        f"{result['distinct']} different images from seed {result['seed']}, {result['date']}: each is what the disk "
        f"may hold after a power cut, at any of {result['events']} events of {result['records']} records of a "
        "workload in a journal mode. What was written since the last sync is lost, torn or reordered by sectors of "
        "512 or 4,096 bytes; files have grown or not, with zeros or garbage; journals are missing, or there again. "
        "APSW opens each image, checks its integrity, and compares its content with the commits that Swift code "
        "was told of: none is lost, those of a WAL file with `synchronous = NORMAL` from the end only, and none is "
        f"there in part. The library opens {result['library']} of the files, and finds the same. If the disk ignores "
        f"syncs, {wrong} of {control} images are wrong.\n",
        table(["journal mode, `PRAGMA synchronous`", "images"], result["modes"]),
        table(["workload", "images"], result["workloads"]),
        *findings(result),
    ]


def kills(result):
    return [
        "## Killed processes\n",
        f"{result['kills']} processes were killed, from seed {result['seed']}, {result['date']}, {result['working']} "
        "of them while they were writing transactions and batches to a pool, observed by a `ValueObservation` and an "
        "outbox; the others while they opened it. Meanwhile, a process with APSW read the same file, and ran "
        "checkpoints of all modes. After each kill, APSW checks the integrity of the file, and that it has all "
        "transactions that were acknowledged, and none in part. At the end, the outbox has delivered each change, in "
        "order.\n",
        table(["what", "count"], result["counts"]),
        *findings(result),
    ]


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
            f"{result['points']} points, {result['date']}{extent(result)}: each operation fails alone, and with all that follow. "
            "After each point, the connection writes and reads, observers have the last value, and APSW checks the "
            "integrity of the file and compares its content with the commits that observers were notified of.\n"
        )
        parts.append(table(["failing operation", "points", "reported", "absorbed", "other code"], result["faults"]))
        parts.append(table(["workload", "points"], result["workloads"]))
        parts += findings(result)
    if "power" in figures:
        parts += power(figures["power"])
    if "kills" in figures:
        parts += kills(figures["kills"])
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
