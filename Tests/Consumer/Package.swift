// swift-tools-version: 6.1

// What an app that depends on the package sees. scripts/check-consumer builds and runs it.

import PackageDescription

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v10_15)],
    dependencies: [
        .package(name: "GRDB", path: "../..")
    ],
    targets: [
        .systemLibrary(
            name: "SystemSQLite",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "Checks"),
        .executableTarget(
            name: "BesideSystemSQLite",
            dependencies: ["Checks", "SystemSQLite", .product(name: "GRDB", package: "GRDB")]
        ),
        .executableTarget(
            name: "WithoutSystemSQLite",
            dependencies: [
                "Checks",
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBSQLite", package: "GRDB"),
            ]
        ),
        .executableTarget(
            name: "CallsC",
            dependencies: [
                "Checks",
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBSQLite", package: "GRDB"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
