// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Stress",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "GRDB", path: "../..")],
    targets: [
        .executableTarget(
            name: "Stress",
            dependencies: [.product(name: "GRDB", package: "GRDB")])
    ],
    swiftLanguageModes: [.v6]
)
