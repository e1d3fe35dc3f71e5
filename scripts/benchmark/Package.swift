// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Benchmark",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "GRDB", path: "../..")],
    targets: [
        .target(name: "CTokenizer"),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CTokenizer",
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBSQLite", package: "GRDB"),
            ]),
        .executableTarget(
            name: "Growth", dependencies: [.product(name: "GRDB", package: "GRDB")]),
    ],
    swiftLanguageModes: [.v6]
)
