# What the scripts share that run code under a sanitizer: flags of the compilers, and options of the run time.
#
#     source "$(dirname "$0")/support/sanitizers.sh"
#     find_sanitizer "$root" address|thread
#     swift build "${sanitizer_build[@]}"
#     check_instrumented
#     export_sanitizer_options LEAKS [FOLDER]

# Sets `sanitizer_build`, the options of builds, and `sanitizer_scratch`.
find_sanitizer() { # ROOT SANITIZER
    sanitizer_root=$1
    sanitizer=$2
    sanitizer_scratch=$1/.build-$2
    sanitizer_tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
    # Optimized a little, SQLite takes much less time, and less of the small stacks that tests use.
    sanitizer_build=(--scratch-path "$sanitizer_scratch" -debug-info-format none --sanitize "$2")
    if [ "$2" = address ]; then
        # SQLite's own allocator, for small blocks, would hide what is wrong with them. An error doesn't end the
        # process, so that all of them are seen. swiftc knows no sanitizer for undefined behavior on Linux, but the
        # run time of the address sanitizer has it.
        sanitizer_build+=(-Xcc -DSQLITE_OMIT_LOOKASIDE -Xcc -fsanitize=undefined -Xcc -O1
            -Xcc -fsanitize-recover=address -Xswiftc -sanitize-recover=address)
    else
        # Suppressions name functions, which the symbolizer does not see where they are inlined.
        sanitizer_build+=(-Xcc -O1 -Xcc -fno-inline)
    fi
}

# Fails if SQLite is not instrumented.
check_instrumented() {
    local object symbols
    object=$(find "$sanitizer_scratch/" -path '*/debug/CGRDBSQLiteObject.build/SQLite.c.o')
    symbols=$("$sanitizer_tools/llvm-nm" "$object")
    case $sanitizer in
        address) grep -q __asan_report <<<"$symbols" && grep -q __ubsan_handle <<<"$symbols" ;;
        thread) grep -q __tsan_read <<<"$symbols" ;;
    esac || {
        echo "$(basename "$0"): $object is not instrumented" >&2
        return 1
    }
}

# Without a folder, processes end with their first report, or fail at their end. Otherwise, they write reports into
# files of the folder, go on, and have the exit code that they would have without a sanitizer.
export_sanitizer_options() { # LEAKS [FOLDER]
    local suppressions=$sanitizer_root/scripts/trust/stress
    # Suppressions name functions, which the symbolizer finds.
    local all="external_symbolizer_path=$sanitizer_tools/llvm-symbolizer print_suppressions=1"
    local address="halt_on_error=1" thread="halt_on_error=0 exitcode=66"
    if [ -n "${2:-}" ]; then
        address="halt_on_error=0 exitcode=0 log_path=$2/address"
        thread="halt_on_error=0 exitcode=0 log_path=$2/thread"
    fi
    export ASAN_OPTIONS="$address detect_leaks=$1 allocator_may_return_null=1 $all"
    export LSAN_OPTIONS="suppressions=$suppressions/leak-sanitizer.supp"
    export UBSAN_OPTIONS="print_stacktrace=1 print_summary=1"
    export TSAN_OPTIONS="$thread $all suppressions=$suppressions/thread-sanitizer.supp"
}
