// swift-tools-version: 6.1

import PackageDescription

// Without the paths that guess what is accessed next: `Prediction.swift` says which.
let swiftSettings: [SwiftSetting] =
    Context.environment["GRDB_NO_FAST_PATHS"] == nil ? [] : [.define("GRDB_NO_FAST_PATHS")]

// Encryption is chosen by the trait, or, for build systems without traits, by this variable.
let encryptsAlways = Context.environment["GRDB_ENCRYPTION"] != nil
let encryptionSwiftSettings: [SwiftSetting] = [
    encryptsAlways
        ? .define("GRDB_ENCRYPTION")
        : .define("GRDB_ENCRYPTION", .when(traits: ["Encryption"]))
]

// Foundation is a trait that is on by default. Without it, the package imports FoundationEssentials, where it exists.
// The variable is for build systems without traits.
let foundationSwiftSettings: [SwiftSetting] = [
    Context.environment["GRDB_FOUNDATION"] != nil
        ? .define("GRDB_FOUNDATION")
        : .define("GRDB_FOUNDATION", .when(traits: ["Foundation"]))
]
let conditionalSwiftSettings = encryptionSwiftSettings + foundationSwiftSettings

// What SQLite asks of Apple's systems. Elsewhere, a bundle of resources would need Foundation.
#if canImport(Darwin)
let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
let excludedPrivacyManifest: [String] = []
#else
let privacyManifest: [Resource] = []
let excludedPrivacyManifest = ["PrivacyInfo.xcprivacy"]
#endif

// The jobs on top of the core. Each is a product: an app pays only for what it imports. They reach the core by
// `package` declarations.
let products = [
    "GRDBChanges", "GRDBFunctions", "GRDBQueries", "GRDBSchema", "GRDBServer", "GRDBTables",
]

// For work on one room: `GRDB_TESTS="GRDBTests/Records/Coding"` builds the tests in these folders of Tests, in one
// target, instead of all of them.
let rooms = Context.environment["GRDB_TESTS"]

// Debug information takes two fifths of the build of all tests, most of which nobody debugs. To debug a test, set
// `GRDB_DEBUG_TESTS`. The option goes to the frontend, because SwiftPM adds `-g` after the flags of a target, and the
// last one counts. Each process of the compiler parses all files of its target and expands their macros, which takes
// up to a minute, and so does the process that emits the module. Therefore, one process compiles a whole target and
// emits its module. Rooms are compiled file by file, because they are built after each change. These targets may have
// unsafe flags, because dependents never see them.
let wholeTargets = [
    "-whole-module-optimization", "-no-emit-module-separately-wmo", "-num-threads", "2",
    // SwiftPM asks for batches, of which the compiler would warn. It asks for incremental builds, too: the remark that
    // these are disabled can't be avoided.
    "-disable-batch-mode",
]
let testSwiftSettings =
    swiftSettings + conditionalSwiftSettings
    + [.unsafeFlags(rooms == nil ? wholeTargets : ["-driver-batch-size-limit", "200"])]
    + (Context.environment["GRDB_DEBUG_TESTS"] == nil
        ? [.unsafeFlags(["-Xfrontend", "-gnone"])] : [])

// What each test target uses.
let testDependencies: [Target.Dependency] =
    ["GRDB", "GRDBSQLite", "GRDBTestSupport", "CGRDBSQLiteObject"]
    + products.map { .byName(name: $0) }

func tests(_ name: String, path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: testDependencies, path: path, exclude: exclude,
        swiftSettings: testSwiftSettings)
}

// Tests of some of the folders in Tests/GRDBTests.
func testsOfWings(_ name: String, _ wings: [String]) -> Target {
    let all = ["Access", "Base", "Connection", "Features", "Query", "Records"]
    return tests(name, path: "Tests/GRDBTests", exclude: all.filter { !wings.contains($0) })
}

