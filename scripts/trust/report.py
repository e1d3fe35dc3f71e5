"""Writes the report of scripts/run-trust from its figures: FIGURES REPORT."""

import json
import os
import sys


# The sections, in their order. Those of notes.md follow.
TITLES = [
    "Failures of the file system",
    "Failures of allocations",
    "Power cuts",
    "Killed processes",
    "Observations",
    "A model",
    "Tables in Swift",
    "Callbacks",
    "Interleavings",
    "Difference",
    "Fuzzing",
    "Sanitizers",
    "Coverage",
    "Bad input",
    "Negated conditions",
]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def findings(result):
    lines = [f"Findings of this run: {len(result['findings'])}.\n"]
    lines += [f"- {kind}, {count} times: `{message}`\n" for kind, count, message in result["findings"]]
    return lines


def failures(title, workloads):
    by_fault = {}
    rows = []
    for name, result in sorted(workloads.items()):
        for fault, counts in result["faults"].items():
            sums = by_fault.setdefault(fault, [0, 0, 0])
            by_fault[fault] = [sums[index] + count for index, count in enumerate(counts)]
        points = sum(map(sum, result["faults"].values()))
        step = result["step"]
        tried = "all" if step == 1 else f"one of {step}"
        if result["ended"]:
            tried += ", as many as the time allowed"
        rows.append([name, points, tried, result["date"]])
    total = sum(row[1] for row in rows)
    found = [finding for _, result in sorted(workloads.items()) for finding in result["findings"]]
    return [
        f"## {title}\n",
        f"{total} points: each operation fails alone, and with all that follow. After each point, the connection writes and reads, "
        "observers have the last value, and APSW checks the integrity of the file and compares its content with the commits that "
        "observers were notified of.\n",
        table(
            ["failing operation", "points", "reported", "absorbed", "other code"],
            [[fault, sum(counts), *counts] for fault, counts in sorted(by_fault.items())],
        ),
        table(["workload", "points", "tried", "date"], rows),
        *findings({"findings": found}),
    ]


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
        for name, target in sorted(targets.items())
        for one in target["runs"]
    ]
    total = sum(row[1] for row in rows)
    return [
        "## Fuzzing\n",
        f"libFuzzer with the address sanitizer, on the library and SQLite with coverage: {total} executions.\n",
        table(["target", "executions", "edges", "seconds", "seed", "failed", "date"], rows),
    ]


def sanitizers(runs):
    rows = [
        [name, one["tests"] or "jobs of `run-trust stress`", one["reports"], "yes" if one["failed"] else "no",
         sum(count for _, count in one["suppressions"]), one["date"]]
        for name, one in sorted(runs.items())
    ]
    suppressions = sorted({pattern for one in runs.values() for pattern, _ in one["suppressions"]})
    return [
        "## Sanitizers\n",
        "`scripts/run-tests sanitizers`: the tests, with an instrumented library and SQLite. The address sanitizer comes with the one "
        "for undefined behavior of C code. Reasons of the suppressions are in `scripts/trust/stress/*.supp`.\n",
        table(["sanitizer", "tests", "reports", "failed", "suppressed", "date"], rows),
        f"Suppressions that matched: {', '.join(f'`{pattern}`' for pattern in suppressions) or 'none'}.\n",
    ]


