// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Notes",
    dependencies: [
        // A placeholder: write the address of the repository.
        .package(url: "https://example.org/GRDB.git", from: "7.11.0")
    ],
    targets: [
        .executableTarget(
            name: "Notes",
            dependencies: [
                .product(name: "GRDB", package: "GRDB"),
                .product(name: "GRDBChanges", package: "GRDB"),
            ])
    ]
)
