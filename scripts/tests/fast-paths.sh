#!/usr/bin/env bash
#
# Runs the tests of rows, coding, records and requests on a library that is built without its fast paths:
# without the guesses of what is accessed next, without texts of queries by their shapes, and without what
# relies on the layout of keys and of arrays. What the tests find must not depend on them. Run it after a
# change of what Sources/README.md lists there.
#
# usage: scripts/run-tests fast-paths [--scratch-path FOLDER] [--traits NAMES] [--all]
#
# Only the library is built in the scratch folder, with the traits; the tests are those of the debug build. With
# --all, all of them run.
set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
source "$(dirname "$0")/../support/program.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$root/.build/no-fast-paths
traits=()
all=
while [ $# -gt 0 ]; do
    case $1 in
        --scratch-path) scratch=$2 && shift 2 ;;
        --traits) traits=(--traits "Foundation,$2") && shift 2 ;;
        --all) all=1 && shift ;;
        *) usage ;;
    esac
done

rooms=(
    Base/Support/PredictionTests.swift
    Base/Values
    Connection/Rows
    Connection/Statements/StatementBindingTests.swift
    Query/Generation
    Query/Requests
    Records/Coding
    Records/Fetching
    Records/Persistence
)
GRDB_NO_FAST_PATHS=1 swift build --package-path "$root" --scratch-path "$scratch" --quiet \
    ${traits[@]+"${traits[@]}"}
tests=$scratch/GRDBPackageTests.xctest
link_tests "$root" "$scratch" "$tests"

filter=()
if [ -z "$all" ]; then
    suites=$(cd "$root/Tests/GRDBTests" && grep -rhoE '^(@Suite.* )?struct \w+Tests\b' "${rooms[@]}" | grep -oE '\w+$' |
        paste -sd '|')
    filter=(--filter "\.($suites)/")
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$tests" --testing-library swift-testing ${filter[@]+"${filter[@]}"} >"$log" 2>&1 || {
    grep -E 'error: |✘' "$log" | sort -u | head -n 40 >&2 || tail -n 40 "$log" >&2
    exit 1
}
grep 'Test run with' "$log"
! grep -q 'Test run with 0 tests' "$log" || {
    echo "fast-paths: no suite matches ${filter[*]}" >&2
    exit 1
}
