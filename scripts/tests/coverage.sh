#!/usr/bin/env bash
#
# Prints how many lines of Sources the tests reach, by layer, and the functions and lines that no test
# reaches. Run it before a release, and after larger changes: each of these lines needs a test, or is
# superfluous. It needs a build of the sources of its own; the tests are those of the debug build.
#
#   scripts/run-tests coverage [--filter PATTERN] [--report] [--functions N] [--lines PART] [--figures]
#
# With --filter, only tests run whose names match, as in `swift test --filter`. With --report, no test runs:
# the counts of the last run are printed again. The N largest functions that no test reaches are listed (40),
# and, with --lines, all lines that no test reaches in the files whose path contains PART. A line counts as reached
# if any part of it is: the parts that are not, such as the `else` of a `guard`, are listed with their column.
# --figures stores the figures for the report in .build-trust/figures.json.
#
# Tests of traps count: counters are in a file that is mapped into memory, which has them when the process traps.

set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
source "$(dirname "$0")/../support/program.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
scratch=$root/.build-coverage
filter=()
options=()
runs=1
while [ $# -gt 0 ]; do
    case $1 in
        --filter) filter=(--filter "$2") && shift 2 ;;
        --report) runs= && shift ;;
        --functions | --lines) options+=("$1" "$2") && shift 2 ;;
        --figures) options+=(--figures "$root/.build-trust/figures.json") && shift ;;
        *) usage ;;
    esac
done

# Those of the toolchain: the format of the counters depends on its version.
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
build=(--scratch-path "$scratch" -debug-info-format none)
tests=$scratch/GRDBPackageTests.xctest
log=$scratch/tests.log
status=0
if [ -n "$runs" ]; then
    rm -rf "$scratch/counters" && mkdir -p "$scratch/counters"
    # Not --enable-code-coverage: SQLite would be instrumented, too. Tasks that count at once lose nothing.
    swift build "${build[@]}" -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping \
        -Xswiftc -Xllvm -Xswiftc -runtime-counter-relocation \
        -Xswiftc -Xllvm -Xswiftc -instrprof-atomic-counter-update-all >&2
    link_tests "$root" "$scratch" "$tests" -profile-generate
    LLVM_PROFILE_FILE=$scratch/counters/%c%m.profraw \
        "$tests" --testing-library swift-testing ${filter[@]+"${filter[@]}"} >"$log" 2>&1 || status=$?
fi
grep -E '^. Test run with' "$log" | tail -n 1 || true
"$tools/llvm-profdata" merge "$scratch"/counters/*.profraw -o "$scratch/counters.profdata"
"$tools/llvm-cov" export "$tests" -instr-profile "$scratch/counters.profdata" "$root/Sources" \
    -ignore-filename-regex='/(Tests|Vendor|\.build[^/]*)/' >"$scratch/coverage.json"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/trust/coverage.py" "$scratch/coverage.json" "$root/Sources" "$log" \
    ${options[@]+"${options[@]}"}
exit $status
