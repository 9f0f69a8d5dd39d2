// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses the root package meets it. `run` adds the sanitizers' flags: every
// module needs them, and the package that is fuzzed must not say so of itself.
let targets = ["NegotiateFuzz", "ChallengeFuzz", "AuthenticateFuzz", "TargetInfoFuzz"]
let siteTargets = ["SiteListFuzz", "HostFuzz", "TrieImageFuzz"]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sallyport", path: "../..", traits: [])],
    targets: [.target(name: "CFuzzer")]
        + targets.map { name in
            .executableTarget(
                name: name,
                dependencies: ["CFuzzer", .product(name: "NTLM", package: "sallyport")]
            )
        }
        + siteTargets.map { name in
            .executableTarget(
                name: name,
                dependencies: ["CFuzzer", .product(name: "AllowedSites", package: "sallyport")]
            )
        },
    swiftLanguageModes: [.v6]
)
