"""Draws the pictures of the guides. scripts/draw-figures runs it.

A figure is a function that returns a Canvas. Timelines are drawn from lists of accesses: a lane, the
first and the last moment, the state that the access sees, a label, and the moment since which it waits.
"""

import sys
from html import escape
from pathlib import Path

THEMES = {
    "": {"text": "#1d1d1f", "soft": "#6e6e73", "line": "#c7c7cc", "card": "#f5f5f7",
         "states": [("#d6e8ff", "#0a58b5"), ("#d8f3dc", "#1b6e3c"), ("#ffe5cc", "#9a4a00")]},
    "~dark": {"text": "#f5f5f7", "soft": "#a1a1a6", "line": "#48484a", "card": "#1c1c1e",
              "states": [("#12365f", "#9ccbff"), ("#143d26", "#8fe3ae"), ("#4d2b0b", "#ffc48a")]},
}
FONT = "-apple-system, 'Helvetica Neue', 'Segoe UI', 'DejaVu Sans', sans-serif"


class Canvas:
    def __init__(self, theme, width, height, title):
        self.theme, self.width, self.height, self.title = theme, width, height, title
        self.parts = []

    def box(self, x, y, width, height, fill, stroke="none", dash=""):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="{fill}" '
            f'stroke="{stroke}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def line(self, x1, y1, x2, y2, color=None, dash="", arrow=False):
        self.parts.append(
            f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" fill="none" stroke="{color or self.theme["line"]}" '
            'stroke-width="1.5"' + (f' stroke-dasharray="{dash}"' if dash else "")
            + (' marker-end="url(#arrow)"' if arrow else "") + "/>")

    def text(self, x, y, text, color=None, anchor="middle", size=13, bold=False):
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" fill="{color or self.theme["text"]}" text-anchor="{anchor}" '
            f'font-size="{size}"' + (' font-weight="600"' if bold else "") + f">{escape(text)}</text>")

    def card(self, x, y, width, height, lines, state=None, size=13):
        """A box with lines of text, the first of them bold."""
        fill, ink = self.theme["states"][state] if state is not None else (self.theme["card"], None)
        self.box(x, y, width, height, fill, self.theme["line"] if state is None else "none")
        top = y + height / 2 - (len(lines) - 1) * 8.5 + 4.5
        for index, line in enumerate(lines):
            first = index == 0
            color = ink if state is not None else self.theme["text" if first else "soft"]
            self.text(x + width / 2, top + index * 17, line, color, size=size if first else 12, bold=first)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="{FONT}" role="img" '
                f'aria-label="{escape(self.title, quote=True)}">')
        arrow = ('<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
                 f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{self.theme["line"]}"/>'
                 "</marker></defs>")
        return "\n".join([head, arrow, *self.parts, "</svg>"]) + "\n"


def timeline(theme, title, lanes, accesses, commits, notes):
    """Accesses of threads over time. `commits` are the moments at which the next state begins."""
    left, right, top, row, scale = 112, 24, 14, 46, 62
    end = 10
    width, height = left + end * scale + right, top + row * (len(lanes) + 1) + 30
    canvas = Canvas(theme, width, height, title)
    for index, lane in enumerate(lanes):
        y = top + row * index + row / 2
        canvas.line(left, y, left + end * scale, y)
        canvas.text(left - 14, y + 4, lane, theme["soft"], "end")
    for lane, first, last, state, label, since in accesses:
        y = top + row * lane + 7
        if since is not None:
            middle = top + row * lane + row / 2
            canvas.box(left + since * scale, middle - 8, (first - since) * scale, 16, "none", theme["line"], "4 3")
            canvas.text(left + (since + first) / 2 * scale, middle + 4, "waits", theme["soft"], size=11)
        canvas.card(left + first * scale, y, (last - first) * scale, row - 14, [label], state, 12)
    # The states of the file, below the threads.
    y = top + row * len(lanes) + 12
    bounds = [0, *commits, end]
    canvas.text(left - 14, y + 18, "the file", theme["soft"], "end")
    for index in range(len(bounds) - 1):
        x, x2 = left + bounds[index] * scale, left + bounds[index + 1] * scale
        canvas.card(x + 1, y, x2 - x - 2, 28, [f"state {index + 1}"], index)
        if index:
            canvas.line(x, top, x, y, dash="2 4")
    canvas.text(left, height - 10, notes, theme["soft"], "start", 12)
    return canvas


