# shellcheck shell=bash
# Kills a process that writes to a database, and receives the changes from an outbox: no change may be lost, or arrive
# out of order.

source "$(dirname "$0")/support.sh"

kills=$amount
build_program "$work/program" "$cases/outbox.swift"

started=$SECONDS
python3 - "$work/program" "$work/app.sqlite" "$work/received" "$kills" <<'PYTHON' &
import random, select, subprocess, sys, time
program, file, received, kills = sys.argv[1:]
for kill in range(int(kills)):
    process = subprocess.Popen(
        [program, "work", file, received], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        # Some processes are killed while they open the database, but most while they work.
        if random.randrange(10):
            if not select.select([process.stdout], [], [], 60)[0]:
                sys.exit(f"kill {kill}: the process hangs while it opens the database")
            line = process.stdout.readline()
            if line != b"ready\n":
                sys.exit(f"kill {kill}: {line} {process.stdout.read().decode()}")
            time.sleep(random.random() * 0.04)
        else:
            time.sleep(random.random() * 0.02)
        if process.poll() is not None:
            sys.exit(f"kill {kill}: the process has ended: {process.stdout.read().decode()}")
    finally:
        process.kill()
        process.wait()
PYTHON
remember $!
wait $! || fail "a process fails"
result=$("$work/program" verify "$work/app.sqlite" "$work/received")
echo "$kills kills in $((SECONDS - started)) s, $result"
