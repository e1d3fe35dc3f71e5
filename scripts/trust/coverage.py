"""Prints what scripts/run-tests coverage has counted, from the JSON of llvm-cov: JSON SOURCES LOG OPTIONS…"""

import argparse
import json
import os
import re
import subprocess

from figures import keep


def lines_of(segments):
    """The count of each line with code, and the parts of reached lines that are not reached, as line and column.

    The same rules as those of llvm-cov for its lines, which JSON has none of.
    """
    by_line = {}
    for segment in segments:
        by_line.setdefault(segment[0], []).append(segment)
    counts, parts, wrapping = {}, [], None
    if not by_line:
        return counts, parts
    for line in range(min(by_line), max(by_line) + 1):
        here = by_line.get(line, [])
        starting = [s for s in here if s[3] and s[4] and not s[5]]
        skipped = here and not here[0][3] and here[0][4]
        if not skipped and ((wrapping and wrapping[3]) or starting):
            count = wrapping[2] if wrapping else 0
            counts[line] = max([count] + [s[2] for s in starting])
            if counts[line]:
                parts += [(line, s[1]) for s in starting if not s[2]]
        if here:
            wrapping = here[-1]
    return counts, parts


def ranges(numbers):
    """'3-5, 9' from [3, 4, 5, 9]."""
    found = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def demangle(names):
    text = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True
    ).stdout
    return text.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("json")
    parser.add_argument("sources")
    parser.add_argument("log")
    parser.add_argument("--functions", type=int, default=40)
    parser.add_argument("--lines")
    parser.add_argument("--figures")
    options = parser.parse_args()
    with open(options.json, encoding="utf-8") as file:
        data = json.load(file)["data"][0]

    def place(path):
        return os.path.relpath(path, options.sources)

    def layer(path):
        names = place(path).split("/")
        return names[1] if names[0] == "GRDB" else names[0]

    layers, missed = {}, {}
    for file in data["files"]:
        counts, parts = lines_of(file["segments"])
        row = layers.setdefault(layer(file["filename"]), [0, 0, 0, 0])
        row[0] += len(counts)
        row[1] += sum(1 for count in counts.values() if count)
        missed[file["filename"]] = ([line for line, count in counts.items() if not count], parts)

    # The same function is listed once per specialization, and closures within functions on their own.
    functions = {}
    for function in data["functions"]:
        path, region = function["filenames"][0], function["regions"][0]
        if place(path).startswith(".."):
            continue
        key = (path, region[0], region[1])
        count, lines, name = functions.get(key, (0, 0, ""))
        functions[key] = (count + function["count"], region[2] - region[0] + 1, name or function["name"])
    for (path, _, _), (count, _, _) in functions.items():
        row = layers[layer(path)]
        row[2] += 1
        row[3] += 1 if count else 0

    order = ["Base", "Connection", "Access", "Query", "Records", "Features"]
    names = sorted(layers, key=lambda name: (order.index(name) if name in order else len(order), name))
    total = [sum(layers[name][i] for name in names) for i in range(4)]
    print(f"{'':14}{'lines':>8}{'reached':>9}{'%':>7}{'functions':>11}{'reached':>9}{'%':>7}")
    for name, row in [(name, layers[name]) for name in names] + [("all", total)]:
        lines, reached, count, called = row
        print(f"{name:14}{lines:8}{reached:9}{100 * reached / lines:7.2f}{count:11}{called:9}{100 * called / count:7.2f}")
    print(f"{sum(len(parts) for _, parts in missed.values())} parts of reached lines are not reached.")

    if options.lines is not None:
        for path in sorted(missed):
            lines, parts = missed[path]
            if options.lines not in path or not (lines or parts):
                continue
            print(f"{place(path)}: {ranges(lines)}" + ("" if not parts else "; parts " + ", ".join(f"{l}:{c}" for l, c in parts)))
    else:
        never = sorted(
            ((lines, place(path), line, name) for (path, line, _), (count, lines, name) in functions.items() if not count),
            key=lambda row: (-row[0], row[1:3]),
        )
        print(f"\n{len(never)} functions and closures are not reached, the largest first:")
        never = never[: options.functions]
        # The names of private functions have the name of their file in front.
        for row, name in zip(never, demangle([re.sub(r"^[^:]*:", "", row[3]) for row in never])):
            print(f"{row[0]:4} {row[1]}:{row[2]}  {name}")

    if options.figures:
        tests = 0
        with open(options.log, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.search(r"Test run with (\d+) tests", line)
                tests = int(found[1]) if found else tests
        rows = [[name, *layers[name]] for name in names] + [["all", *total]]
        keep(options.figures, "coverage", {"tests": tests, "layers": rows})


if __name__ == "__main__":
    main()
