# Compiles the modules and SQLite for libFuzzer and the address sanitizer, into a folder that keeps them. Needs
# support/program.sh:
#
#     source "$(dirname "$0")/support/fuzzer.sh"
#     find_fuzzed_objects "$root" "$folder"
#     compile_fuzzer "$output" SOURCE… [OPTION…]

fuzzed_options=(-sanitize=fuzzer,address -Onone -gline-tables-only -swift-version 6 -parse-as-library -DDEBUG
    -package-name grdb -D GRDB_FOUNDATION)
# The core, the module that it imports, and the products on top of it that targets use.
fuzzed_modules=(_GRDBSystem GRDB GRDBChanges GRDBSchema GRDBTables)

# Compiles what has changed since the last time. Sets `fuzzed`, the folder of the objects.
find_fuzzed_objects() { # ROOT FOLDER
    fuzzed=$2
    fuzzed_headers=(-I "$fuzzed" -I "$1/Vendor/CGRDBSQLite/include"
        -Xcc -fmodule-map-file="$1/Vendor/CGRDBSQLite/include/module.modulemap")
    mkdir -p "$fuzzed"
    if [ -n "$(newer_files "$fuzzed/sqlite.o" "$1/Vendor")" ]; then
        clang -fsanitize=fuzzer-no-link,address -O1 -gline-tables-only -DGRDB_SQLITE_DEBUG \
            -I "$1/Vendor/CGRDBSQLite/include" -c "$1/Vendor/CGRDBSQLiteObject/SQLite.c" -o "$fuzzed/sqlite.o"
    fi
    local module
    for module in "${fuzzed_modules[@]}"; do
        [ -n "$(newer_files "$fuzzed/$module.o" "$1/Sources/GRDB" "$1/Sources/$module" "$1/Vendor/CGRDBSQLite/include")" ] ||
            continue
        find "$1/Sources/$module" -name '*.swift' ! -path '*.docc/*' | sort >"$fuzzed/sources"
        swiftc "${fuzzed_options[@]}" -wmo -module-name "$module" "${fuzzed_headers[@]}" \
            -emit-module -emit-module-path "$fuzzed/$module.swiftmodule" -c "@$fuzzed/sources" -o "$fuzzed/$module.o"
    done
}

# Prints something if the file is missing, or if a file of the folders is newer.
newer_files() { # FILE FOLDER…
    local file=$1
    shift
    [ -e "$file" ] || { echo missing && return; }
    find "$@" -type f \( -name '*.swift' -o -name '*.c' -o -name '*.h' \) -newer "$file" | head -1
}

compile_fuzzer() { # OUTPUT SOURCES AND OPTIONS…
    local output=$1 objects=("${fuzzed_modules[@]/#/$fuzzed/}")
    objects=("${objects[@]/%/.o}")
    shift
    swiftc "${fuzzed_options[@]}" -wmo "${fuzzed_headers[@]}" "$@" "${objects[@]}" "$fuzzed/sqlite.o" -lm -o "$output"
}