def coverage(result):
    def share(part, whole):
        return f"{100 * part / whole:.2f} %"

    rows = [
        [name, lines, reached, share(reached, lines), count, called, share(called, count)]
        for name, lines, reached, count, called in result["layers"]
    ]
    header = ["layer", "lines", "reached", "", "functions and closures", "reached", ""]
    return [
        "## Coverage\n",
        f"`scripts/run-tests coverage`, {result['date']}: the code of `Sources` that the suite of {result['tests']} tests reaches, in "
        "a debug build without encryption.\n",
        table(header, rows),
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


def mutation(result):
    def cell(text):
        return "`" + str(text).replace("|", "\\|") + "`"

    notices = result["noticed"] + len(result["equivalent"])
    missed = len(result["unnoticed"]) + len(result["not reached"])
    lines = [
        "## Negated conditions\n",
        f"{result['count']} of the {result['candidates']} conditions in Sources, drawn with seed {result['seed']}, "
        f"{result['date']}: each is negated alone, and the suites that evaluate it run until one fails, crashes or hangs. "
        f"Noticed: {result['noticed']}. Equivalent: {len(result['equivalent'])}. Noticed by no test: "
        f"{len(result['unnoticed'])}. Evaluated by no test: {len(result['not reached'])}. The tests miss "
        f"{100 * missed / max(notices + missed, 1):.1f} %.\n",
    ]
    if result["unfinished"]:
        lines.append(f"{result['unfinished']} more were drawn and not tried to the end: the time had passed.\n")
    for name, title in (("unnoticed", "noticed by no test"), ("not reached", "evaluated by no test")):
        if result[name]:
            rows = [[f"{file}:{line}", cell(text)] for file, line, text in result[name]]
            lines.append(table(["place", title], rows))
    if result["equivalent"]:
        rows = [[f"{file}:{line}", cell(text), reason] for file, line, text, reason in result["equivalent"]]
        lines.append(table(["place", "equivalent condition", "why"], rows))
    return lines


def runs(figures, part):
    """A row for each run of a part, with and without a sanitizer."""
    return [
        [one["seed"], one["seeds"], one["sanitizer"] or "none", len(one["findings"]), one["date"]]
        for name in (part, f"{part} address")
        for one in figures.get(name, {}).get("runs", [])
    ]


def interleavings(figures):
    rows = runs(figures, "interleavings")
    lines = [
        "## Interleavings\n",
        f"{sum(row[1] for row in rows)} interleavings of accesses of a pool.\n",
        table(["from seed", "interleavings", "sanitizer", "findings", "date"], rows),
        "After each run, 1000 tasks that read, over 5 readers, and 1000 that write, all started at once, in "
        "milliseconds from the call to the result:\n",
    ]
    rows = []
    for name in ("interleavings", "interleavings address"):
        for one in figures.get(name, {}).get("runs", []):
            rows += [
                [one["seed"], one["sanitizer"] or "none", row[0], row[1], row[3], row[5], row[7]]
                for row in one["starvation"]
            ]
    return lines + [table(["run from seed", "sanitizer", "tasks", "count", "median", "99 %", "longest"], rows)]


def sections(text):
    """The sections of a page by their titles, without what is before the first one."""
    return {part.split("\n", 1)[0]: part.rstrip("\n") for part in ("\n" + text).split("\n## ")[1:]}


def main():
    figures_path, report_path = sys.argv[1:]
    with open(figures_path, encoding="utf-8") as file:
        figures = json.load(file)
    parts = []
    titles = {"faults": "Failures of the file system", "memory": "Failures of allocations"}
    for name, title in titles.items():
        if name in figures:
            parts += failures(title, figures[name]["workloads"])
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
    if "model" in figures or "model address" in figures:
        rows = runs(figures, "model")
        parts += [
            "## A model\n",
            f"{sum(row[1] for row in rows)} sequences of 50 calls: each result, error code, callback of a transaction "
            "observer and observed value is compared with a model that knows no SQLite.\n",
            table(["from seed", "sequences", "sanitizer", "differences", "date"], rows),
        ]
    if "tables" in figures:
        rows = runs(figures, "tables")
        parts += [
            "## Tables in Swift\n",
            f"{40 * sum(row[1] for row in rows)} random queries of collections, CSV files, table functions and virtual "
            "tables have the results of an ordinary table with the same rows.\n",
            table(["from seed", "tables", "sanitizer", "differences", "date"], rows),
        ]
    if "callbacks" in figures:
        result = figures["callbacks"]
        parts.append("## Callbacks\n")
        parts.append(
            f"{result['cells']} cells, {result['date']}: [what callbacks may do](callbacks.md). "
            f"Findings: {len(result['findings'])}.\n"
        )
    if "interleavings" in figures or "interleavings address" in figures:
        parts += interleavings(figures)
    if "difference" in figures:
        parts += difference(figures["difference"])
    if "fuzz" in figures:
        parts += fuzz(figures["fuzz"])
    if "sanitizers" in figures:
        parts += sanitizers(figures["sanitizers"])
    if "coverage" in figures:
        parts += coverage(figures["coverage"])
    if "input" in figures:
        parts += bad_input(figures["input"])
    if "mutation" in figures:
        parts += mutation(figures["mutation"])
    # Parts without figures on this machine keep their sections.
    with open(report_path, encoding="utf-8") as file:
        written = sections(file.read())
    written.update(sections("\n".join(parts)))
    with open(os.path.join(os.path.dirname(report_path), "notes.md"), encoding="utf-8") as file:
        notes = file.read()
    page = [
        "# What was tried\n\n"
        "`scripts/run-trust PART --figures` collects figures in `.build-trust`, and `scripts/run-trust report` writes the "
        "sections of this page that have any.",
        *(f"## {written[title]}" for title in TITLES if title in written),
        notes,
    ]
    with open(report_path, "w", encoding="utf-8") as file:
        file.write("\n\n".join(page))


if __name__ == "__main__":
    main()
