// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Benchmark",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "GRDB", path: "../..")],
    targets: [
        .target(
            name: "CTable", dependencies: [.product(name: "GRDBSQLite", package: "GRDB")]),
        .target(name: "CTokenizer"),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CTable",
                "CTokenizer",
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBSQLite", package: "GRDB"),
                .product(name: "GRDBChanges", package: "GRDB"),
                .product(name: "GRDBFunctions", package: "GRDB"),
                .product(name: "GRDBQueries", package: "GRDB"),
                .product(name: "GRDBSchema", package: "GRDB"),
                .product(name: "GRDBServer", package: "GRDB"),
                .product(name: "GRDBTables", package: "GRDB"),
            ]),
        .executableTarget(name: "App", dependencies: [.product(name: "GRDB", package: "GRDB")]),
        // What writes the page depends on nothing.
        .executableTarget(name: "Page"),
        .executableTarget(
            name: "Growth",
            dependencies: [
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBSQLite", package: "GRDB"),
                .product(name: "GRDBServer", package: "GRDB"),
                .product(name: "GRDBTables", package: "GRDB"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
