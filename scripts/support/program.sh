# Compiles programs of scripts against the objects of the debug build, without another build of the package:
#
#     source "$(dirname "$0")/support/program.sh"
#     find_objects "$root" "$scratch"
#     compile_program "$work/program" main.swift [OPTION…]

# Builds the library if it has changed, and sets `bin` and `objects`.
find_objects() { # ROOT SCRATCH [OPTION…]
    local build=(swift build --package-path "$1" --scratch-path "$2" "${@:3}")
    package_root=$1
    "${build[@]}" --quiet --product TextSearch
    bin=$("${build[@]}" --show-bin-path)
    # The files that the linker takes: the folder may hold objects of removed files.
    mapfile -t objects < <(tr -d "'" <"$bin/TextSearch.product/Objects.LinkFileList" |
        grep -E '/(GRDB|CGRDBSQLiteObject)\.build/')
}

compile_program() { # OUTPUT SOURCES AND OPTIONS…
    local output=$1
    shift
    swiftc -swift-version 6 -I "$bin/Modules" -I "$package_root/Vendor/CGRDBSQLite/include" \
        -Xcc -fmodule-map-file="$package_root/Vendor/CGRDBSQLite/include/module.modulemap" \
        "$@" "${objects[@]}" -lm -o "$output"
}
