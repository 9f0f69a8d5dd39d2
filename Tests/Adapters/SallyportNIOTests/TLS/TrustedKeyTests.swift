import Foundation
import Hostnames
import LiveServers
import NIOSSL
import SPKIPins
import Sallyport
import SallyportNIO
import TestSupport
import Testing
import X509

/// Servers that no authority vouches for, and whose key the profile trusts.
@Suite(.inTurn) struct TrustedKeyTests {
    private var world: TLSWorld
    /// An authority that nobody trusts.
    private let stranger: TestAuthority

    init() throws {
        world = try TLSWorld()
        stranger = try TestAuthority("Stranger")
    }

    private func trusting(_ leaf: Keyed, at host: String = "wiki.example", until: Int64 = .max) throws -> TLSWorld {
        var world = world
        world.trustedKeys = [TrustedKey(host: try Hostname(parsing: host), pin: try leaf.pin, until: until)]
        return world
    }

    @Test("A trusted key makes up for an unknown authority, a wrong name, a wrong use and a wrong time", .row(75))
    func trusted() async throws {
        let over = TestAuthority.Changes(begin: Date() - 7200, end: Date() - 60)
        let leaves = [
            try stranger.leaf("wiki.example"), try world.root.leaf("other.example"),
            try world.root.leaf("wiki.example", changes: .init(uses: [.clientAuth])),
            try world.root.leaf("wiki.example", changes: over),
        ]
        for leaf in leaves {
            let server = try await TLSTestServer.start(leaf)
            let refused = try await world.visit(server)
            guard case .serverNotValidated(_, _, let chain)? = refused.error else {
                Issue.record("\(refused.errors)")
                continue
            }
            #expect(chain == [try leaf.der])
            let exchange = try await trusting(leaf).visit(server)
            #expect(exchange.answer == "ok", "\(exchange.errors)")
            #expect(exchange.path == [try leaf.der])
            // Channel binding needs the leaf.
            #expect(exchange.security == .leaf(try leaf.der))
        }
    }

    @Test("Another host, another key and a later time are not covered")
    func notCovered() async throws {
        let leaf = try stranger.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf)
        let past = Int64(Date().timeIntervalSince1970)
        let worlds = [
            try trusting(leaf, at: "other.example"), try trusting(leaf, at: "example"),
            try trusting(stranger.leaf("wiki.example")), try trusting(leaf, until: past), try trusting(stranger.own),
        ]
        for world in worlds {
            let error = try await world.visit(server).error
            guard case .serverNotValidated(_, .unknownAuthority, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("Pins of the host decide besides")
    func pinned() async throws {
        let leaf = try stranger.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf)
        var world = try trusting(leaf)
        world.pins = [try TLSWorld.entry(leaf.pin)]
        #expect(try await world.visit(server).answer == "ok")
        world.pins = [try TLSWorld.entry(stranger.own.pin)]
        let exchange = try await world.visit(server)
        #expect(exchange.error != nil && exchange.answer.isEmpty)
    }

    @Test("A weak key is refused, with a good path and also as a trusted key")
    func weak() async throws {
        // The second leaf has no path at all, so that its key alone is a reason to let it pass.
        for authority in [world.root, stranger] {
            let leaf = try authority.leaf("wiki.example")
            let server = try await TLSTestServer.start(leaf)
            var world = try trusting(leaf)
            for (floor, isGood) in [(256, true), (257, false)] {
                world.settings.keyFloor = KeyFloor(curveBits: floor)
                let exchange = try await world.visit(server)
                #expect((exchange.answer == "ok") == isGood)
                guard !isGood else { continue }
                guard case .serverNotValidated(_, .weakKey("CN=Leaf", _), _)? = exchange.error else {
                    Issue.record("\(exchange.errors)")
                    continue
                }
            }
        }
    }

    // swift-certificates reads no RSA key below 2,048 bits, so a higher floor is tested.
    @Test("RSA keys below the floor are too weak", .row(77), .needs(.openssl), arguments: [2_048, 3_072])
    func rsa(bits: Int) async throws {
        let folder = TemporaryFolder.place("weak")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.appending(path: "c.pem").path, folder.appending(path: "k.pem").path)
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "rsa:\(bits)", "-nodes", "-keyout", key, "-out", certificate, "-days", "1",
            "-subj", "/CN=wiki", "-addext", "subjectAltName=DNS:wiki.example",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let chain = try NIOSSLCertificate.fromPEMFile(certificate)
        let server = try await TLSTestServer.start(
            chain: chain.map { .certificate($0) },
            key: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))
        )
        var world = world
        world.settings.roots = .certificates([try chain[0].toDERBytes()])
        world.settings.keyFloor = KeyFloor(rsaBits: 3_072)
        let exchange = try await world.visit(server)
        if bits == 3_072 {
            #expect(exchange.answer == "ok", "\(exchange.errors)")
        } else {
            guard case .serverNotValidated(_, .weakKey, _)? = exchange.error else {
                Issue.record("\(exchange.errors)")
                return
            }
        }
    }
}
