// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses the root package meets it. `run` adds the sanitizers' flags: every
// module needs them, and the package that is fuzzed must not say so of itself.
let targets = [
    "AllowedSites": ["SiteListFuzz", "HostFuzz", "TrieImageFuzz"],
    "NTLM": ["NegotiateFuzz", "ChallengeFuzz", "AuthenticateFuzz", "TargetInfoFuzz"],
    "SPKIPins": ["CertificateFuzz", "PEMFuzz", "PinImageFuzz"],
]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    // SPKIPins checks signatures of updates.
    dependencies: [.package(name: "sallyport", path: "../..", traits: ["Cryptography"])],
    targets: [.target(name: "CFuzzer")]
        + targets.flatMap { product, names in
            names.map { name in
                .executableTarget(
                    name: name,
                    dependencies: ["CFuzzer", .product(name: product, package: "sallyport")]
                )
            }
        },
    swiftLanguageModes: [.v6]
)
