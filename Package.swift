// swift-tools-version: 6.3

import PackageDescription

/// The settings that every Swift target of this package is built with.
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
let strict: [SwiftSetting] = [.strictMemorySafety()] + features.map { .enableUpcomingFeature($0) }

/// Whether this manifest is that of a package which another one depends on.
///
/// SwiftPM reads it in the root of a repository to learn what the package needs, and in `checkouts` to build it.
let isDependency =
    Context.packageDirectory == "/" || Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"

/// The traits that bring a dependency.
///
/// No trait enables another one, because SwiftPM passes the enabled traits to the compiler in random order: with two of
/// them each build has other arguments than the one before, and compiles everything again.
let all: Set = ["Everything"], forClients = all.union(["Clients"]), forStudy = all.union(["Study"])
let forHandler = forClients.union(forStudy).union(["Handler"])

/// The targets that stop the build with one error where a trait is missing. What imports a product of such traits is built after them.
let gates = [
    forHandler: "NeedsHandler", forClients: "NeedsClients", forStudy: "NeedsStudy", all: "NeedsEverything",
]

/// The products of other packages that targets import, and the narrowest trait that brings each.
///
/// SwiftPM builds only what a user's products need, but resolves what any product of a package needs. Each dependency
/// therefore hangs on traits; `traits: []` leaves the engines with no other package at all.
let products: [String: (package: String, traits: Set<String>)] = [
    "Algorithms": ("swift-algorithms", forStudy),
    "ArgumentParser": ("swift-argument-parser", all),
    "AsyncHTTPClient": ("async-http-client", forClients),
    "Benchmark": ("benchmark", []),
    "BigInt": ("BigInt", forStudy),
    "Crypto": ("swift-crypto", forHandler),
    "CryptoExtras": ("swift-crypto", forHandler),
    "HTTPTypes": ("swift-http-types", forHandler),
    "Histogram": ("hdrhistogram-swift", forClients.union(forStudy)),
    "Logging": ("swift-log", forClients),
    "Metrics": ("swift-metrics", forClients),
    "MetricsTestKit": ("swift-metrics", forClients),
    "NIOConcurrencyHelpers": ("swift-nio", forClients),
    "NIOCore": ("swift-nio", forClients),
    "NIOEmbedded": ("swift-nio", forClients),
    "NIOFoundationCompat": ("swift-nio", forClients),
    "NIOHTTP1": ("swift-nio", forClients),
    "NIOPosix": ("swift-nio", forClients),
    "NIOSSL": ("swift-nio-ssl", forClients),
    "NIOTLS": ("swift-nio", forClients),
    "RealModule": ("swift-numerics", forStudy),
    "ServiceLifecycle": ("swift-service-lifecycle", forClients),
    "SwiftASN1": ("swift-asn1", forClients),
    "UnixSignals": ("swift-service-lifecycle", forClients),
    "X509": ("swift-certificates", forClients),
    "Yams": ("Yams", all),
]