def queue(theme):
    return timeline(
        theme, "A queue: accesses run one after the other", ["thread 1", "thread 2", "thread 3"],
        [(0, 0.5, 2.9, 0, "write", None), (1, 2.9, 4.6, 1, "read: state 2", 1.2),
         (2, 4.6, 6.9, 1, "write", 3.4), (0, 6.9, 8.6, 2, "read: state 3", 5.4)],
        [2.9, 6.9], "One access at a time. A read that waits for a write sees the result of the write.")


def pool(theme):
    return timeline(
        theme, "A pool: reads run beside the write", ["thread 1", "thread 2", "thread 3"],
        [(0, 0.5, 4.2, 0, "write", None), (1, 1.2, 5.6, 0, "read: state 1", None),
         (2, 4.9, 6.9, 1, "read: state 2", None), (0, 5.6, 8.1, 1, "write", None),
         (1, 6.2, 9.4, 1, "read: state 2", None), (2, 8.3, 9.9, 2, "read: state 3", None)],
        [4.2, 8.1], "Each read keeps the state in which it began, even after a commit.")


def snapshot(theme):
    return timeline(
        theme, "A snapshot keeps one state over several reads", ["writer", "snapshot", "pool"],
        [(0, 1.6, 3.4, 0, "write", None), (1, 0.7, 2.4, 0, "read: state 1", None),
         (2, 3.8, 5.6, 1, "read: state 2", None), (0, 5.0, 6.9, 1, "write", None),
         (1, 4.6, 6.4, 0, "read: state 1", None), (1, 7.6, 9.4, 0, "read: state 1", None),
         (2, 7.4, 9.4, 2, "read: state 3", None)],
        [3.4, 6.9], "The snapshot was made in state 1. The WAL file keeps its pages as long as it exists.")


def products(theme):
    canvas = Canvas(theme, 760, 372, "Products and layers: apps import the core, and products beside it")
    names = [("GRDBChanges", "feeds, undo"), ("GRDBTables", "CSV, vectors"), ("GRDBServer", "replication"),
             ("GRDBSchema", "transform"), ("GRDBQueries", "typed, windows"), ("GRDBFunctions", "UUID, regex")]
    canvas.text(20, 24, "Products: import those that you need", theme["soft"], "start", 12)
    for index, (name, about) in enumerate(names):
        canvas.card(20 + index * 121, 34, 115, 54, [name, about], 1, 12)
    canvas.text(20, 112, "GRDB: the core. Each layer uses only the layers below it", theme["soft"], "start", 12)
    layers = [("Features", "migrations, observation, full-text search, encryption, dumps"),
              ("Records", "Codable, insert, update, upsert, delete"),
              ("Query", "expressions, requests, associations, table definitions"),
              ("Access", "queue, pool, snapshots, backup"),
              ("Connection", "statements, rows, schema, functions, changes"),
              ("Base", "values, errors, and the only code that calls C")]
    for index, (name, about) in enumerate(layers):
        y = 122 + index * 34
        fill, ink = theme["states"][0]
        canvas.box(20, y, 720, 30, fill)
        canvas.text(34, y + 20, name, ink, "start", bold=True)
        canvas.text(150, y + 20, about, ink, "start")
    fill, ink = theme["states"][2]
    canvas.box(20, 330, 720, 30, fill)
    canvas.text(34, 350, "SQLite", ink, "start", bold=True)
    canvas.text(150, 350, "compiled by the package, with renamed symbols", ink, "start")
    return canvas


def chain(theme, title, rows, state_of=None):
    """Boxes from left to right, row by row, with arrows between them."""
    width, gap, height = 166, 28, 66
    columns = max(len(row) for row in rows)
    canvas = Canvas(theme, 20 + columns * (width + gap) - gap + 20, 32 + len(rows) * (height + 34) - 34, title)
    for index, row in enumerate(rows):
        y = 16 + index * (height + 34)
        for column, (lines, state) in enumerate(row):
            x = 20 + column * (width + gap)
            canvas.card(x, y, width, height, lines, state)
            if column:
                canvas.line(x - gap + 3, y + height / 2, x - 3, y + height / 2, arrow=True)
        if index:
            # From the end of the row above to the beginning of this one.
            above = 20 + (len(rows[index - 1]) - 1) * (width + gap) + width / 2
            middle = y - 17
            canvas.line(above, y - 34, above, middle)
            canvas.line(above, middle, 20 + width / 2, middle)
            canvas.line(20 + width / 2, middle, 20 + width / 2, y - 3, arrow=True)
    return canvas


