"""Keeps figures for the report, under a name, or under a name within a part of the report."""

import datetime
import json
import os


def keep(path, name, figures, part=None):
    figures["date"] = datetime.date.today().isoformat()
    stored = _load(path)
    (stored if part is None else stored.setdefault(part, {}))[name] = figures
    _save(path, stored)


def keep_workload(path, part, name, figures):
    stored = _load(path)
    stored.setdefault(part, {}).setdefault("workloads", {})[name] = figures
    _save(path, stored)


def _load(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _save(path, stored):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=1, sort_keys=True)
        file.write("\n")
