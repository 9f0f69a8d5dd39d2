// swift-tools-version: 6.2

import PackageDescription

/// The settings that every Swift target of this package is built with.
///
/// `SALLYPORT_WARNINGS_AS_ERRORS` is set by continuous integration: for those who embed the library, a new compiler's
/// new warning must not be a broken build. (`-Xswiftc -warnings-as-errors` would reach the dependencies as well.)
let isStrict = Context.environment["SALLYPORT_WARNINGS_AS_ERRORS"] != nil
let strict: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])
let strictC: [CSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

// SwiftPM builds only what a user's products need, but resolves what any product of a package needs. Each group of
// dependencies therefore hangs on a trait: all are on by default, and `traits: []` leaves AllowedSites and NTLM with
// no other package at all.
let crypto = Target.Dependency.product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(traits: ["Cryptography"])
)
let httpTypes = Target.Dependency.product(
    name: "HTTPTypes",
    package: "swift-http-types",
    condition: .when(traits: ["HTTP"])
)
let histogram = Target.Dependency.product(
    name: "Histogram",
    package: "hdrhistogram-swift",
    condition: .when(traits: ["CommandLine", "Study"])
)
let numerics = Target.Dependency.product(
    name: "RealModule",
    package: "swift-numerics",
    condition: .when(traits: ["Study"])
)
let algorithms = Target.Dependency.product(
    name: "Algorithms",
    package: "swift-algorithms",
    condition: .when(traits: ["Study"])
)
let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: .when(traits: ["CommandLine"]))
let bigInt = Target.Dependency.product(name: "BigInt", package: "BigInt", condition: .when(traits: ["Audit"]))
let x509 = Target.Dependency.product(
    name: "X509",
    package: "swift-certificates",
    condition: .when(traits: ["Certificates"])
)
let asn1 = Target.Dependency.product(
    name: "SwiftASN1",
    package: "swift-asn1",
    condition: .when(traits: ["Certificates"])
)
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: .when(traits: ["CommandLine"])
)
let nioCore = Target.Dependency.product(
    name: "NIOCore",
    package: "swift-nio",
    condition: .when(traits: ["Recording"])
)
let nioPosix = Target.Dependency.product(
    name: "NIOPosix",
    package: "swift-nio",
    condition: .when(traits: ["Recording"])
)
let nioTLS = Target.Dependency.product(
    name: "NIOTLS",
    package: "swift-nio",
    condition: .when(traits: ["Recording"])
)
let nioSSL = Target.Dependency.product(
    name: "NIOSSL",
    package: "swift-nio-ssl",
    condition: .when(traits: ["Recording"])
)
let benchmark = Target.Dependency.product(name: "Benchmark", package: "benchmark")