let package = Package(
    name: "GRDB",
    platforms: [
        .iOS(.v13),
        .macOS(.v10_15),
        .tvOS(.v13),
        .watchOS(.v7),
    ],
    products: [
        // Each product has the object file of SQLite, for which no target waits. GRDBSQLite is there for
        // code that calls C on `db.sqliteConnection`, in targets that import no other SQLite.
        .library(name: "GRDB", targets: ["GRDB", "GRDBSQLite", "CGRDBSQLiteObject"]),
        .library(name: "GRDBSQLite", targets: ["GRDBSQLite", "CGRDBSQLiteObject"]),
        // For several images of one process, which would otherwise each have a copy of SQLite.
        .library(
            name: "GRDB-dynamic", type: .dynamic,
            targets: ["GRDB", "GRDBSQLite", "CGRDBSQLiteObject"]),
    ] + products.map { .library(name: $0, targets: [$0, "CGRDBSQLiteObject"]) },
    traits: [
        .default(enabledTraits: ["Foundation"]),
        .trait(
            name: "Foundation",
            description: "All of Foundation, instead of FoundationEssentials where it exists."),
        .trait(
            name: "Encryption",
            description: "Encrypted database files: SQLite3 Multiple Ciphers instead of SQLite."),
    ],
    targets: [
        // The headers. Two packages with a target `CSQLite` stop SwiftPM, hence the name.
        .target(
            name: "CGRDBSQLite",
            path: "Vendor/CGRDBSQLite",
            exclude: ["CGRDBSQLite.c", "VERSION.txt", "amalgamation", "patches", "vectors.c"],
            sources: ["headers.c"]
        ),
        .target(
            name: "CGRDBSQLiteObject",
            path: "Vendor/CGRDBSQLiteObject",
            exclude: excludedPrivacyManifest,
            resources: privacyManifest,
            cSettings: [
                .define("GRDB_SQLITE_DEBUG", .when(configuration: .debug)),
                encryptsAlways
                    ? .define("GRDB_ENCRYPTION")
                    : .define("GRDB_ENCRYPTION", .when(traits: ["Encryption"])),
            ],
            linkerSettings: [
                .linkedLibrary("m", .when(platforms: [.linux, .android]))
            ]
        ),
        // The header of the functions for encryption, which CGRDBSQLiteObject has if it is chosen.
        .target(
            name: "CGRDBSQLiteCiphers",
            path: "Vendor/CGRDBSQLiteCiphers",
            exclude: [
                "LICENSE.txt", "VERSION.txt", "amalgamation", "ciphers.c", "options.h", "patches",
            ],
            sources: ["headers.c"]
        ),
        .target(
            name: "GRDBSQLite",
            dependencies: ["CGRDBSQLite"],
            path: "Vendor/GRDBSQLite"
        ),
        // Foundation or its essentials, and the C library, for one import in each file.
        .target(name: "_GRDBSystem", swiftSettings: foundationSwiftSettings),
        .target(
            name: "GRDB",
            dependencies: [
                "CGRDBSQLite", "_GRDBSystem",
                encryptsAlways
                    ? "CGRDBSQLiteCiphers"
                    : .target(name: "CGRDBSQLiteCiphers", condition: .when(traits: ["Encryption"])),
            ],
            swiftSettings: swiftSettings + conditionalSwiftSettings),
        .executableTarget(name: "TextSearch", dependencies: ["GRDB", "CGRDBSQLiteObject"]),
        .target(
            name: "GRDBTestSupport",
            dependencies: ["GRDB"],
            path: "Tests/GRDBTestSupport",
            swiftSettings: testSwiftSettings
        ),
        // Several targets, because a change of one file compiles its whole target, in one process. What targets share
        // is in GRDBTestSupport, or, if it needs internal declarations of GRDB, a symbolic link.
        testsOfWings("GRDBTests", ["Access", "Base", "Connection"]),
        testsOfWings("GRDBQueryTests", ["Query", "Records"]),
        testsOfWings("GRDBFeatureTests", ["Features"]),
        // The examples of the documents that the toolkit is made from.
        tests("DocumentTests"),
        .testTarget(
            name: "TextSearchTests",
            dependencies: ["GRDB", "GRDBTestSupport", "TextSearch", "CGRDBSQLiteObject"],
            swiftSettings: testSwiftSettings),
    ]
        + products.flatMap { product -> [Target] in
            [
                .target(
                    name: product, dependencies: ["GRDB", "CGRDBSQLite", "_GRDBSystem"],
                    swiftSettings: swiftSettings + conditionalSwiftSettings),
                tests("\(product)Tests"),
            ]
        },
    swiftLanguageModes: [.v6]
)

if let rooms {
    package.targets.removeAll { $0.type == .test }
    package.targets.append(
        .testTarget(
            name: "RoomTests",
            dependencies: testDependencies,
            path: "Tests",
            exclude: ["Consumer", "CompileTime", "Server", "Interface"],
            sources: rooms.split(separator: " ").map(String.init),
            swiftSettings: testSwiftSettings))
}
