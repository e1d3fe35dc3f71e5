// swift-tools-version: 6.1

// What an app that depends on the package sees. scripts/check-consumer builds and runs it.

import PackageDescription

let importFeatures: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

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
        // These depend on the product GRDB alone, which brings the module of C functions.
        .target(
            name: "CursorLibrary",
            dependencies: [.product(name: "GRDB", package: "GRDB")],
            swiftSettings: importFeatures
        ),
        .executableTarget(
            name: "UsesCursorLibrary",
            dependencies: [
                "Checks", "CursorLibrary", .product(name: "GRDB", package: "GRDB"),
            ],
            swiftSettings: importFeatures
        ),
        // An app built along the guides: a library, a command-line tool and tests.
        .target(
            name: "ExpenseBook",
            dependencies: [.product(name: "GRDB", package: "GRDB")]
        ),
        .executableTarget(name: "Expenses", dependencies: ["Checks", "ExpenseBook"]),
        .testTarget(
            name: "ExpenseBookTests",
            dependencies: ["ExpenseBook", .product(name: "GRDB", package: "GRDB")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
