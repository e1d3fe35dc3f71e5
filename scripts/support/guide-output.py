"""Compares the comments of a guide's snippets with what the snippets have printed and run.

    guide-output.py PAGE OUTPUT

OUTPUT has the lines that the page has printed, and its statements, which begin with the character 2. A comment
after a call of print, in its line or in the next ones, is a line of the output; `a, then b` are two lines. A
comment that begins with a keyword of SQL is a statement. `…` and `...` stand for any text. Statements of
connections that a snippet opens itself are not traced, so they are not compared.
"""

import re
import sys

STATEMENT = re.compile(r"(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE) ")
# What stands for any text: an ellipsis, an argument, and a date, because it is another one each time.
ANYTHING = re.compile(r"…|\.\.\.|\?|\d{4}-\d\d-\d\d(?:\d\d:\d\d:\d\d(?:\.\d{3})?)?")


def normalized(text):
    return "".join(text.split())


def pattern(text):
    return re.compile(".*".join(map(re.escape, ANYTHING.split(normalized(text)))))


def snippets(page):
    """The snippets that run: the number of the first line, and the lines."""
    kind, lines = "", None
    for number, line in enumerate(page, 1):
        mark = re.match(r"<!-- (\w+)", line)
        if lines is None and mark and line.rstrip().endswith("-->"):
            kind = mark[1]
        elif lines is None and re.match(r" *```swift", line):
            lines, first = [], number + 1
        elif lines is not None and re.match(r" *```", line):
            if kind not in ("apart", "compile", "test", "manifest"):
                yield first, lines, kind
            kind, lines = "", None
        elif lines is not None:
            lines.append(line.strip())


def comments(first, lines):
    """The comments that are compared: whether they are SQL, and the numbers and texts of their lines."""
    block, afterPrint = None, False
    for number, line in enumerate(lines + [""], first):
        # The lines of a query plan are not traced.
        if re.match(r"// [| ]*[|`]--", line):
            continue
        if line.startswith("//"):
            text = line[2:].strip()
            if block is None and (afterPrint or STATEMENT.match(text)):
                block = (bool(STATEMENT.match(text)) and not afterPrint, [])
            if block is not None:
                block[1].append((number, text))
            continue
        if block is not None:
            yield block
        comment = re.search(r"\bprint\(.*\) *}? +// (.+)$", line)
        if comment:
            for part in comment[1].split(", then "):
                yield False, [(number, part)]
        block, afterPrint = None, bool(re.match(r"(try )?(await )?(\w+\.)?(print|dump\w+)\(", line)) and not comment


def mismatches(block, found):
    """The lines of a comment that are not found. Several lines may be one statement."""
    index = 0
    while index < len(block):
        for end in range(len(block), index, -1):
            if found(" ".join(text for _, text in block[index:end])):
                index = end
                break
        else:
            yield block[index]
            index += 1


page, output = sys.argv[1:]
lines = open(output, encoding="utf-8", errors="replace").read().split("\n")
ran = [normalized(line[1:]) for line in lines if line.startswith("\x02")]
printed = [normalized(line) for line in lines if not line.startswith("\x02")]
everything = "".join(printed)
failed, count = False, 0
for first, snippet, kind in snippets(open(page, encoding="utf-8").read().split("\n")):
    isTraced = kind != "program" and not re.search(r"\b(DatabaseQueue|DatabasePool)\(", "\n".join(snippet))
    for isSQL, block in comments(first, snippet):
        if isSQL and not isTraced:
            continue
        count += 1

        def found(text):
            wanted = pattern(text)
            if any(wanted.fullmatch(line) for line in (ran if isSQL else printed)):
                return True
            return not isSQL and len(block) > 1 and bool(wanted.search(everything))

        for number, text in mismatches(block, found):
            print(f"    line {number}: {'no statement is' if isSQL else 'nothing prints'} {text}")
            failed = True
if not failed:
    print(f"{count} comments")
sys.exit(failed)
