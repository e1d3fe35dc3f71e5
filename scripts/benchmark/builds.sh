#!/usr/bin/env bash
#
# Measures what the package adds to a release build: an app of one line, built from nothing, by CPU time, time on the
# clock and size of the stripped program. Run it when much code came or went, on a machine that does nothing else.
#
#   scripts/run-benchmarks builds [--against-grdb | --page]
#
# Builds the app with the usual options, and with those that make the program smallest. With --against-grdb, it also
# builds the app with groue/GRDB.swift, whose SQLite is that of the system, so that SQLite is neither in the time nor in
# the size: that needs sqlite3.h (libsqlite3-dev on Debian). With --page, it does all this, and writes
# scripts/benchmark/builds.md.
#
# Takes nine minutes on two cores.

set -euo pipefail
source "$(dirname "$0")/../support/usage.sh"
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
against='' page=''
for argument; do
    case $argument in
        --against-grdb) against=1 ;;
        --page) against=1 page=1 ;;
        *) usage ;;
    esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/App/Sources/App"
cat >"$work/App/Sources/App/main.swift" <<'END'
import GRDB
print(try DatabaseQueue().read { try Int.fetchOne($0, sql: "SELECT 1")! })
END

# The manifest of an app whose dependency is the first argument, with the name of its package.
manifest() {
    cat >"$work/App/Package.swift" <<END
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package($1)],
    targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "GRDB", package: "$2")])
    ]
)
END
}

# What makes the program smallest: the compiler prefers small code, the linker drops functions that nothing refers
# to, and fewer functions have unwind tables, which a stripped program keeps.
for_size=(-debug-info-format none -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections)

rows=()
# A build with the options that follow the name.
build() {
    local name=$1
    shift
    local TIMEFORMAT='%U %S %R'
    swift package --package-path "$work/App" --scratch-path "$work/build" resolve >"$work/log" 2>&1
    { time swift build -c release --package-path "$work/App" --scratch-path "$work/build" "$@" >>"$work/log" 2>&1; } \
        2>"$work/time" || { cat "$work/log" && exit 1; }
    local user system real size
    read -r user system real < <(tail -n 1 "$work/time")
    [ "$("$work/build/release/App")" = 1 ] || { echo "The app printed something else." >&2 && exit 1; }
    llvm-objcopy --strip-all "$work/build/release/App" "$work/stripped"
    size=$(wc -c <"$work/stripped")
    rm -rf "$work/build"
    rows+=("$(awk -v name="$name" -v user="$user" -v kernel="$system" -v real="$real" -v size="$size" 'BEGIN {
        printf "| %s | %.0f | %.0f | %.2f |", name, user + kernel, real, size / 1e6
    }')")
    echo "${rows[-1]}"
}

head='| build | CPU seconds | seconds | MB, stripped |'
echo "$head"
manifest "path: \"$root\"" "$(basename "$root")"
build 'this package'
build 'this package, for size' "${for_size[@]}"
if [ -n "$against" ]; then
    manifest 'url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"' GRDB.swift
    build 'GRDB 7.10, without SQLite'
fi

[ -n "$page" ] || exit 0
{
    cat <<END
# Release builds

Written by \`scripts/run-benchmarks builds --page\`.

An app of one line, built from nothing by \`swift build -c release\`. The CPU time is that of all processes. SQLite is part of
this package, so it is in its time and its size.

$head
| --- | ---: | ---: | ---: |
$(printf '%s\n' "${rows[@]}")

For size: \`${for_size[*]}\`.
END
    echo
    echo "$(swift --version 2>/dev/null | head -n 1), $(nproc) processors, $(date +%F)."
} >"$root/scripts/benchmark/builds.md"