def notification(theme):
    return chain(
        theme, "The way of a notification, from a write to a view",
        [[(["write { db in … }", "your code"], None), (["SQLite's hooks", "one call per changed row"], 0),
          (["Region?", "other tables, columns", "and rows end here"], 0), (["COMMIT", "a rollback ends here"], 0)],
         [(["Fetch", "in a pool: on a reader,", "if the region is constant"], 1),
          (["Reduce", "map, removeDuplicates"], 1), (["Scheduler", "main actor, queue, task"], 1),
          (["onChange", "your code"], None)]])


def files(theme):
    return chain(
        theme, "The files of a database in WAL mode",
        [[(["A commit", "appends changed pages"], None), (["app.sqlite-wal", "the latest commits"], 1),
          (["A checkpoint", "copies them back"], None), (["app.sqlite", "everything older"], 0)]])


def tables(theme, title, width, height, boxes, arrows, note=None):
    """Tables with their columns. An arrow is a list of points, from a foreign key to the row it refers to."""
    canvas = Canvas(theme, width, height, title)
    for name, x, y, columns in boxes:
        canvas.box(x, y, 160, 34 + 20 * len(columns), theme["card"], theme["line"])
        canvas.text(x + 12, y + 20, name, anchor="start", bold=True)
        canvas.line(x, y + 29, x + 160, y + 29)
        for index, (column, role) in enumerate(columns):
            canvas.text(x + 12, y + 47 + 20 * index, column, anchor="start")
            canvas.text(x + 148, y + 47 + 20 * index, role, theme["soft"], "end", 11)
    for points in arrows:
        ink = theme["states"][0][1]
        for index in range(len(points) - 1):
            canvas.line(*points[index], *points[index + 1], ink, arrow=index == len(points) - 2)
    if note:
        canvas.text(20, height - 12, note, theme["soft"], "start", 12)
    return canvas


def library(theme):
    return tables(
        theme, "Biography and book refer to author, placement refers to shelf and to book", 680, 312,
        [("biography", 20, 16, [("authorId", "key, foreign"), ("text", "")]),
         ("author", 260, 16, [("id", "key"), ("name", "")]),
         ("book", 500, 16, [("id", "key"), ("authorId", "foreign key"), ("title", ""), ("year", "")]),
         ("shelf", 20, 186, [("id", "key"), ("label", "")]),
         ("placement", 260, 186, [("shelfId", "key, foreign"), ("bookId", "key, foreign")])],
        [[(180, 59), (257, 59)], [(500, 79), (460, 79), (460, 59), (423, 59)], [(260, 229), (183, 229)],
         [(420, 249), (580, 249), (580, 133)]],
        "Each arrow leads from a foreign key to the row it refers to.")


def joined_request(theme):
    canvas = Canvas(theme, 700, 116, "A request as a tree: loan leads to book, and book leads to author")
    nodes = [(["loan: the root", "selects its columns", "orders by reader"], 0),
             (["book", "selects its columns", "where year < 1900"], 1),
             (["author", "selects its columns", "orders by name"], 2)]
    for index, (lines, state) in enumerate(nodes):
        canvas.card(16 + index * 250, 16, 168, 84, lines, state)
    for index, kind in enumerate(["required", "optional"]):
        x = 188 + index * 250
        canvas.line(x, 58, x + 74, 58, arrow=True)
        canvas.text(x + 36, 48, kind, theme["soft"], size=12)
    return canvas


FIGURES = {
    "timeline-queue": queue, "timeline-pool": pool, "timeline-snapshot": snapshot,
    "products": products, "notification": notification, "database-files": files,
    "library-schema": library, "joined-request": joined_request,
}

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, draw in FIGURES.items():
    for suffix, theme in THEMES.items():
        (folder / f"{name}{suffix}.svg").write_text(draw(theme).svg())
print(f"{2 * len(FIGURES)} pictures in {folder}")
