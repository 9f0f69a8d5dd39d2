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
let gates = [forHandler: "NeedsHandler", forClients: "NeedsClients", forStudy: "NeedsStudy", all: "NeedsEverything"]

/// The packages that this one needs, the products that targets import, and the narrowest traits that bring them.
///
/// SwiftPM builds only what a user's products need, but resolves what any product of a package needs. Each dependency
/// therefore hangs on traits; `traits: []` leaves the engines with no other package at all.
let packages = [
    Needed("HdrHistogram/hdrhistogram-swift", "0.2.0", forClients.union(forStudy), "Histogram"),
    Needed("apple/swift-algorithms", "1.2.1", forStudy, "Algorithms"),
    Needed("apple/swift-argument-parser", "1.8.2", all, "ArgumentParser"),
    Needed("apple/swift-asn1", "1.7.4", forClients, "SwiftASN1"),
    Needed("apple/swift-certificates", "1.21.1", forClients, "X509"),
    Needed("apple/swift-crypto", "4.5.2", forHandler, "Crypto CryptoExtras"),
    Needed("apple/swift-http-types", "1.8.0", forHandler, "HTTPTypes", hasItsTraits: false),
    Needed("apple/swift-log", "1.16.2", forClients, "Logging"),
    Needed("apple/swift-metrics", "2.13.0", forClients, "Metrics MetricsTestKit"),
    Needed(
        "apple/swift-nio",
        "2.101.2",
        forClients,
        "NIOConcurrencyHelpers NIOCore NIOEmbedded NIOFoundationCompat NIOHTTP1 NIOPosix NIOTLS"
    ),
    Needed("apple/swift-nio-ssl", "2.37.6", forClients, "NIOSSL"),
    Needed("apple/swift-numerics", "1.1.1", forStudy, "RealModule"),
    Needed("attaswift/BigInt", "6.0.1", forStudy, "BigInt"),
    Needed("jpsim/Yams", "6.2.2", all, "Yams"),
    // No traits: they would bring allocation interposers, whose counts nothing here relies on.
    Needed("ordo-one/benchmark", "1.38.1", [], "Benchmark", hasItsTraits: false),
    Needed("swift-server/async-http-client", "1.37.0", forClients, "AsyncHTTPClient"),
    Needed("swift-server/swift-service-lifecycle", "2.11.0", forClients, "ServiceLifecycle UnixSignals"),
]

/// The wings whose tests have files besides: programs in Python, tables, certificates.
let withHelpers: Set = ["Base", "Engines", "Schemes", "Credentials", "Handling", "Services", "Study", "Tools"]

/// The engines and what their users mostly need besides.
let core = "AllowedSites Hostnames NTLM SPKIPins Secrets WireFormat"

/// The targets whose types stand in the signatures of the product Sallyport.
let facade = """
    AllowedSites Authenticator ChallengeHandling ClientCertificates CredentialSources CredentialStores Credentials HTTPAuthentication Hostnames
    NTLM Negotiate OAuth SPKIPins Secrets TokenProofs
    """

/// What the servers and clients of tests import, and what most tests import besides their wing.
let networking = "Crypto NIOConcurrencyHelpers NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOSSL SwiftASN1 X509"
let forServers = "\(facade) Sallyport SallyportClient SallyportNIO TestSupport WireFormat HTTPTypes \(networking)"
let forTests = "\(forServers) ClientAuthentication LiveServers TestProgram"

// Folders of targets. `.ci/check-floors` says which wing of Sources may import which.
let (base, traits, engines) = (Folder("Sources/Base"), Folder("Sources/Base/Traits"), Folder("Sources/Engines"))
let (schemes, credentials, tests) = (Folder("Sources/Schemes"), Folder("Sources/Credentials"), Folder("Tests"))
let (handling, adapters, tools) = (Folder("Sources/Handling"), Folder("Sources/Adapters"), Folder("Sources/Tools"))
let (services, study) = (Folder("Sources/Services"), Folder("Sources/Study"))
let (benchmarks, programs, peers) = (Folder("Benchmarks"), Folder("Benchmarks/Programs"), Folder("Benchmarks/Peers"))

