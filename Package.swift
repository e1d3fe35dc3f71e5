// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "GRDB",
    platforms: [
        .iOS(.v13),
        .macOS(.v10_15),
        .tvOS(.v13),
        .watchOS(.v7),
    ],
    products: [
        .library(name: "GRDB", targets: ["GRDB"]),
        // For code that calls C on `db.sqliteConnection`. Not beside another SQLite in one target.
        .library(name: "GRDBSQLite", targets: ["GRDBSQLite"]),
        .executable(name: "TextSearch", targets: ["TextSearch"]),
    ],
    targets: [
        // Two packages with a target `CSQLite` stop SwiftPM, hence the name.
        .target(
            name: "CGRDBSQLite",
            path: "Vendor/CGRDBSQLite",
            // CGRDBSQLite.c includes the amalgamation, which is not to be compiled once more.
            exclude: ["VERSION.txt", "amalgamation", "patches"],
            cSettings: [
                .define("GRDB_SQLITE_DEBUG", .when(configuration: .debug))
            ],
            linkerSettings: [
                .linkedLibrary("m", .when(platforms: [.linux, .android]))
            ]
        ),
        .target(
            name: "GRDBSQLite",
            dependencies: ["CGRDBSQLite"],
            path: "Vendor/GRDBSQLite"
        ),
        .target(name: "GRDB", dependencies: ["CGRDBSQLite"]),
        .executableTarget(name: "TextSearch", dependencies: ["GRDB"]),
        .target(
            name: "GRDBTestSupport",
            dependencies: ["GRDB"],
            path: "Tests/GRDBTestSupport"
        ),
        .testTarget(
            name: "GRDBTests",
            dependencies: ["GRDB", "GRDBSQLite", "GRDBTestSupport"]
        ),
        .testTarget(name: "TextSearchTests", dependencies: ["GRDB", "TextSearch"]),
    ],
    swiftLanguageModes: [.v6]
)
