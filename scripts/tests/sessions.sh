#!/usr/bin/env bash
#
# Runs the long versions of the session tests: mutated changesets, and converging databases. Run it
# after a change to Features/Sessions, especially to ChangesetScanner, and after an update of
# SQLite.
#
#   scripts/run-tests sessions [--sanitize address] [--mutations N] [--rounds N] [--seed N]
#
#   --sanitize address   with Address Sanitizer, in a separate scratch folder
#   --mutations N        changesets to mutate (1000000)
#   --rounds N           rounds of edits and exchanges, per way to resolve conflicts (10000)
#   --seed N             the seed of the random numbers (1)
#
# Address Sanitizer needs a debug build. Without it, the script runs a release build.
set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
sanitizer=
mutations=1000000
rounds=10000
seed=1
while [ $# -gt 0 ]; do
    case $1 in
        --sanitize) sanitizer=$2 && shift 2 ;;
        --mutations) mutations=$2 && shift 2 ;;
        --rounds) rounds=$2 && shift 2 ;;
        --seed) seed=$2 && shift 2 ;;
        *)
            usage
            ;;
    esac
done

options=(--package-path "$root")
if [ -n "$sanitizer" ]; then
    # SQLite's lookaside allocator would hide errors in the use of small blocks.
    options+=(
        -c debug --sanitize "$sanitizer" --scratch-path "$root/.build-$sanitizer"
        -debug-info-format none -Xcc -DSQLITE_OMIT_LOOKASIDE
    )
else
    options+=(-c release -Xswiftc -enable-testing --scratch-path "$root/.build-release")
fi
GRDB_CHANGESET_MUTATIONS=$mutations GRDB_CONVERGENCE_ROUNDS=$rounds GRDB_SESSIONS_SEED=$seed \
    ASAN_OPTIONS=detect_leaks=0 \
    swift test "${options[@]}" --filter 'mutatedChangesetsDoNoHarm|databasesConverge'
