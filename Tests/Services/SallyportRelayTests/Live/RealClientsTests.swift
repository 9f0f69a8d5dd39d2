import Foundation
import LiveServers
import Sallyport
import SallyportRelay
import TestSupport
import Testing

/// Programs that people use, through the relay and a Squid that demands NTLM, which none of them is told of.
@Suite(.inTurn, .serialized, .needs(.squid, .winbind, .git, .python)) struct RealClientsTests {
    /// Runs the scripts, and looks that Squid has let requests through without a bad log-on.
    private static func run(_ script: String, expecting expected: String) async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let port = try ServerPort.take()
        let packages = try HelperProcess(server: "packages", ["\(port)"])
        let folder = TemporaryFolder.place("client")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestRelay.run(before: squid.address(), squid.handler(), destinations: TestRelay.loopback()) { relay in
            let shell = ClientShell(
                folder: folder,
                proxy: "http://127.0.0.1:\(relay.port)",
                server: "http://127.0.0.1:\(port)"
            )
            let output = try shell.run(script)
            #expect(output.contains(expected), "\(output)")
            let counters = await relay.relay.counters()
            #expect(counters.requests > 0 && counters.badLogOns == 0)
        }
        let bad = try squid.takeBadLogOns()
        #expect(bad == 0)
        withExtendedLifetime(packages) {}
    }

    @Test("curl, with a request and with a tunnel") func curl() async throws {
        try await Self.run(
            "curl -sS $SERVER/page.html && curl -sS --proxytunnel -d x $SERVER/page.html",
            expecting: "<p>in</p>"
        )
    }

    @Test("wget", .needs(.wget)) func wget() async throws {
        try await Self.run("wget -nv -O - $SERVER/page.html", expecting: "<p>in</p>")
    }

    @Test("git clone") func git() async throws {
        try await Self.run("git clone --quiet $SERVER/sample.git clone && cat clone/file", expecting: "hello")
    }

    @Test("pip download") func pip() async throws {
        let script =
            "python3 -m pip download --no-deps --disable-pip-version-check --index-url $SERVER/simple sample && ls"
        try await Self.run(script, expecting: "sample-1.0-py3-none-any.whl")
    }

    @Test("npm, which reads a registry and fetches a package", .enabled(if: NPM.isThere, "missing: npm"))
    func npm() async throws {
        let script = """
            export npm_config_registry=$SERVER/npm/
            npm view sample description && npm pack sample && ls
            """
        try await Self.run(script, expecting: "sample-1.0.0.tgz")
    }

    @Test("SwiftPM, which resolves a dependency") func swiftPM() async throws {
        let script = #"""
            cat >Package.swift <<MANIFEST
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "user", dependencies: [.package(url: "$SERVER/sample.git", from: "1.0.0")])
            MANIFEST
            swift package --cache-path caches --config-path configuration --security-path security resolve
            cat .build/checkouts/sample/file
            """#
        try await Self.run(script, expecting: "hello")
    }

    @Test("Python's requests", .needs(.requestsNTLM)) func requests() async throws {
        let script = #"python3 -c "import os, requests; print(requests.get(os.environ['SERVER'] + '/page.html').text)""#
        try await Self.run(script, expecting: "<p>in</p>")
    }

    @Test("apt, from a repository with one index", .needs(.apt)) func apt() async throws {
        let script = #"""
            mkdir -p lists/partial archives/partial state && : >state/status
            echo "deb [trusted=yes] $SERVER/ ./" >sources.list
            apt-get -o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State=$PWD/state \
                -o Dir::State::status=$PWD/state/status -o Dir::State::Lists=$PWD/lists -o Dir::Cache=$PWD/archives \
                -o APT::Sandbox::User=root -o Acquire::http::Timeout=600 -o Acquire::http::Proxy=$PROXY update 2>&1 || true
            """#
        // The server has no index, and apt says so: the request has passed the proxy.
        try await Self.run(script, expecting: "404")
    }

    /// Without a network Chromium takes a minute or two to start, so `.ci/slow browsers` runs it.
    @Test(
        "Chromium, headless",
        .needs(.chromium),
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_BROWSERS"] != nil, "SALLYPORT_BROWSERS=1")
    )
    func chromium() async throws {
        let script = """
            chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=$PWD/profile \
                --disable-background-networking --disable-component-update --no-first-run \
                --proxy-server=$PROXY --proxy-bypass-list='<-loopback>' --dump-dom $SERVER/page.html 2>/dev/null
            """
        try await Self.run(script, expecting: "<p>in</p>")
    }
}

/// Debian's npm brings hundreds of packages, so that CI does not install it.
private enum NPM {
    static let isThere = ["/usr/bin/npm", "/usr/local/bin/npm"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}