let package = Package(
    name: "sallyport",
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        // Each product offers its target, the targets of the types in its signatures, and what most of its users need.
        product("AllowedSites", "Hostnames"),
        product("NTLM", "Negotiate Secrets SystemKerberos"),
        product("SPKIPins", "Hostnames PinFormats"),
        product("HTTPAuthentication", "Hostnames NTLM Negotiate OAuth Secrets SystemKerberos"),
        product("ClientAuthentication", "ClientDirectories HTTPAuthentication NTLM Negotiate Secrets SystemKerberos"),
        product("Sallyport", facade + " SmartCards"),
        product("SallyportNIO", "SallyportTelemetry"),
        product("SallyportClient", "SallyportNIO"),
        product("SallyportAsyncHTTPClient", "SallyportClient SallyportNIO"),
        product("SallyportURLSession", "SallyportClient SallyportNIO"),
        product("SallyportRelay", "ServiceSockets"),
        product("SallyportGateway", "ClientAuthentication ClientDirectories HTTPAuthentication ServiceSockets"),
        product("PinAudits", "Hostnames SPKIPins"),
        product("PinningStudy", "Corpora SPKIPins"),
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
    dependencies: packages.map(\.dependency),
    targets: gates.values.sorted().map { traits.library($0) } + [
        // Base: bytes, secrets, digests, perfect hashes, packed names, hosts. `C…` are written in C.
        base.library("WireFormat"),
        base.library("Secrets", "CDigestLanes"),
        base.library("Waiting"),
        base.cLibrary("CDigestLanes"),
        base.cLibrary("CNameLanes"),
        base.cLibrary("CPublicSuffixes"),
        base.library("InsecureDigests", "CDigestLanes Secrets WireFormat"),
        base.library("PerfectHash"),
        base.library("Hostnames", "CNameLanes CPublicSuffixes WireFormat"),
        base.library("InternationalHostnames", "Hostnames"),
        // Engines, which never import each other.
        engines.library("AllowedSites", "CNameLanes Hostnames PerfectHash WireFormat"),
        engines.library("NTLM", "InsecureDigests Secrets WireFormat"),
        engines.library("SPKIPins", "Hostnames PerfectHash Secrets WireFormat"),

        // Schemes, credentials, and the handler above them.
        schemes.library("Negotiate", "NTLM Secrets WireFormat"),
        schemes.library("HTTPAuthentication", "InsecureDigests NTLM Negotiate Secrets WireFormat HTTPTypes"),
        schemes.cLibrary("CGSSAPI"),
        schemes.library("SystemKerberos", "CGSSAPI Secrets Waiting"),
        schemes.library("OAuth", "HTTPAuthentication Hostnames Secrets WireFormat"),
        schemes.library("TokenProofs", "Hostnames OAuth Secrets WireFormat Crypto CryptoExtras"),
        credentials.library("Credentials", "Secrets WireFormat"),
        credentials.cLibrary("CSecretService"),
        credentials.library(
            "CredentialStores",
            "CSecretService Credentials Hostnames Secrets Waiting WireFormat Crypto CryptoExtras"
        ),
        credentials.library("ClientCertificates", "Credentials SPKIPins Secrets WireFormat Crypto CryptoExtras"),
        credentials.cLibrary("CPKCS11"),
        credentials.library(
            "SmartCards",
            "CPKCS11 ClientCertificates Credentials SPKIPins Secrets Waiting WireFormat Crypto CryptoExtras"
        ),
        credentials.cLibrary("CChildProcesses"),
        credentials.library("CredentialSources", "CChildProcesses Credentials Hostnames Secrets Waiting WireFormat"),
        handling.library(
            "ClientAuthentication",
            "HTTPAuthentication Hostnames NTLM Negotiate Secrets SystemKerberos WireFormat Crypto HTTPTypes"
        ),
        handling.library(
            "ClientDirectories",
            "ClientAuthentication CredentialSources Credentials HTTPAuthentication InsecureDigests NTLM Secrets Waiting WireFormat Crypto"
        ),
        handling.library(
            "ChallengeHandling",
            "\(core) Credentials HTTPAuthentication Negotiate OAuth SystemKerberos HTTPTypes"
        ),
        handling.library("RequestFlow", "ChallengeHandling HTTPAuthentication HTTPTypes"),
        handling.library(
            "Authenticator",
            """
            ChallengeHandling ClientCertificates CredentialSources CredentialStores Credentials HTTPAuthentication Hostnames NTLM OAuth
            SPKIPins Secrets TokenProofs Waiting WireFormat Crypto HTTPTypes
            """
        ),
        handling.library("Sallyport", "\(facade) HTTPTypes"),

        // Adapters: the handler on connections of SwiftNIO, our own client, AsyncHTTPClient and URLSession; its events in logs and metrics.
        adapters.library("HTTP1", "HTTPAuthentication WireFormat HTTPTypes NIOCore"),
        adapters.library(
            "SallyportNIO",
            """
            \(facade) ClientAuthentication HTTP1 RequestFlow Sallyport WireFormat Crypto HTTPTypes NIOCore NIOHTTP1 NIOPosix NIOSSL NIOTLS
            SwiftASN1 X509
            """
        ),
        adapters.library(
            "SallyportClient",
            """
            HTTP1 Hostnames OAuth RequestFlow SPKIPins Sallyport SallyportNIO Secrets Waiting HTTPTypes NIOConcurrencyHelpers NIOCore NIOHTTP1
            NIOPosix
            """
        ),
        adapters.library(
            "SallyportAsyncHTTPClient",
            "\(facade) RequestFlow Sallyport SallyportClient SallyportNIO Waiting AsyncHTTPClient HTTPTypes NIOCore NIOHTTP1 NIOPosix NIOSSL"
        ),
        adapters.library(
            "SallyportURLSession",
            "\(facade) Sallyport SallyportClient SallyportNIO Waiting HTTPTypes NIOCore NIOFoundationCompat NIOHTTP1 NIOPosix"
        ),
        adapters.library("SallyportTelemetry", "HTTPAuthentication Hostnames Sallyport Logging Metrics"),

        // Services: programs for other programs' requests.
        services.cLibrary("CJavaScript"),
        services.library("ServiceSockets", "ClientAuthentication HTTP1 Hostnames SallyportNIO WireFormat NIOCore"),
        services.library(
            "SallyportRelay",
            """
            AllowedSites CJavaScript ClientAuthentication CredentialSources Credentials HTTP1 HTTPAuthentication Hostnames NTLM RequestFlow
            Sallyport SallyportNIO Secrets ServiceSockets Waiting WireFormat HTTPTypes Histogram Logging NIOCore NIOPosix NIOSSL NIOTLS
            ServiceLifecycle
            """
        ),

        services.library(
            "SallyportGateway",
            "ClientAuthentication HTTP1 HTTPAuthentication Hostnames SallyportNIO ServiceSockets WireFormat HTTPTypes Logging NIOCore NIOPosix ServiceLifecycle"
        ),

        // Study: recordings and their replay, pins in other tools' forms, audits, strategies of pinning. One Swift file finds Data's.
        .target(
            name: "RecordedData",
            path: "Data",
            exclude: ["Packaging", "Recordings/Recorder", "Sites/PublicSuffixes", "Systemd"],
            resources: ["corporate-day", "lab", "public-sites"].map { .copy("Recordings/\($0)") },
            swiftSettings: strict
        ),
        study.library("Corpora", "RecordedData SPKIPins Secrets WireFormat"),
        study.library("PinFormats", "SPKIPins WireFormat"),
        study.cLibrary("CModularProducts"),
        study.library("PinAudits", "CModularProducts Hostnames SPKIPins WireFormat BigInt Crypto"),
        study.library(
            "ChainSources",
            "Corpora Hostnames SPKIPins WireFormat SwiftASN1 NIOCore NIOPosix NIOSSL NIOTLS X509"
        ),
        study.library("PinningStudy", "Corpora Hostnames SPKIPins Secrets WireFormat Algorithms Histogram RealModule"),
        study.library(
            "ChallengeReplay",
            "\(core) ChallengeHandling Corpora Credentials HTTPAuthentication Histogram HTTPTypes"
        ),

        // Tools: profiles in files, the command line.
        tools.library(
            "ProfileFiles",
            """
            AllowedSites ChallengeHandling CredentialSources Credentials HTTPAuthentication Hostnames OAuth SPKIPins Secrets WireFormat Yams
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
            AllowedSites ChainSources ClientAuthentication ClientCertificates ClientDirectories Corpora CredentialSources CredentialStores Credentials
            HTTPAuthentication Hostnames InternationalHostnames NTLM Negotiate OAuth OfflineVerbs PinAudits PinFormats ProfileFiles SPKIPins
            Sallyport SallyportClient SallyportGateway SallyportNIO SallyportRelay Secrets ServiceSockets SmartCards TokenProofs Waiting WireFormat ArgumentParser HTTPTypes
            Logging NIOCore NIOHTTP1 NIOPosix NIOSSL ServiceLifecycle UnixSignals
            """
        ),

        // Benchmarks: what they share, programs, comparisons with peers, suites.
        benchmarks.library("BenchmarkSupport", "Corpora NTLM TestSupport WireFormat"),
        benchmarks.library("PeerComparison", "Histogram"),
        benchmarks.library(
            "HotOperations",
            """
            \(core) BenchmarkSupport ChallengeHandling ChallengeReplay Corpora Credentials HTTPAuthentication InsecureDigests Negotiate
            PeerComparison ProfileFiles RequestFlow Crypto HTTPTypes Histogram
            """
        ),
        benchmarks.library("LatencyCurves", "HotOperations PeerComparison PinningStudy Sallyport Histogram"),
        benchmarks.cLibrary("CCounters"),
        programs.program("InstructionCounts", "HotOperations PeerComparison ArgumentParser"),
        programs.program(
            "Meter",
            """
            AllowedSites BenchmarkSupport CCounters Corpora CredentialStores Credentials HTTPAuthentication HotOperations Hostnames LatencyCurves
            NTLM PeerComparison PinningStudy Sallyport SallyportAsyncHTTPClient SallyportNIO Secrets WireFormat ArgumentParser AsyncHTTPClient
            Histogram NIOCore NIOHTTP1 NIOPosix
            """
        ),
        peers.program(
            "Peers",
            "\(core) BenchmarkSupport InsecureDigests Negotiate PeerComparison SystemKerberos ArgumentParser Crypto",
            in: "Program"
        ),
        peers.program("PinsSwiftPeers", "PeerComparison SPKIPins SwiftASN1 Crypto NIOSSL X509", in: "Pins/SwiftPeers"),
        benchmarks.suite("PinAuditsBenchmarks", "PinAudits TestSupport BigInt"),
        benchmarks.suite("SallyportBenchmarks", "CCounters HotOperations PeerComparison"),
        benchmarks.suite("TailBenchmarks", "HotOperations"),

        // Tests: a target for each wing, with a folder for each target, and what they share.
        tests.library("TestSupport"),
        tests.library("TestLimits"),
        tests.library("LiveServers", "\(forServers) TestLimits CryptoExtras"),
        tests.library(
            "MatrixClients",
            "\(forServers) LiveServers SallyportAsyncHTTPClient SallyportURLSession AsyncHTTPClient"
        ),
        tests.program(
            "TestProgram",
            "\(forServers) ClientAuthentication ClientDirectories Corpora SallyportAsyncHTTPClient SallyportTelemetry SallyportURLSession SystemKerberos AsyncHTTPClient Logging"
        ),
        tests.tests(
            "BaseTests",
            "\(core) CDigestLanes InsecureDigests InternationalHostnames PerfectHash TestSupport Waiting Crypto"
        ),
        tests.tests("EnginesTests", "\(core) InsecureDigests LiveServers PerfectHash TestSupport"),
        tests.tests("SchemesTests", "\(forTests) SystemKerberos Waiting"),
        tests.tests("CredentialsTests", "\(forTests) SmartCards"),
        tests.tests("HandlingTests", "\(forTests) ClientDirectories Corpora RequestFlow Waiting"),
        tests.tests(
            "AdaptersTests",
            """
            \(forTests) HTTP1 InsecureDigests MatrixClients SallyportAsyncHTTPClient SallyportTelemetry SallyportURLSession AsyncHTTPClient
            Logging Metrics MetricsTestKit
            """
        ),
        tests.tests(
            "ServicesTests",
            "\(forTests) HTTP1 MatrixClients SallyportGateway SallyportRelay ServiceSockets Logging"
        ),
        tests.tests(
            "StudyTests",
            "\(forTests) ChainSources ChallengeReplay Corpora PinAudits PinFormats PinningStudy ProfileFiles BigInt Histogram"
        ),
        tests.tests(
            "ToolsTests",
            "\(forTests) ClientDirectories Corpora OfflineVerbs ProfileFiles SallyportCommand SallyportOffline SallyportRelay"
        ),
        tests.tests("BenchmarksTests", "HotOperations LatencyCurves PeerComparison TestSupport Histogram"),
        tests.tests(
            "RepositoryTests",
            """
            \(forTests) ChallengeReplay ClientDirectories Corpora InsecureDigests InternationalHostnames PinAudits PinFormats PinningStudy ProfileFiles
            SallyportCommand SallyportGateway SallyportRelay SallyportTelemetry SallyportURLSession ServiceSockets Logging
            """
        ),
    ],
    swiftLanguageModes: [.v6]
)