/// What lies beside the sources of test targets: data, and helpers in Python.
let notSwift = [
    "BaseTests": """
    HostnamesTests/Oracles/libpsl_answers.py HostnamesTests/PublicSuffixes/test_psl.txt
    InternationalHostnamesTests/PublishedCases/differences.tsv
    """,
    "CredentialsTests": """
    CredentialSourcesTests/Oracles/netrc_answers.py CredentialSourcesTests/Support/prompt_terminal.py CredentialStoresTests/Fixtures
    CredentialStoresTests/Oracles/sealed_file_oracle.py TokenIdentitiesTests/Support/faulty_module.c
    """,
    "EnginesTests": """
    AllowedSitesTests/Oracles/browser_answers.py AllowedSitesTests/Oracles/no_proxy_answers.py AllowedSitesTests/Oracles/squid_answers.py
    NTLMTests/Oracles/peer_agreement.py NTLMTests/Oracles/pyspnego_client.py NTLMTests/Oracles/pyspnego_initiator.py
    NTLMTests/Oracles/pyspnego_server.py NTLMTests/Oracles/pyspnego_session.py SPKIPinsTests/Oracles/certificate_peers.py
    """,
    "HandlingTests": """
    InteroperationTests/Matrix/acceptor_front.py InteroperationTests/Matrix/negotiate_peer.py InteroperationTests/Matrix/token_peer.py
    InteroperationTests/Server/front.py InteroperationTests/Support/self_signed.py InteroperationTests/Support/tls_pipe.py
    """,
    "SchemesTests": """
    HTTPAuthenticationTests/Oracles/digest_oracle.py HTTPAuthenticationTests/Oracles/requests_answers.py
    SystemKerberosTests/Oracles/gssapi_peer.py
    """,
    "ServicesTests": """
    RequestConformanceTests/Rows/rows.txt SallyportRelayTests/Conformance/requests.tsv SallyportRelayTests/Conformance/response_answers.py
    SallyportRelayTests/Conformance/responses.tsv
    """,
    "StudyTests": """
    ChainSourcesTests/Validation/Limbo ChainSourcesTests/Validation/Unjudged PinningStudyTests/Oracles/study_oracle.py
    """,
    "ToolsTests": """
    SallyportCommandTests/Credentials/guarded_repository.py SallyportCommandTests/Kerberos/negotiate_http.py
    SallyportCommandTests/Relay/chromium_pac.py SallyportCommandTests/Relay/pac_answers.py SallyportCommandTests/Relay/pac_expressions.txt
    SallyportCommandTests/Relay/page_commands.py SallyportCommandTests/Relay/relay_person.py SallyportCommandTests/Relay/relay_question.py
    SallyportCommandTests/Relay/relay_store_answer.py SallyportCommandTests/Relay/relay_terminal.py
    SallyportCommandTests/Relay/terminal_session.py SallyportCommandTests/Support/terminal.py
    """,
]

/// The targets whose types stand in the signatures of the product Sallyport.
let facade = """
    AllowedSites Authenticator ChallengeHandling ClientIdentities CredentialSources CredentialStores Credentials HTTPAuthentication Hostnames NTLM
    Negotiate SPKIPins Secrets TokenProofs Tokens
    """

// Folders of targets. `.ci/check-floors` says which wing of Sources may import which.
let base = Folder(path: "Sources/Base")
let digests = Folder(path: "Sources/Base/Digests")
let traits = Folder(path: "Sources/Base/Traits")
let engines = Folder(path: "Sources/Engines")
let schemes = Folder(path: "Sources/Schemes")
let credentials = Folder(path: "Sources/Credentials")
let handling = Folder(path: "Sources/Handling")
let adapters = Folder(path: "Sources/Adapters")
let services = Folder(path: "Sources/Services")
let study = Folder(path: "Sources/Study")
let tools = Folder(path: "Sources/Tools")
let benchmarks = Folder(path: "Benchmarks")
let programs = Folder(path: "Benchmarks/Programs")
let peers = Folder(path: "Benchmarks/Peers")
let tests = Folder(path: "Tests")

