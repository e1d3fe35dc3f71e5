#!/usr/bin/env bash
#
# Compares the performance of nearest-vector searches with the extension sqlite-vec: its `vec0`
# tables, and its functions on an ordinary table, in the same process. Run it on an idle machine,
# after a change to vectors, and copy its output to the guide on vectors. It takes five minutes,
# including builds.
#
#   scripts/run-benchmarks vectors [--rounds=N]
#
# Prints the ratios of CPU time, and the milliseconds of both. Installs the Python package
# sqlite-vec with pip in a temporary folder: the system is not changed. If it is not available, the
# script prints that it is skipped, and succeeds.

set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
cd "$(dirname "$0")"

rounds=()
for argument; do
    case $argument in
        --rounds=*) rounds=("$argument") ;;
        *) usage ;;
    esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install --quiet --target "$work" sqlite-vec==0.1.9 >/dev/null 2>&1 || true
SQLITE_VEC=$(find "$work" -name 'vec0.*' -type f | head -n 1)
if [ -z "$SQLITE_VEC" ]; then
    echo "run-benchmarks vectors: skipped, sqlite-vec can't be installed"
    exit 0
fi
export SQLITE_VEC
swift build -c release --product Benchmark >&2
.build/release/Benchmark "10 nearest of 100k" ${rounds[@]+"${rounds[@]}"} |
    awk 'NR <= 2 { if (NR == 1) print; next }
        { printf "%-45s ratio %5.2f   package %6.1f ms   sqlite-vec %6.1f ms\n",
              substr($0, 1, 45), $(NF - 3), $(NF - 1) / 1e6, $NF / 1e6 }'
