# shellcheck shell=bash
# Counts the work and the notifications of a process that observes a database: its own writes must not be reported as
# writes of another process, a write of another process must be reported once, an announced write of another process to
# another table must fetch nothing, and nothing may be fetched while there are no writes.

source "$(dirname "$0")/support.sh"

seconds=$amount
build_program "$work/program" "$cases/idle.swift"
"$work/program" watch "$work/app.sqlite" "$seconds"