let package = Package(
    name: "sallyport",
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        // A product also offers the targets whose types stand in its public signatures.
        .library(name: "AllowedSites", targets: ["AllowedSites", "Hostnames"]),
        .library(name: "NTLM", targets: ["NTLM"]),
        .library(name: "SPKIPins", targets: ["SPKIPins", "Hostnames"]),
        .library(name: "PinUpdates", targets: ["PinUpdates", "SPKIPins", "Hostnames"]),
        .library(name: "PinFormats", targets: ["PinFormats", "SPKIPins"]),
        .library(name: "PinAudits", targets: ["PinAudits", "SPKIPins", "Hostnames"]),
        .library(name: "PinningStudy", targets: ["PinningStudy", "Corpora", "SPKIPins"]),
        .library(name: "Negotiate", targets: ["Negotiate", "NTLM", "Secrets"]),
        .library(name: "HTTPAuthentication", targets: ["HTTPAuthentication", "NTLM", "Negotiate", "Secrets"]),
        .library(name: "Tokens", targets: ["Tokens", "TokenProofs", "HTTPAuthentication", "Hostnames", "Secrets"]),
        .library(name: "SystemKerberos", targets: ["SystemKerberos", "Secrets"]),
        .library(name: "CredentialStores", targets: ["CredentialStores", "Credentials", "Hostnames", "Secrets"]),
        .library(name: "CredentialSources", targets: ["CredentialSources", "Credentials", "Hostnames", "Secrets"]),
        .library(name: "ClientIdentities", targets: ["ClientIdentities", "Credentials", "SPKIPins", "Secrets"]),
        .library(
            name: "TokenIdentities",
            targets: ["TokenIdentities", "ClientIdentities", "Credentials", "Secrets"]
        ),
        .library(
            name: "ClientAuthentication",
            targets: ["ClientAuthentication", "HTTPAuthentication", "NTLM", "Negotiate", "Secrets", "SystemKerberos"]
        ),
        .library(name: "Sallyport", targets: ["Sallyport"] + words(facade)),
        .library(name: "SallyportNIO", targets: ["SallyportNIO"]),
        .library(name: "SallyportClient", targets: ["SallyportClient", "SallyportNIO"]),
        .library(
            name: "SallyportAsyncHTTPClient",
            targets: ["SallyportAsyncHTTPClient", "SallyportClient", "SallyportNIO"]
        ),
        .library(name: "SallyportURLSession", targets: ["SallyportURLSession", "SallyportClient", "SallyportNIO"]),
        .library(name: "SallyportTelemetry", targets: ["SallyportTelemetry"]),
        .library(name: "SallyportRelay", targets: ["SallyportRelay"]),
        // The target has another name: on a file system that ignores case, "sallyport" and "Sallyport" are one folder.
        .executable(name: "sallyport", targets: ["SallyportCommand"]),
        .executable(name: "sallyport-offline", targets: ["SallyportOffline"]),
    ],
    traits: [
        .default(enabledTraits: [isDependency ? "Handler" : "Everything"]),
        .trait(name: "Everything", description: "All products, the command line, the tests and the benchmarks."),
        .trait(name: "Handler", description: "swift-crypto and swift-http-types: for Sallyport and all below it."),
        .trait(name: "Clients", description: "SwiftNIO, TLS and AsyncHTTPClient besides: the adapters and the relay."),
        .trait(name: "Study", description: "Statistics and large integers besides: PinAudits and PinningStudy."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.1"),
        // No traits: they would bring allocation interposers, whose counts nothing here relies on.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // Base: bytes, secrets, digests, perfect hashes, packed names, hosts. `C…` are written in C.
        base.library("WireFormat"),
        base.library("Secrets"),
        base.library("Threads"),
        base.cLibrary("CDigestLanes"),
        base.cLibrary("CNameLanes"),
        base.cLibrary("CPublicSuffixes"),
        digests.library("InsecureDigests", "CDigestLanes Secrets WireFormat"),
        digests.library("SecureDigests", "CDigestLanes Secrets"),
        base.library("PerfectHash"),
        base.library("Hostnames", "CNameLanes CPublicSuffixes WireFormat"),
        base.library("InternationalHostnames", "Hostnames"),
        traits.library("NeedsHandler"),
        traits.library("NeedsClients"),
        traits.library("NeedsStudy"),
        traits.library("NeedsEverything"),

        // Engines, which never import each other.
        engines.library("AllowedSites", "CNameLanes Hostnames PerfectHash WireFormat"),
        engines.library("NTLM", "InsecureDigests Secrets WireFormat"),
        engines.library("SPKIPins", "Hostnames PerfectHash SecureDigests WireFormat"),

        // Schemes, accounts, signed updates of pins, and the handler above them.
        schemes.library("Negotiate", "NTLM Secrets WireFormat"),
        schemes.library(
            "HTTPAuthentication",
            "InsecureDigests NTLM Negotiate SecureDigests Secrets WireFormat HTTPTypes"
        ),
        schemes.cLibrary("CGSSAPI"),
        schemes.library("SystemKerberos", "CGSSAPI Secrets Threads"),
        schemes.library("Tokens", "HTTPAuthentication Hostnames SecureDigests Secrets WireFormat"),
        schemes.library("TokenProofs", "Hostnames SecureDigests Secrets Tokens WireFormat Crypto"),
        credentials.library("Credentials", "Secrets WireFormat"),
        credentials.library("CredentialStores", "Credentials Hostnames Secrets WireFormat Crypto CryptoExtras"),
        credentials.library("ClientIdentities", "Credentials SPKIPins Secrets WireFormat Crypto CryptoExtras"),
        credentials.cLibrary("CPKCS11"),
        credentials.library(
            "TokenIdentities",
            "ClientIdentities CPKCS11 Credentials SPKIPins Secrets WireFormat Crypto CryptoExtras"
        ),
        credentials.cLibrary("CChildProcesses"),
        credentials.library("CredentialSources", "CChildProcesses Credentials Hostnames Secrets Threads WireFormat"),
        handling.library("PinUpdates", "SPKIPins WireFormat Crypto"),
        handling.library(
            "ClientAuthentication",
            "HTTPAuthentication Hostnames NTLM Negotiate Secrets SystemKerberos WireFormat Crypto HTTPTypes"
        ),
        handling.library(
            "ChallengeHandling",
            """
            AllowedSites Credentials HTTPAuthentication Hostnames NTLM Negotiate SPKIPins Secrets SecureDigests SystemKerberos
            WireFormat HTTPTypes
            """
        ),
        handling.library("RequestFlow", "ChallengeHandling HTTPAuthentication HTTPTypes"),
        handling.library(
            "Authenticator",
            """
            ChallengeHandling ClientIdentities CredentialSources CredentialStores Credentials HTTPAuthentication Hostnames NTLM SPKIPins
            Secrets TokenProofs Tokens WireFormat HTTPTypes
            """
        ),
        handling.library("Sallyport", facade + " HTTPTypes"),

        // Adapters: the handler on connections of SwiftNIO, on our own client, on AsyncHTTPClient, and on URLSession; its events in logs and metrics.
        adapters.library("HTTP1", "HTTPTypes NIOCore"),
        adapters.library(
            "SallyportNIO",
            facade + """
                 ClientAuthentication HTTP1 RequestFlow Sallyport WireFormat Crypto HTTPTypes NIOCore NIOHTTP1 NIOPosix NIOSSL NIOTLS
                SwiftASN1 X509
                """
        ),
        adapters.library(
            "SallyportClient",
            """
            HTTP1 Hostnames RequestFlow Sallyport SallyportNIO Secrets Tokens HTTPTypes NIOConcurrencyHelpers NIOCore NIOHTTP1
            NIOPosix
            """
        ),
        adapters.library(
            "SallyportAsyncHTTPClient",
            facade + """
                 RequestFlow Sallyport SallyportClient SallyportNIO AsyncHTTPClient HTTPTypes NIOCore NIOHTTP1 NIOPosix NIOSSL
                """
        ),
        adapters.library(
            "SallyportURLSession",
            facade + " Sallyport SallyportClient SallyportNIO HTTPTypes NIOCore NIOFoundationCompat NIOHTTP1 NIOPosix"
        ),
        adapters.library("SallyportTelemetry", "HTTPAuthentication Hostnames Sallyport Logging Metrics"),

        // Services: programs for other programs' requests.
        services.cLibrary("CJavaScript"),
        services.library(
            "SallyportRelay",
            """
            AllowedSites CJavaScript ClientAuthentication CredentialSources Credentials HTTP1 HTTPAuthentication Hostnames NTLM
            RequestFlow Sallyport SallyportNIO Secrets WireFormat HTTPTypes Histogram Logging NIOCore NIOPosix NIOSSL NIOTLS ServiceLifecycle
            """
        ),

        // Study: recordings and their replay, pins in other tools' forms, audits, strategies of pinning. Data holds files, and
        // the one Swift file that finds them; the program Laboratory makes the recording "lab", and no product needs it.
        .target(
            name: "RecordedData",
            path: "Data",
            exclude: ["Packaging", "Recordings/Recorder", "Sites/PublicSuffixes", "Systemd"],
            resources: ["corporate-day", "lab", "public-sites"].map { .copy("Recordings/\($0)") },
            swiftSettings: strict
        ),
        study.library("Charts", "RealModule"),
        study.library("Corpora", "RecordedData SPKIPins SecureDigests WireFormat"),
        study.library("PinFormats", "SPKIPins WireFormat"),
        study.cLibrary("CModularProducts"),
        study.library("PinAudits", "CModularProducts Hostnames SPKIPins WireFormat BigInt Crypto"),
        study.library(
            "ChainSources",
            "Corpora Hostnames SPKIPins WireFormat SwiftASN1 NIOCore NIOPosix NIOSSL NIOTLS X509"
        ),
        study.library(
            "PinningStudy",
            "Charts Corpora Hostnames SPKIPins SecureDigests WireFormat Algorithms Histogram RealModule"
        ),
        study.library(
            "ChallengeReplay",
            """
            AllowedSites ChallengeHandling Corpora Credentials HTTPAuthentication Hostnames NTLM SPKIPins Secrets WireFormat
            Histogram HTTPTypes
            """
        ),
        study.program("Laboratory", "Corpora SPKIPins SwiftASN1 Crypto X509"),

        // Tools: profiles in files, the command line.
        tools.library(
            "ProfileFiles",
            """
            AllowedSites ChallengeHandling CredentialSources Credentials HTTPAuthentication Hostnames SPKIPins Secrets Tokens
            WireFormat Yams
            """
        ),
        tools.library(
            "OfflineVerbs",
            """
            AllowedSites ChallengeHandling ChallengeReplay Corpora Hostnames InsecureDigests InternationalHostnames NTLM Negotiate
            PinFormats PinningStudy ProfileFiles SPKIPins Secrets WireFormat ArgumentParser Histogram
            """
        ),
        tools.program("SallyportOffline", "OfflineVerbs ArgumentParser"),
        tools.program(
            "SallyportCommand",
            """
            AllowedSites ChainSources ClientAuthentication ClientIdentities Corpora CredentialSources CredentialStores
            Credentials HTTPAuthentication Hostnames InternationalHostnames NTLM Negotiate OfflineVerbs PinAudits PinFormats
            ProfileFiles SPKIPins Sallyport SallyportClient SallyportNIO SallyportRelay Secrets Tokens WireFormat
            ArgumentParser HTTPTypes Logging NIOCore NIOHTTP1 NIOPosix NIOSSL ServiceLifecycle UnixSignals
            """
        ),

        // Benchmarks: what they share, programs, comparisons with peers, suites.
        benchmarks.library("BenchmarkSupport", "Corpora NTLM TestSupport WireFormat"),
        benchmarks.library("PeerComparison", "Histogram"),
        benchmarks.library(
            "HotOperations",
            """
            AllowedSites BenchmarkSupport ChallengeHandling Corpora HTTPAuthentication Hostnames InsecureDigests Credentials NTLM
            Negotiate PeerComparison ProfileFiles SPKIPins Secrets SecureDigests WireFormat Crypto HTTPTypes
            """
        ),
        benchmarks.library("LatencyCurves", "Charts HotOperations PeerComparison Sallyport Histogram"),
        benchmarks.cLibrary("CCounters"),
        programs.program("InstructionCounts", "HotOperations PeerComparison ArgumentParser"),
        programs.program(
            "AdapterMeter",
            """
            AllowedSites CCounters Credentials HTTPAuthentication Hostnames NTLM PeerComparison Sallyport
            SallyportAsyncHTTPClient SallyportNIO Secrets WireFormat ArgumentParser AsyncHTTPClient NIOCore
            NIOHTTP1 NIOPosix
            """
        ),
        programs.program("StoreMeter", "CredentialStores Hostnames PeerComparison Secrets ArgumentParser"),
        programs.program("StudyMeter", "BenchmarkSupport Corpora PeerComparison PinningStudy ArgumentParser"),
        programs.program("LatencyReport", "HotOperations LatencyCurves PeerComparison ArgumentParser Histogram"),
        peers.program(
            "Peers",
            """
            AllowedSites BenchmarkSupport Hostnames InsecureDigests NTLM Negotiate PeerComparison SPKIPins SystemKerberos
            WireFormat ArgumentParser Crypto
            """,
            in: "Program"
        ),
        peers.program("PinsSwiftPeers", "PeerComparison SPKIPins SwiftASN1 Crypto NIOSSL X509", in: "Pins/SwiftPeers"),
        benchmarks.suite("PinAuditsBenchmarks", "PinAudits TestSupport BigInt"),
        benchmarks.suite("SallyportBenchmarks", "CCounters HotOperations PeerComparison"),

        // Tests: a target for each wing, with a folder for each target, and what they share. `notSwift` names their other files.
        tests.library("TestSupport"),
        tests.library("TestLimits"),
        tests.library(
            "LiveServers",
            """
            AllowedSites ChallengeHandling Credentials HTTPAuthentication Hostnames SPKIPins Sallyport SallyportClient SallyportNIO Secrets
            TestLimits TestSupport WireFormat Crypto CryptoExtras NIOConcurrencyHelpers NIOCore NIOPosix NIOSSL SwiftASN1 X509
            """
        ),
        tests.library(
            "MatrixClients",
            """
            AllowedSites ClientIdentities Credentials HTTPAuthentication Hostnames LiveServers SPKIPins Sallyport SallyportAsyncHTTPClient
            SallyportClient SallyportNIO SallyportURLSession Secrets AsyncHTTPClient NIOCore NIOHTTP1 NIOSSL
            """
        ),
        tests.program(
            "TestProgram",
            facade + """
                 ClientAuthentication Sallyport SallyportAsyncHTTPClient SallyportClient SallyportNIO SallyportTelemetry SallyportURLSession
                SystemKerberos WireFormat AsyncHTTPClient Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
                """
        ),
        tests.tests(
            "BaseTests",
            """
            AllowedSites CDigestLanes Hostnames InsecureDigests InternationalHostnames PerfectHash Secrets SecureDigests TestSupport Threads
            WireFormat Crypto
            """
        ),
        tests.tests(
            "EnginesTests",
            """
            AllowedSites Hostnames InsecureDigests LiveServers NTLM PerfectHash SPKIPins Secrets TestSupport WireFormat
            """,
            resources: "SPKIPinsTests/Fixtures"
        ),
        tests.tests(
            "SchemesTests",
            """
            HTTPAuthentication Hostnames LiveServers NTLM Negotiate Secrets SystemKerberos TestProgram TestSupport TokenProofs Tokens
            WireFormat Crypto HTTPTypes
            """
        ),
        tests.tests(
            "CredentialsTests",
            """
            ClientIdentities CredentialSources CredentialStores Credentials Hostnames LiveServers SPKIPins Sallyport SallyportClient
            SallyportNIO Secrets TestProgram TestSupport TokenIdentities WireFormat Crypto NIOCore SwiftASN1 X509
            """
        ),
        tests.tests(
            "HandlingTests",
            facade + """
                 ClientAuthentication Corpora LiveServers PinUpdates RequestFlow Sallyport TestSupport WireFormat Crypto HTTPTypes X509
                """
        ),
        tests.tests(
            "AdaptersTests",
            facade + """
                 ClientAuthentication HTTP1 InsecureDigests LiveServers MatrixClients Sallyport SallyportAsyncHTTPClient SallyportClient
                SallyportNIO SallyportTelemetry SallyportURLSession TestProgram TestSupport WireFormat AsyncHTTPClient Crypto HTTPTypes Logging
                Metrics MetricsTestKit NIOConcurrencyHelpers NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOSSL SwiftASN1 X509
                """
        ),
        tests.tests(
            "ServicesTests",
            """
            AllowedSites ClientAuthentication CredentialSources CredentialStores Credentials HTTP1 HTTPAuthentication Hostnames LiveServers
            MatrixClients NTLM SPKIPins Sallyport SallyportClient SallyportNIO SallyportRelay Secrets TestSupport WireFormat Crypto
            NIOConcurrencyHelpers NIOCore NIOEmbedded NIOHTTP1 NIOPosix SwiftASN1 X509
            """
        ),
        tests.tests(
            "StudyTests",
            facade + """
                 ChainSources ChallengeReplay Charts Corpora Laboratory LiveServers PinAudits PinFormats PinningStudy
                ProfileFiles Sallyport SallyportClient TestSupport WireFormat BigInt Crypto HTTPTypes Histogram NIOCore NIOHTTP1 SwiftASN1 X509
                """,
            resources: "PinAuditsTests/Fixtures"
        ),
        tests.tests(
            "ToolsTests",
            """
            AllowedSites Corpora CredentialStores Credentials HTTPAuthentication Hostnames LiveServers OfflineVerbs ProfileFiles SPKIPins
            Sallyport SallyportCommand SallyportOffline SallyportRelay Secrets TestProgram TestSupport Tokens WireFormat Crypto HTTPTypes
            SwiftASN1 X509
            """
        ),
        tests.tests("BenchmarksTests", "HotOperations LatencyCurves PeerComparison TestSupport Histogram"),
        tests.tests(
            "RepositoryTests",
            facade + """
                 ChallengeReplay ClientAuthentication Corpora InsecureDigests InternationalHostnames LiveServers PinAudits PinFormats PinUpdates
                PinningStudy ProfileFiles Sallyport SallyportClient SallyportCommand SallyportNIO SallyportRelay
                SallyportTelemetry SallyportURLSession TestProgram TestSupport Crypto HTTPTypes Logging NIOCore NIOHTTP1 NIOPosix SwiftASN1 X509
                """
        ),
    ],
    swiftLanguageModes: [.v6]
)

