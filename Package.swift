// swift-tools-version: 6.2

import PackageDescription

/// The settings that every Swift target of this package is built with.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "sallyport",
    platforms: [.macOS(.v15)],
    products: [],
    targets: [
        // Floor 0: bytes in, integers out; secrets that are erased.
        .target(name: "WireFormat", swiftSettings: strict),
        .target(name: "Secrets", swiftSettings: strict),
        .testTarget(name: "WireFormatTests", dependencies: ["WireFormat"], swiftSettings: strict),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