let package = Package(
    name: "sallyport",
    platforms: [.macOS(.v15)],
    products: [
        // A product also offers the targets whose types stand in its public signatures.
        .library(name: "AllowedSites", targets: ["AllowedSites", "Hostnames"]),
        .library(name: "NTLM", targets: ["NTLM"]),
        .library(name: "SPKIPins", targets: ["SPKIPins", "Hostnames"]),
        .library(name: "PinFormats", targets: ["PinFormats", "SPKIPins"]),
        .library(name: "PinAudits", targets: ["PinAudits", "SPKIPins", "Hostnames"]),
        .library(name: "PinningStudy", targets: ["PinningStudy", "Corpora", "SPKIPins"]),
        .library(name: "PinVerification", targets: ["PinVerification", "SPKIPins", "Hostnames"]),
        .library(name: "HTTPAuthentication", targets: ["HTTPAuthentication", "NTLM", "Secrets"]),
        .library(
            name: "Sallyport",
            targets: [
                "Sallyport", "AllowedSites", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "SPKIPins",
                "Secrets",
            ]
        ),
        // The target has another name: on a file system that ignores case, "sallyport" and "Sallyport" are one folder.
        .executable(name: "sallyport", targets: ["SallyportCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["Audit", "Certificates", "CommandLine", "Cryptography", "HTTP", "Recording", "Study"]),
        .trait(name: "Audit", description: "Large integers: needed by the audit of keys, and so by the command line."),
        .trait(
            name: "Certificates",
            description: "swift-certificates: needed by PinVerification.",
            enabledTraits: ["Cryptography"]
        ),
        .trait(
            name: "CommandLine",
            description: "The command line, profiles in files and replays of recordings.",
            enabledTraits: ["Recording", "Study"]
        ),
        .trait(name: "Cryptography", description: "SHA-2: needed by SPKIPins and everything above it."),
        .trait(name: "HTTP", description: "HTTP field types: needed by HTTPAuthentication and everything above it."),
        .trait(
            name: "Recording",
            description: "TLS: needed to record chains from servers and to import them.",
            enabledTraits: ["Certificates", "Cryptography"]
        ),
        .trait(
            name: "Study",
            description: "Statistics and histograms: needed by PinningStudy.",
            enabledTraits: ["Cryptography"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.1"),
        // No traits: they would bring allocation interposers, whose counts nothing here relies on.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // Floor 0: bytes in, integers out; compression functions; packed names; products modulo a number; secrets that are
        // erased.
        .target(name: "WireFormat", swiftSettings: strict),
        .target(name: "Secrets", swiftSettings: strict),
        .target(name: "CDigestLanes", cSettings: strictC),
        .target(name: "CNameLanes", cSettings: strictC),
        .target(name: "CModularProducts", cSettings: strictC),

        // Floor 1: what a host is; the broken digests that NTLM demands, and a sound one.
        .target(name: "Hostnames", dependencies: ["CNameLanes", "WireFormat"], swiftSettings: strict),
        .target(
            name: "InsecureDigests",
            dependencies: ["CDigestLanes", "Secrets", "WireFormat"],
            swiftSettings: strict
        ),

        .target(name: "SecureDigests", dependencies: ["CDigestLanes"], swiftSettings: strict),

        // Floor 2: the engines, which never import each other.
        .target(name: "AllowedSites", dependencies: ["CNameLanes", "Hostnames", "WireFormat"], swiftSettings: strict),
        .target(name: "NTLM", dependencies: ["InsecureDigests", "Secrets", "WireFormat"], swiftSettings: strict),
        .target(
            name: "SPKIPins",
            dependencies: ["Hostnames", "SecureDigests", "WireFormat", crypto],
            swiftSettings: strict
        ),

        // Floor 3: schemes as state machines; accounts and identities; names outside ASCII; recordings; charts.
        .target(
            name: "HTTPAuthentication",
            dependencies: ["NTLM", "Secrets", "WireFormat", crypto, httpTypes],
            swiftSettings: strict
        ),
        .target(name: "Credentials", dependencies: ["Secrets", "WireFormat"], swiftSettings: strict),
        .target(name: "InternationalHostnames", dependencies: ["Hostnames"], swiftSettings: strict),

        .target(
            name: "Corpora",
            dependencies: ["SPKIPins", "SecureDigests", "WireFormat", crypto],
            path: "Data",
            exclude: ["Recordings/Laboratory", "Recordings/Recorder", "Sites/PublicSuffixes"],
            resources: [
                .copy("Recordings/corporate-day"), .copy("Recordings/lab"), .copy("Recordings/public-sites"),
            ],
            swiftSettings: strict
        ),

        .target(name: "Charts", dependencies: [numerics], swiftSettings: strict),
        .target(name: "PinFormats", dependencies: ["SPKIPins", "WireFormat"], swiftSettings: strict),
        .target(name: "PinVerification", dependencies: ["Hostnames", "SPKIPins", asn1, x509], swiftSettings: strict),
        .target(
            name: "PinAudits",
            dependencies: ["CModularProducts", "Hostnames", "SPKIPins", bigInt, crypto],
            swiftSettings: strict
        ),

        // Floor 4: the facade; strategies of pinning, compared on recordings of chains.
        .target(
            name: "Sallyport",
            dependencies: [
                "AllowedSites", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "SPKIPins", "Secrets", crypto,
                httpTypes,
            ],
            swiftSettings: strict
        ),

        .target(
            name: "ChainSources",
            dependencies: ["Corpora", "SPKIPins", asn1, nioCore, nioPosix, nioSSL, nioTLS, x509],
            swiftSettings: strict
        ),
        .target(
            name: "PinningStudy",
            dependencies: ["Charts", "Corpora", "Hostnames", "SPKIPins", algorithms, histogram, numerics],
            swiftSettings: strict
        ),

        // Makes the recording "lab"; no product needs it.
        .executableTarget(
            name: "Laboratory",
            dependencies: ["Corpora", "SPKIPins", asn1, crypto, x509],
            path: "Data/Recordings/Laboratory",
            swiftSettings: strict
        ),

        // Floor 5: what feeds the facade: replays of recordings, profiles in files.
        .target(
            name: "ChallengeReplay",
            dependencies: [
                "Corpora", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "SPKIPins", "Sallyport",
                "WireFormat",
                histogram, httpTypes,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ProfileFiles",
            dependencies: [
                "AllowedSites", "Credentials", "HTTPAuthentication", "SPKIPins", "Sallyport",
                yams,
            ],
            swiftSettings: strict
        ),

        // Floor 6: the command line.
        .executableTarget(
            name: "SallyportCommand",
            dependencies: [
                "AllowedSites", "ChainSources", "ChallengeReplay", "Corpora", "Hostnames", "InsecureDigests",
                "InternationalHostnames", "NTLM", "PinAudits", "PinFormats", "PinningStudy", "ProfileFiles", "SPKIPins",
                "Sallyport", "Secrets",
                "WireFormat",
                histogram, argumentParser,
            ],
            swiftSettings: strict
        ),

        // Benchmarks, on top of everything.
        .target(
            name: "BenchmarkSupport",
            dependencies: ["Corpora", "NTLM", "TestSupport", "WireFormat"],
            path: "Benchmarks/BenchmarkSupport",
            swiftSettings: strict
        ),
        .target(
            name: "PeerComparison",
            dependencies: [histogram],
            path: "Benchmarks/PeerComparison",
            swiftSettings: strict
        ),
        .target(
            name: "HotOperations",
            dependencies: [
                "AllowedSites", "BenchmarkSupport", "Corpora", "HTTPAuthentication", "Hostnames", "InsecureDigests",
                "Credentials", "NTLM", "PeerComparison", "ProfileFiles", "SPKIPins", "Sallyport", "WireFormat", crypto,
                httpTypes,
            ],
            path: "Benchmarks/HotOperations",
            swiftSettings: strict
        ),
        .target(
            name: "LatencyCurves",
            dependencies: ["Charts", "HotOperations", "PeerComparison", "Sallyport", histogram],
            path: "Benchmarks/LatencyCurves",
            swiftSettings: strict
        ),
        .target(
            name: "RegressionGate",
            dependencies: ["PeerComparison"],
            path: "Benchmarks/RegressionGate",
            swiftSettings: strict
        ),
        // A suite is an executable right under Benchmarks; other programs stand deeper.
        .executableTarget(
            name: "BenchmarkMeter",
            dependencies: ["HotOperations", "PeerComparison", "RegressionGate", argumentParser],
            path: "Benchmarks/Programs/BenchmarkMeter",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StudyMeter",
            dependencies: ["BenchmarkSupport", "Corpora", "PeerComparison", "PinningStudy", argumentParser],
            path: "Benchmarks/Programs/StudyMeter",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "LatencyReport",
            dependencies: ["HotOperations", "LatencyCurves", "PeerComparison", argumentParser, histogram],
            path: "Benchmarks/Programs/LatencyReport",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "PeerTables",
            dependencies: ["PeerComparison", argumentParser],
            path: "Benchmarks/Programs/PeerTables",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "NTLMComparison",
            dependencies: [
                "BenchmarkSupport", "InsecureDigests", "NTLM", "PeerComparison", "WireFormat", argumentParser,
            ],
            path: "Benchmarks/Peers/NTLM/Sallyport",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "PinsPeers",
            dependencies: ["Hostnames", "PeerComparison", "SPKIPins", crypto],
            path: "Benchmarks/Peers/Pins/Sallyport",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "PinsSwiftPeers",
            dependencies: ["PeerComparison", "SPKIPins", asn1, crypto, nioSSL, x509],
            path: "Benchmarks/Peers/Pins/SwiftPeers",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SitesMeter",
            dependencies: ["AllowedSites", "BenchmarkSupport", "Hostnames", "WireFormat"],
            path: "Benchmarks/Peers/Sites/Sallyport",
            swiftSettings: strict
        ),
        .target(
            name: "BenchmarkSuites",
            dependencies: ["HotOperations", "PeerComparison", benchmark],
            path: "Benchmarks/BenchmarkSuites",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "AllowedSitesBenchmarks",
            dependencies: ["BenchmarkSuites", "HotOperations", benchmark],
            path: "Benchmarks/AllowedSitesBenchmarks",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "NTLMBenchmarks",
            dependencies: ["BenchmarkSuites", "HotOperations", benchmark],
            path: "Benchmarks/NTLMBenchmarks",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "SPKIPinsBenchmarks",
            dependencies: ["BenchmarkSuites", "HotOperations", benchmark],
            path: "Benchmarks/SPKIPinsBenchmarks",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "PinAuditsBenchmarks",
            dependencies: ["PinAudits", "TestSupport", benchmark, bigInt],
            path: "Benchmarks/PinAuditsBenchmarks",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "SallyportBenchmarks",
            dependencies: ["BenchmarkSuites", "HotOperations", benchmark],
            path: "Benchmarks/SallyportBenchmarks",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),

        // Tests: one target each, in the same order, and what they share.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "WireFormatTests", dependencies: ["WireFormat"], swiftSettings: strict),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets"], swiftSettings: strict),
        .testTarget(name: "CDigestLanesTests", dependencies: ["TestSupport", "CDigestLanes"], swiftSettings: strict),
        .testTarget(
            name: "HostnamesTests",
            dependencies: ["TestSupport", "Hostnames"],
            exclude: ["Oracles/libpsl_answers.py", "PublicSuffixes/test_psl.txt"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SecureDigestsTests",
            dependencies: ["TestSupport", "SecureDigests", "WireFormat", crypto],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InternationalHostnamesTests",
            dependencies: ["AllowedSites", "Hostnames", "InternationalHostnames"],
            exclude: ["PublishedCases/differences.tsv"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InsecureDigestsTests",
            dependencies: ["TestSupport", "InsecureDigests", "WireFormat"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AllowedSitesTests",
            dependencies: ["TestSupport", "AllowedSites", "Hostnames"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NTLMTests",
            dependencies: ["TestSupport", "InsecureDigests", "NTLM", "Secrets", "WireFormat"],
            exclude: [
                "Oracles/pyspnego_client.py", "Oracles/pyspnego_server.py", "Oracles/pyspnego_session.py",
                "Oracles/pyspnego_initiator.py", "Oracles/peer_agreement.py",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SPKIPinsTests",
            dependencies: ["TestSupport", "Hostnames", "SPKIPins", "WireFormat", crypto],
            exclude: ["Oracles/certificate_peers.py"],
            resources: [.copy("Fixtures")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HTTPAuthenticationTests",
            dependencies: ["TestSupport", "HTTPAuthentication", "NTLM", "Secrets", "WireFormat", httpTypes],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InteroperationTests",
            dependencies: [
                "AllowedSites", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "Sallyport", "Secrets",
                "WireFormat", crypto, httpTypes,
            ],
            exclude: [
                "Matrix/acceptor_front.py", "Matrix/token_peer.py", "Server/front.py", "Support/self_signed.py",
                "Support/tls_pipe.py",
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "CredentialsTests", dependencies: ["Credentials", "Secrets"], swiftSettings: strict),
        .testTarget(name: "ChartsTests", dependencies: ["Charts"], swiftSettings: strict),
        .testTarget(name: "PinFormatsTests", dependencies: ["PinFormats", "SPKIPins"], swiftSettings: strict),
        .testTarget(
            name: "PinAuditsTests",
            dependencies: ["TestSupport", "Hostnames", "PinAudits", "SPKIPins", "WireFormat", bigInt],
            resources: [.copy("Fixtures")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PinVerificationTests",
            dependencies: ["Hostnames", "PinVerification", "SPKIPins", asn1, crypto, x509],
            swiftSettings: strict
        ),
        .testTarget(name: "PeerComparisonTests", dependencies: ["PeerComparison", histogram], swiftSettings: strict),
        .testTarget(
            name: "LatencyCurvesTests",
            dependencies: ["TestSupport", "LatencyCurves", "PeerComparison", histogram],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RegressionGateTests",
            dependencies: ["HotOperations", "PeerComparison", "RegressionGate"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LaboratoryTests",
            dependencies: ["Corpora", "Laboratory", "SPKIPins"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChainSourcesTests",
            dependencies: ["ChainSources", "Corpora", "SPKIPins", "WireFormat", crypto],
            swiftSettings: strict
        ),
        .testTarget(name: "CorporaTests", dependencies: ["TestSupport", "Corpora", "SPKIPins"], swiftSettings: strict),
        .testTarget(
            name: "SallyportTests",
            dependencies: [
                "Corpora", "AllowedSites", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "SPKIPins",
                "Sallyport",
                "Secrets", httpTypes,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PinningStudyTests",
            dependencies: ["TestSupport", "Corpora", "PinningStudy", "SPKIPins", histogram],
            exclude: ["Oracles/study_oracle.py"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChallengeReplayTests",
            dependencies: [
                "AllowedSites", "ChallengeReplay", "Corpora", "Credentials", "ProfileFiles", "Sallyport", "Secrets",
                histogram,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProfileFilesTests",
            dependencies: [
                "Corpora", "Credentials", "HTTPAuthentication", "ProfileFiles", "SPKIPins", "Sallyport", "Secrets",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "AllowedSites", "Credentials", "HTTPAuthentication", "Hostnames", "NTLM", "SPKIPins", "Sallyport",
                "Secrets", httpTypes,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SallyportCommandTests",
            dependencies: ["SallyportCommand", "TestSupport", "WireFormat"],
            exclude: ["Support/terminal.py"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
