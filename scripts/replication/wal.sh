# shellcheck shell=bash
# Writes megabytes to the write-ahead log of a pool during an endless read: the checkpoint report must name the read,
# and the log must shrink after the read ends. Then repeats this with a time limit for reads, which must end the read
# with an error.

source "$(dirname "$0")/support.sh"

megabytes=$amount
build_program "$work/program" "$cases/wal.swift"
timeout 600 "$work/program" "$work/app.sqlite" "$megabytes"
