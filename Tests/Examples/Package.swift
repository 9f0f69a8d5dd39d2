// swift-tools-version: 6.3

import PackageDescription

// Programs of at most 80 lines that show one use each. `run` builds them and drives each against a real server or client.
//
// Your own package has the URL and the version of Sallyport in place of the path, and `traits:` with what it needs (README).
let sallyport: Package.Dependency = .package(name: "sallyport", path: "../..")

let package = Package(
    name: "examples",
    platforms: [.macOS(.v26)],
    dependencies: [
        sallyport,
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        example("nio-client", "Sallyport SallyportNIO", "NIOCore NIOHTTP1 NIOPosix"),
        example("async-http-client", "Sallyport SallyportAsyncHTTPClient", "NIOCore", "AsyncHTTPClient"),
        example("url-session", "Sallyport SallyportURLSession"),
        example("ntlm-server", "ClientAuthentication Sallyport SallyportNIO", "NIOCore NIOHTTP1 NIOPosix"),
        example("embedded-relay", "Sallyport SallyportRelay", "NIOCore"),
        example("hummingbird-server", "ClientAuthentication Sallyport", "", "Hummingbird HTTPTypes"),
        example("pin-check", "Sallyport SallyportClient SallyportNIO", "NIOCore"),
        example("study", "PinningStudy"),
    ],
    swiftLanguageModes: [.v6]
)

/// A program that imports products of Sallyport, of SwiftNIO and of other packages.
func example(_ name: String, _ ours: String, _ nio: String = "", _ others: String = "") -> Target {
    let packages = [
        "AsyncHTTPClient": "async-http-client", "HTTPTypes": "swift-http-types", "Hummingbird": "hummingbird",
    ]
    let products = words(ours).map { ($0, "sallyport") } + words(nio).map { ($0, "swift-nio") }
    return .executableTarget(
        name: name,
        dependencies: (products + words(others).map { ($0, packages[$0] ?? "") }).map {
            .product(name: $0, package: $1)
        }
    )
}

func words(_ list: String) -> [String] { list.split(separator: " ").map(String.init) }
