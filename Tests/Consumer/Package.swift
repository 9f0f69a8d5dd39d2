// swift-tools-version: 6.2

import PackageDescription

// Users of one engine each, outside this package: `check` shows that each resolves and builds its engine's needs alone.
// `traits: []` says that nothing of the package is wanted that needs another package.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "SitesConsumer", dependencies: [.product(name: "AllowedSites", package: "sallyport")]),
        .executableTarget(name: "PinsConsumer", dependencies: [.product(name: "SPKIPins", package: "sallyport")]),
    ]
)
