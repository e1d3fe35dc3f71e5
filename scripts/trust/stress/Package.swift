// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Stress",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "GRDB", path: "../../..")],
    targets: [
        .target(
            name: "FailingMemory",
            dependencies: [.product(name: "GRDBSQLite", package: "GRDB")]),
        .executableTarget(
            name: "Stress",
            dependencies: [
                "FailingMemory", .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBTables", package: "GRDB"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