/// A library of the target with this name, and of others.
func product(_ name: String, _ others: String = "") -> Product { .library(name: name, targets: [name] + words(others)) }

/// A package on GitHub, the traits of ours that bring it, and its products that targets import.
struct Needed: Sendable {
    let path: String, version: Version, traits: Set<String>, products: [String]
    /// Whether the package gets its default traits.
    let hasItsTraits: Bool

    init(_ path: String, _ version: Version, _ traits: Set<String>, _ products: String, hasItsTraits: Bool = true) {
        (self.path, self.version, self.traits, self.products) = (path, version, traits, words(products))
        self.hasItsTraits = hasItsTraits
    }

    var name: String { path.split(separator: "/").dropFirst().joined() }

    var dependency: Package.Dependency {
        .package(url: "https://github.com/\(path)", from: version, traits: hasItsTraits ? [.defaults] : [])
    }
}

/// A folder that holds targets, each in a folder of its own name.
///
/// What a target imports is a list of targets of this package and of products of ``packages``.
struct Folder {
    let path: String

    init(_ path: String) { self.path = path }

    func library(_ name: String, _ imports: String = "") -> Target {
        .target(name: name, dependencies: dependencies(imports), path: "\(path)/\(name)", swiftSettings: strict)
    }

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
    func tests(_ name: String, _ imports: String) -> Target {
        let wing = name.replacing("Tests", with: "")
        return .testTarget(
            name: name,
            dependencies: dependencies(imports + " TestLimits"),
            path: "\(path)/\(wing == "Repository" ? name : wing)",
            exclude: withHelpers.contains(wing) ? ["Helpers"] : [],
            swiftSettings: strict
        )
    }

    private func dependencies(_ imports: String) -> [Target.Dependency] {
        var needed: Set<String> = []
        let imported = words(imports).map { name -> Target.Dependency in
            guard let package = packages.first(where: { $0.products.contains(name) }) else {
                return .byName(name: name)
            }
            if let gate = gates[package.traits] { needed.insert(gate) }
            let isEnabled: TargetDependencyCondition? = package.traits.isEmpty ? nil : .when(traits: package.traits)
            return .product(name: name, package: package.name, condition: isEnabled)
        }
        return needed.sorted().map { .byName(name: $0) } + imported
    }
}

/// The words of a list that blanks separate.
func words(_ list: String) -> [String] { list.split(whereSeparator: \.isWhitespace).map(String.init) }
