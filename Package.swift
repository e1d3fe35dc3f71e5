// swift-tools-version: 6.1

import PackageDescription

// Without the paths that guess what is accessed next: `Prediction.swift` says which.
let swiftSettings: [SwiftSetting] =
    Context.environment["GRDB_NO_FAST_PATHS"] == nil ? [] : [.define("GRDB_NO_FAST_PATHS")]

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
        .executable(name: "TextSearch", targets: ["TextSearch"]),
    ],
    targets: [
        // The headers. Two packages with a target `CSQLite` stop SwiftPM, hence the name.
        .target(
            name: "CGRDBSQLite",
            path: "Vendor/CGRDBSQLite",
            exclude: ["CGRDBSQLite.c", "VERSION.txt", "amalgamation", "patches"],
            sources: ["headers.c"]
        ),
        .target(
            name: "CGRDBSQLiteObject",
            path: "Vendor/CGRDBSQLiteObject",
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
        .target(name: "GRDB", dependencies: ["CGRDBSQLite"], swiftSettings: swiftSettings),
        .executableTarget(name: "TextSearch", dependencies: ["GRDB", "CGRDBSQLiteObject"]),
        .target(
            name: "GRDBTestSupport",
            dependencies: ["GRDB"],
            path: "Tests/GRDBTestSupport"
        ),
        .testTarget(
            name: "GRDBTests",
            dependencies: ["GRDB", "GRDBSQLite", "GRDBTestSupport", "CGRDBSQLiteObject"],
            swiftSettings: swiftSettings
        ),
        // The examples of the documents that the toolkit is made from.
        .testTarget(
            name: "DocumentTests",
            dependencies: ["GRDB", "GRDBSQLite", "GRDBTestSupport", "CGRDBSQLiteObject"]
        ),
        .testTarget(
            name: "TextSearchTests",
            dependencies: ["GRDB", "GRDBTestSupport", "TextSearch", "CGRDBSQLiteObject"]),
    ],
    swiftLanguageModes: [.v6]
)