/// A folder that holds targets, each in a folder of its own name.
///
/// What a target imports is a list of targets of this package and of ``products``.
struct Folder {
    var path: String

    /// A library in Swift.
    func library(_ name: String, _ imports: String = "") -> Target {
        .target(name: name, dependencies: dependencies(imports), path: "\(path)/\(name)", swiftSettings: strict)
    }

    /// A library in C.
    func cLibrary(_ name: String) -> Target { .target(name: name, path: "\(path)/\(name)") }

    /// A program in Swift, in `folder` if that has another name.
    func program(_ name: String, _ imports: String, in folder: String? = nil) -> Target {
        let path = "\(path)/\(folder ?? name)"
        return .executableTarget(name: name, dependencies: dependencies(imports), path: path, swiftSettings: strict)
    }

    /// A suite of `swift package benchmark`, whose command takes a program only if its parent folder is called Benchmarks.
    ///
    /// Without the package's build plugin, whose tools every build of any product would compile first.
    func suite(_ name: String, _ imports: String) -> Target { program(name, imports + " Benchmark") }

    /// The tests of a wing. Any of them may wait, and then has the limit of TestLimits.
    func tests(_ name: String, _ imports: String, resources: String = "") -> Target {
        .testTarget(
            name: name,
            dependencies: dependencies(imports + " TestLimits"),
            path: "\(path)/\(name == "RepositoryTests" ? name : name.replacing("Tests", with: ""))",
            exclude: words(notSwift[name] ?? ""),
            resources: words(resources).map { .copy($0) },
            swiftSettings: strict
        )
    }

    private func dependencies(_ imports: String) -> [Target.Dependency] {
        let imported = words(imports)
        let needed = Set(imported.compactMap { products[$0].flatMap { gates[$0.traits] } })
        return needed.sorted().map { .byName(name: $0) }
            + imported.map { name in
                guard let (package, traits) = products[name] else { return .byName(name: name) }
                return .product(name: name, package: package, condition: traits.isEmpty ? nil : .when(traits: traits))
            }
    }
}

/// The words of a list that blanks separate.
func words(_ list: String) -> [String] { list.split(whereSeparator: \.isWhitespace).map(String.init) }
