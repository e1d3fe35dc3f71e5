# The help of a script is the comment at its top. Every script reads this file before it does anything:
#
#     source "$(dirname "$0")/support/usage.sh"
#
# With --help or -h among its arguments, the script then prints its help, and ends. For arguments that it
# does not understand, it calls `usage`.

# As an absolute path: the script may change the folder before it calls `usage`.
this_script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")

print_help() {
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); if (started || $0 != "") print; started = 1 }' \
        "$this_script"
}

usage() {
    print_help >&2
    exit 2
}

for argument; do
    case $argument in
        --help | -h)
            print_help
            exit
            ;;
    esac
done
unset argument
