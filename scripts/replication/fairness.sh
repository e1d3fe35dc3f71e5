# shellcheck shell=bash
# Measures how long processes that write to the same file wait for each other, and whether some of them wait much
# longer than others. Each process holds the lock for some milliseconds, and pauses for some between two writes.

source "$(dirname "$0")/support.sh"

seconds=$amount
processes=8 hold=5 pause=5 # in milliseconds
build_program "$work/program" "$cases/fairness.swift"

file=$work/fairness.sqlite
"$work/program" "$file" 0 0 0 >/dev/null
pids=()
for number in $(seq "$processes"); do
    "$work/program" "$file" "$seconds" $((hold * 1000)) $((pause * 1000)) >"$work/waits-$number" &
    pids+=($!)
done
for pid in "${pids[@]}"; do
    wait "$pid"
done

sort -n "$work"/waits-* | awk -v processes="$processes" '
    { wait[NR] = $1 / 1000 }
    END {
        median = wait[int(NR / 2) + 1]
        late = wait[int(NR * 0.99) + 1]
        if (late == "") late = wait[NR]
        printf "%d processes, %d writes: median %.1f ms, 99th percentile %.1f ms (%.1f times), longest %.1f ms\n",
            processes, NR, median, late, (median > 0 ? late / median : 0), wait[NR]
    }'
wc -l "$work"/waits-* | awk '$2 != "total" && (low == "" || $1 < low) { low = $1 }
    $2 != "total" && $1 > high { high = $1 }
    END { printf "writes of the slowest process: %d, of the fastest: %d\n", low, high }'
