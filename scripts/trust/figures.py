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


def keep_run(path, name, run, part=None):
    """Keeps a run beside the former ones, under a name. One that begins with the same seed replaces the former one."""
    run["date"] = datetime.date.today().isoformat()
    stored = _load(path)
    runs = (stored if part is None else stored.setdefault(part, {})).setdefault(name, {}).setdefault("runs", [])
    runs[:] = sorted([one for one in runs if one["seed"] != run["seed"]] + [run], key=lambda one: one["seed"])
    _save(path, stored)


def keep_difference(path, figures):
    """Keeps the figures of the last run, and the rows of all runs: a kind and a seed have one."""
    former = _load(path).get("difference", {}).get("runs", [])
    new = {tuple(row[:2]) for row in figures["runs"]}
    figures["runs"] = [row for row in former if tuple(row[:2]) not in new] + figures["runs"]
    keep(path, "difference", figures)


def _load(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _save(path, stored):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=1, sort_keys=True, ensure_ascii=False)
        file.write("\n")
