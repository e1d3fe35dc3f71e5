"""Counts habits of prose in guides: habits.py FOLDER [PAGE…]. scripts/count-habits runs it."""

import re
import statistics
import sys
from pathlib import Path

HABITS = {
    "you": r"\byou(r|rs)?\b",
    "reasons": r"\b(because|so that|since|lets you|therefore|otherwise)\b|, so\b",
    "examples": r"\b(for example|such as)\b",
    "of": r"\bof\b",
    ", and": r", and\b",
    "the same": r"\bthe same\b",
    "too": r"\btoo[.,:]",
}


def prose(text):
    """The text without code, comments, tables, lists of links, and directives."""
    text = re.sub(r"<!--.*?-->|```.*?```|@Metadata \{.*?\n\}", "", text, flags=re.S)
    return text.split("\n## Topics")[0]


def row(name, texts):
    text = "\n".join(prose(text) for text in texts)
    plain = re.sub(r"^\|.*$", "", text, flags=re.M)
    words = max(len(re.findall(r"\w+", plain)), 1)
    lengths = [len(part.split()) for part in re.split(r"(?<=[.!?:])\s+", plain) if part.strip()]
    numbers = [f"{len(re.findall(habit, plain, flags=re.I)) * 1000 / words:9.1f}" for habit in HABITS.values()]
    deviation = statistics.pstdev(lengths) if lengths else 0
    callouts = len(re.findall(r"^> [A-Z]\w+:", text, flags=re.M))
    links = len(re.findall(r"<doc:|``|\]\(", text))
    return f"{name:24}{words:7}{''.join(numbers)}{deviation:10.1f}{callouts:9}{links:7}{plain.count('?'):10}"


folder = Path(sys.argv[1])
pages = [folder / f"{name}.md" for name in sys.argv[2:]] or sorted(folder.glob("*.md"))
texts = {page.stem: page.read_text() for page in pages}
print(f"{'page':24}{'words':>7}{''.join(f'{habit:>9}' for habit in HABITS)}{'deviation':>10}{'callouts':>9}{'links':>7}{'questions':>10}")
for name, text in texts.items():
    print(row(name, [text]))
if len(texts) > 1:
    print(row("all", list(texts.values())))
