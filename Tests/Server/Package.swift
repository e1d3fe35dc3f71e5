// swift-tools-version: 6.2

import PackageDescription

// A server that runs on this package, as an application would: a package of its own, because the root
// package has no dependencies. `scripts/check-replication server` builds and runs it.
//
// SERVER_LIBRARY=peer builds the same sources with the library whose interface this package has, for the
// table of figures that the script prints.
let usesPeer = Context.environment["SERVER_LIBRARY"] == "peer"

let package = Package(
    name: "Server",
    platforms: [.macOS(.v15)],
    dependencies: [
        usesPeer
            ? .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0")
            : .package(name: "GRDB", path: "../.."),
        // Neither configuration files nor Foundation's extras.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1",
            traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    ],
    targets: [
        .executableTarget(
            name: "Shop",
            dependencies: (usesPeer
                ? [.product(name: "GRDB", package: "GRDB.swift")]
                : [
                    .product(name: "GRDB", package: "GRDB"),
                    .product(name: "GRDBServer", package: "GRDB"),
                ]) + [
                    .product(name: "Hummingbird", package: "hummingbird"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ],
            swiftSettings: usesPeer ? [.define("SERVER_PEER")] : [])
    ],
    swiftLanguageModes: [.v6]
)
