// swift-tools-version: 6.2

import PackageDescription

// A user of one engine, outside this package: `check` shows that it resolves and builds that engine's needs alone.
// `traits: []` says that nothing of the package is wanted that needs another package.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "Consumer", dependencies: [.product(name: "AllowedSites", package: "sallyport")])
    ]
)
