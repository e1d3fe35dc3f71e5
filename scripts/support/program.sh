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

# Links the tests to another build of the sources, in which they are instrumented: a build of the tests as well would
# take three times as long. Options are those of the linker, through swiftc.
link_tests() { # ROOT SCRATCH OUTPUT [OPTION…]
    local usual instrumented
    usual=$(swift build --package-path "$1" -debug-info-format none --show-bin-path)
    instrumented=$(swift build --package-path "$1" --scratch-path "$2" --show-bin-path)
    swift build --package-path "$1" -debug-info-format none --build-tests --quiet >&2
    tr -d "'" <"$usual/GRDBPackageTests.product/Objects.LinkFileList" |
        sed -E "s#^$usual/((GRDB|CGRDBSQLiteObject|TextSearch)\\.build/)#$instrumented/\\1#" >"$3.objects"
    swiftc -emit-executable -o "$3" "@$3.objects" -Xlinker -rpath='$ORIGIN' -lm "${@:4}"
}
