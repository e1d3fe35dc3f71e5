"""Keeps figures for the report, under a name, or under a name within a part of the report."""

import datetime
import json
import os


def keep(path, name, figures, part=None):
    stored = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
    figures["date"] = datetime.date.today().isoformat()
    (stored if part is None else stored.setdefault(part, {}))[name] = figures
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=1, sort_keys=True)
        file.write("\n")
