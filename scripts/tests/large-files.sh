#!/usr/bin/env bash
#
# Reads files that are larger than the memory that a process should use, and prints its memory use:
# a blob of 2 GB is written and read in pieces, with a queue and a pool, and a CSV file of 1 GB is
# read as a table. Run it after a change to Features/Blobs or Features/VirtualTables. Needs 5 GB in
# the temporary folder.
#
#   scripts/run-tests large-files [--scratch-path FOLDER]
set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
options=(--package-path "$root")
while [ $# -gt 0 ]; do
    case $1 in
        --scratch-path) options+=(--scratch-path "$2") && shift 2 ;;
        *) usage ;;
    esac
done
GRDB_LARGE_FILES=1 swift test "${options[@]}" --filter 'LargeBlobTests|LargeCSVTests'
