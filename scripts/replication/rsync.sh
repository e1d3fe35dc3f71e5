# shellcheck shell=bash
# Copies a database with sqlite3_rsync, while the database is written and the copy is read. Each read must see a state
# that the database had, and in the end both have the same hash, computed by sqlite3_dbhash.

source "$(dirname "$0")/support.sh"

rounds=$amount
install_python apsw-sqlite3mc || {
    skip "apsw-sqlite3mc can't be installed"
    exit 0
}
programs=$(find "$tools/python/apsw-sqlite3mc" -name sqlite3_rsync -exec dirname {} \; | head -n 1)
[ -n "$programs" ] || {
    skip "apsw-sqlite3mc has no sqlite3_rsync on this platform"
    exit 0
}
build_program "$work/program" "$cases/replica.swift"

origin=$work/origin.sqlite replica=$work/replica.sqlite
copy() { "$programs/sqlite3_rsync" "$origin" "$replica" >>"$work/rsync.log" 2>&1; }
hash() { "$programs/sqlite3_dbhash" "$1" | cut -d ' ' -f 1; }

"$work/program" write "$origin" - 1000 >"$work/write.log"
copy || fail "the first copy fails"
"$work/program" write "$origin" - 1000000 >>"$work/write.log" 2>&1 &
writer_pid=$!
remember $writer_pid
readers=()
for mode in stay pool fresh; do
    "$work/program" read "$replica" $mode 600 1000000 >"$work/$mode.txt" 2>&1 &
    readers+=($!)
    remember $!
done

busy=0
started=$(date +%s%N)
for round in $(seq "$rounds"); do
    # The replica is locked while a reader opens or closes it. Retry the copy in this case.
    until copy; do
        busy=$((busy + 1))
        [ $busy -lt $((10 * rounds)) ] || fail "copies fail again and again"
        sleep 0.05
    done
done
elapsed=$((($(date +%s%N) - started) / 1000000))
kill -0 $writer_pid || fail "the writer has ended"
kill_and_wait $writer_pid
copy || fail "the last copy fails"
kill -TERM "${readers[@]}"
for pid in "${readers[@]}"; do
    wait "$pid" || fail "a reader fails: $(cat "$work"/{stay,pool,fresh}.txt)"
done
cat "$work"/{stay,pool,fresh}.txt
! grep -qvE ' 0 mixed, 0 backwards, 0 errors' "$work"/{stay,pool,fresh}.txt ||
    fail "a read is no content of the database, or fails"
[ "$(hash "$origin")" = "$(hash "$replica")" ] || fail "the last copy differs"
echo "$rounds copies onto a replica that is being read, $((elapsed / rounds)) ms each," \
    "$busy tried again: each read is a content of the database"
