# Compiles programs of scripts against the objects of the debug build, without another build of the package:
#
#     source "$(dirname "$0")/support/program.sh"
#     find_objects "$root" "$scratch"
#     compile_program "$work/program" main.swift [OPTION…]

# The modules of the package that apps import: the core, and the products on top of it.
library_modules() { # ROOT
    (cd "$1/Sources" && ls -d GRDB GRDB?*)
}

# Prints the object files of the library. The folders may hold objects of removed files.
library_objects() { # ROOT BIN
    local module
    for module in $(library_modules "$1"); do
        sed -nE 's/.*"object" *: *"(.*)".*/\1/p' "$2/$module.build/output-file-map.json"
    done
    find "$2/CGRDBSQLiteObject.build" -name '*.o'
}

# Builds the library if it has changed, and sets `bin` and `objects`.
find_objects() { # ROOT SCRATCH [OPTION…]
    local build=(swift build --package-path "$1" --scratch-path "$2" "${@:3}")
    package_root=$1
    "${build[@]}" --quiet
    bin=$("${build[@]}" --show-bin-path)
    mapfile -t objects < <(library_objects "$1" "$bin")
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
    # Without what debuggers read, which the instrumented build has for some modules only.
    tr -d "'" <"$usual/GRDBPackageTests.product/Objects.LinkFileList" | grep -v '\.swiftmodule\.o$' |
        sed -E "s#^$usual/(($(library_modules "$1" | paste -sd '|')|CGRDBSQLiteObject|TextSearch)\\.build/)#$instrumented/\\1#" >"$3.objects"
    swiftc -emit-executable -o "$3" "@$3.objects" -Xlinker -rpath='$ORIGIN' -lm "${@:4}"
}
