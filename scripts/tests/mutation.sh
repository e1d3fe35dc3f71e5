#!/usr/bin/env bash
#
# Proves that the tests notice wrong conditions: random conditions of the modules in Sources are negated, one at a time, and
# the suites that evaluate the condition must fail. Run it when much of the sources or the tests has changed.
#
#   scripts/run-tests mutation [--seed N] [--count N] [--minutes N] [--jobs N] [--folder FOLDER] [--figures]
#
# A condition is what follows if, guard or while, what stands before the question mark of a ternary, an operand of
# && and ||, or a comparison. Those that are arguments of assertions are left out. One build has all of them, and an
# environment variable negates one. Each suite first runs alone, which records the conditions that it evaluates. Then,
# for each condition, the suites that evaluate it run until one fails, crashes or hangs. What no suite notices is
# listed: equivalent code, code to remove, or a missing test.
#
# --count is the number of conditions (500). --minutes ends the runs early: the conditions are tried in random order,
# so that those tried are a fair sample. --folder keeps the copy of the tree with its build, records and results: with
# the same folder, the script continues. --figures stores the figures for scripts/trust/report.md.
#
# Needs about two hours for 500 conditions, nearly all of which are the build and the tests.

set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
options=()
folder=
while [ $# -gt 0 ]; do
    case $1 in
        --seed | --count | --minutes | --jobs) options+=("$1" "$2") && shift 2 ;;
        --folder) folder=$2 && shift 2 ;;
        --figures) options+=(--figures "$root/.build-trust/figures.json") && shift ;;
        *) usage ;;
    esac
done
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/trust/mutation.py" "$root" "$folder" ${options[@]+"${options[@]}"}
