// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that nobody who uses the root package meets it. `run` adds the sanitizers' flags: every
// module needs them, and the package that is fuzzed must not say so of itself.
let targets = [
    "AllowedSites": ["SiteListFuzz", "HostFuzz", "TrieImageFuzz"],
    "Sallyport": ["PKCS12Fuzz", "PKCS12ContentsFuzz", "PEMIdentityFuzz", "StoreFileFuzz"],
    "NTLM": ["NegotiateFuzz", "ChallengeFuzz", "AuthenticateFuzz", "TargetInfoFuzz", "SPNEGOFuzz"],
    "SPKIPins": ["CertificateFuzz", "PEMFuzz", "PinImageFuzz", "PinFormatFuzz"],
]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v26)],
    // Updates of pins are signed.
    dependencies: [
        .package(name: "sallyport", path: "../..", traits: ["Handler"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "CFuzzer"),
        // It signs what it has damaged, or nothing would be read.
        .executableTarget(
            name: "PinUpdateFuzz",
            dependencies: [
                "CFuzzer", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Sallyport", package: "sallyport"),
            ]
        ),
    ]
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
