#!/usr/bin/env bash
#
# Prints how the cost of fetches, writes, connections and tables over collections ("tables") grows
# with the number of rows, columns, keys, statements, observers and readers; how many durable
# commits per second many tasks achieve ("commits"); and, only if requested, the effect of several
# page cache sizes on a file of 1 GB ("caches"). Runs a release build, and checks nothing.
#
# usage: scripts/run-benchmarks growth [PART OF A NAME]
set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
cd "$(dirname "$0")"
swift build -c release --product Growth >&2
exec .build/release/Growth "$@"
