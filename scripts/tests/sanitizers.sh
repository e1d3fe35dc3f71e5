#!/usr/bin/env bash
#
# Runs the tests with a library and an SQLite that a sanitizer has instrumented, and counts its reports.
# Run it before a release. Each sanitizer needs a build of the library of its own; the tests themselves, which
# are not instrumented, are those of the debug build.
#
#   scripts/run-tests sanitizers [address|thread]… [--leaks] [--filter PATTERN] [--stress] [--figures]
#
# Without names of sanitizers, both run, one after the other. The address sanitizer comes with the one for
# undefined behavior of C code: Swift code traps in debug builds, and swiftc has no such sanitizer for Linux. With
# --leaks, the address sanitizer also looks for leaks when a process ends. With --filter, only tests run whose names
# match, as in `swift test --filter`. With --stress, jobs of scripts/run-trust stress run instead of the tests.
# --figures stores the figures for the report in .build-trust/figures.json.
#
# Reports end up in the folder `reports` of the build, one file per process: tests of traps run in processes of
# their own. Suppressions are in scripts/trust/stress/*.supp, each with its reason.

set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
source "$(dirname "$0")/../support/program.sh"
source "$(dirname "$0")/../support/sanitizers.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
sanitizers=()
filter=()
options=()
leaks=0
stress=
while [ $# -gt 0 ]; do
    case $1 in
        address | thread) sanitizers+=("$1") && shift ;;
        --leaks) leaks=1 && shift ;;
        --filter) filter=(--filter "$2") && shift 2 ;;
        --stress) stress=1 && shift ;;
        --figures) options=(--figures "$root/.build-trust/figures.json") && shift ;;
        *) usage ;;
    esac
done
[ ${#sanitizers[@]} -gt 0 ] || sanitizers=(address thread)

# In seconds, and in tasks.
stress_jobs() { # SANITIZER
    case $1 in
        thread) printf '%s\n' "mixed 300" "lifetimes 60" "observe 300" "hurry 20000" "tasks 1000" ;;
        address) printf '%s\n' "mixed 120" "lifetimes 60" "observe 120" "hurry 20000" "fulltext 20000" ;;
    esac
}

# The names of the tests of traps, separated by |.
exit_tests() {
    grep -rl --include='*.swift' processExitsWith "$root/Tests" | xargs awk '
        match($0, /func [a-zA-Z_0-9]+/) { name = substr($0, RSTART + 5, RLENGTH - 5) }
        /processExitsWith/ { print name }' | sort -u | paste -sd '|'
}

# Options for the tests that an instrumented build cannot pass.
skipped_tests() { # SANITIZER
    case $1 in
        # SQLite is built with SQLITE_OMIT_LOOKASIDE here, which the list of options doesn't have.
        address) printf '%s\n' --skip 'VendoredOptionsTests/reportedOptionsAreTheListedOnes' ;;
        # Swift's instrumentation of `inout` takes the address of a record without properties, which has none:
        # the process crashes in __tsan_external_write.
        #
        # Tests of traps and forks have child processes. The thread of the testing library that waits for children
        # was then seen to spin, while other threads waited forever in swift_once: the suite never ended.
        thread)
            printf '%s\n' --skip 'PersistenceCallbackTests/errorsThatAreNotRethrown' \
                --skip 'PersistenceTests/emptyContainers(InsertDefaultValues|CannotBeUpserted)' \
                --skip "/($(exit_tests))\\(" --skip 'ForkTests/'
            ;;
    esac
}

failed=0
for name in "${sanitizers[@]}"; do
    find_sanitizer "$root" "$name"
    reports=$sanitizer_scratch/reports
    log=$sanitizer_scratch/tests.log
    rm -rf "$reports" && mkdir -p "$reports"
    status=0
    if [ -n "$stress" ]; then
        title="$name, stress"
        stress_jobs "$name" | while read -r job amount; do
            scripts/run-trust stress --sanitize "$name" "$job" "$amount" </dev/null || echo "$job fails"
        done 2>&1 | tee "$log"
        ! grep -q ' fails$' "$log" || status=1
    else
        title=$name
        [ "$leaks" = 0 ] || title="$name, leaks"
        swift build "${sanitizer_build[@]}" >&2
        check_instrumented
        link_tests "$root" "$sanitizer_scratch" "$sanitizer_scratch/GRDBPackageTests.xctest" -sanitize="$name"
        (
            export_sanitizer_options "$leaks" "$reports"
            mapfile -t skipped < <(skipped_tests "$name")
            "$sanitizer_scratch/GRDBPackageTests.xctest" --testing-library swift-testing \
                ${skipped[@]+"${skipped[@]}"} ${filter[@]+"${filter[@]}"}
        ) >"$log" 2>&1 || status=$?
    fi
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/trust/sanitizers.py" "$title" "$reports" "$log" "$status" \
        ${options[@]+"${options[@]}"} || failed=1
done
exit $failed
