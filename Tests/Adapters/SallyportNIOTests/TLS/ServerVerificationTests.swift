import Foundation
import LiveServers
import NIOCore
import NIOSSL
import Sallyport
import SallyportNIO
import TestSupport
import Testing
import X509

@Suite(.inTurn) struct ServerVerificationTests {
    private let world: TLSWorld

    init() throws { world = try TLSWorld() }

    /// Expects that the server is refused for `reason`, and that no byte of the request reached it.
    private func expectRefusal(
        _ reason: InvalidServer,
        _ server: TLSTestServer,
        origin: String = "https://wiki.example",
        in other: TLSWorld? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let exchange = try await (other ?? world).visit(server, origin)
        if case .serverNotValidated(let refused, reason, _)? = exchange.error {
            #expect(refused == (try Origin(parsing: origin)), sourceLocation: sourceLocation)
        } else {
            Issue.record("\(exchange.errors)", sourceLocation: sourceLocation)
        }
        #expect(exchange.answer.isEmpty, sourceLocation: sourceLocation)
        let seen = await server.next()
        #expect(seen.bytes.isEmpty && !seen.isSecured, sourceLocation: sourceLocation)
    }

    @Test("A valid server gets the request", .row(13, 74), arguments: [TLSVersion.tlsv12, .tlsv13])
    func valid(version: TLSVersion) async throws {
        let issuer = try world.root.authority("Issuer")
        let leaf = try issuer.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate], maximum: version)
        let exchange = try await world.visit(server)
        #expect(exchange.errors.isEmpty, "\(exchange.errors)")
        #expect(exchange.answer == "ok")
        #expect(exchange.security == .leaf(try leaf.der))
        // The server did not send the root: it is in the path that was verified.
        #expect(exchange.path == [try leaf.der, try issuer.own.der, try world.root.own.der])
        let seen = await server.next()
        #expect(String(decoding: seen.bytes, as: UTF8.self) == TLSTestClient.request)
        #expect(seen.version == version)
    }

    @Test(
        "Names and addresses that match",
        arguments: [
            ("wiki.example", "https://wiki.example"), ("*.wiki.example", "https://deep.wiki.example"),
            ("WIKI.Example", "https://wiki.example"), ("127.0.0.1", "https://127.0.0.1"), ("::1", "https://[::1]"),
        ]
    )
    func names(name: String, origin: String) async throws {
        let server = try await TLSTestServer.start(world.root.leaf(name))
        #expect(try await world.visit(server, origin).answer == "ok")
    }

    @Test(
        "Names and addresses that do not match",
        arguments: [
            ("other.example", "https://wiki.example"), ("*.example", "https://deep.wiki.example"),
            ("*.wiki.example", "https://wiki.example"), ("*.example", "https://wiki.example"),
            ("*", "https://wiki.example"),
            ("d*.wiki.example", "https://deep.wiki.example"), ("127.0.0.2", "https://127.0.0.1"),
            ("127.0.0.1", "https://wiki.example"),
        ]
    )
    func otherNames(name: String, origin: String) async throws {
        let server = try await TLSTestServer.start(world.root.leaf(name))
        try await expectRefusal(.otherName, server, origin: origin)
    }

    @Test("A common name is not the name of a server")
    func commonName() async throws {
        let changes = TestAuthority.Changes(hasNames: false, commonName: "wiki.example")
        try await expectRefusal(.otherName, TLSTestServer.start(world.root.leaf("", changes: changes)))
        // With the extension, and no name in it.
        let empty = TestAuthority.Changes(commonName: "wiki.example")
        try await expectRefusal(.otherName, TLSTestServer.start(world.root.leaf(changes: empty)))
    }

    @Test("Expired and early certificates, of servers and of authorities")
    func times() async throws {
        let over = TestAuthority.Changes(begin: Date() - 7200, end: Date() - 60)
        let early = TestAuthority.Changes(begin: Date() + 86_400, end: Date() + 172_800)
        let expired = try await TLSTestServer.start(world.root.leaf("wiki.example", changes: over))
        try await expectRefusal(.expired(subject: "CN=Leaf"), expired)
        let unborn = try await TLSTestServer.start(world.root.leaf("wiki.example", changes: early))
        try await expectRefusal(.notYetValid(subject: "CN=Leaf"), unborn)
        let issuer = try world.root.authority("Old", over)
        let below = try await TLSTestServer.start(issuer.leaf("wiki.example"), [issuer.own.certificate])
        try await expectRefusal(.expired(subject: "CN=Old"), below)
    }

    @Test("No path to a root that is trusted", .row(74), arguments: [TLSVersion.tlsv12, .tlsv13])
    func strangers(version: TLSVersion) async throws {
        // The stranger sends its root too, and the root has the name of ours.
        let stranger = try TestAuthority("Root")
        let leaf = try stranger.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf, [stranger.own.certificate], maximum: version)
        try await expectRefusal(.unknownAuthority(issuer: "CN=Root"), server)
        let issuer = try world.root.authority("Issuer")
        let incomplete = try await TLSTestServer.start(issuer.leaf("wiki.example"), maximum: version)
        try await expectRefusal(.unknownAuthority(issuer: "CN=Issuer"), incomplete)
    }

    @Test("A self-signed server is refused, also if it looks like an authority")
    func selfSigned() async throws {
        let server = try await TLSTestServer.start(TestAuthority("Self").own)
        try await expectRefusal(.unknownAuthority(issuer: "CN=Self"), server)
    }

    @Test("A certificate that is trusted itself")
    func trustedLeaf() async throws {
        var other = world
        let leaf = try TestAuthority("Elsewhere").leaf("wiki.example", changes: .init(isAuthority: true))
        let server = try await TLSTestServer.start(leaf)
        try await expectRefusal(.unknownAuthority(issuer: "CN=Elsewhere"), server)
        other.settings.roots = .certificates([try leaf.der])
        #expect(try await other.visit(server).answer == "ok")
        other.settings.roots = .systemAnd([try leaf.der])
        #expect(try await other.visit(server).answer == "ok")
        other.settings.roots = .system
        #expect(try await other.visit(server).error != nil)
    }

    @Test("A leaf that is no authority cannot issue")
    func leafAsIssuer() async throws {
        let leaf = try world.root.leaf("other.example")
        // `Leaf` signs for the wiki: the names match, the signature too.
        let forged = try TestAuthority(issuing: leaf, as: "Leaf").leaf("wiki.example")
        let server = try await TLSTestServer.start(forged, [leaf.certificate])
        let exchange = try await world.visit(server)
        guard case .serverNotValidated(_, .brokenRule, _)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        #expect(await server.next().bytes.isEmpty)
    }

    @Test("The use of certificates: servers, any, clients only, none said")
    func uses() async throws {
        func server(_ uses: [ExtendedKeyUsage.Usage]?) async throws -> TLSTestServer {
            try await .start(world.root.leaf("wiki.example", changes: TestAuthority.Changes(uses: uses)))
        }
        #expect(try await world.visit(server(nil)).answer == "ok")
        #expect(try await world.visit(server([.clientAuth, .serverAuth])).answer == "ok")
        #expect(try await world.visit(server([.any])).answer == "ok")
        try await expectRefusal(.otherUse(subject: "CN=Leaf"), server([.clientAuth]))
        let issuer = try world.root.authority("For clients", .init(usesOfAuthority: [.clientAuth]))
        let below = try await TLSTestServer.start(issuer.leaf("wiki.example"), [issuer.own.certificate])
        try await expectRefusal(.otherUse(subject: "CN=For clients"), below)
    }

    @Test("A critical extension that is not known")
    func criticalExtension() async throws {
        let changes = TestAuthority.Changes(hasUnknownCriticalExtension: true)
        let server = try await TLSTestServer.start(world.root.leaf("wiki.example", changes: changes))
        try await expectRefusal(.brokenRule("unknown critical extension 1.3.6.1.4.1.99999.1"), server)
    }

    @Test("More certificates than are searched")
    func manyCertificates() async throws {
        let leaf = try world.root.leaf("wiki.example")
        let others = try (0..<16).map { try TestAuthority("Other \($0)").own.certificate }
        let server = try await TLSTestServer.start(leaf, others)
        try await expectRefusal(.tooManyCertificates(count: 17, limit: 16), server)
        let fewer = try await TLSTestServer.start(leaf, Array(others.dropLast()))
        #expect(try await world.visit(fewer).answer == "ok")
    }

    @Test("Certificates that issue each other form too many paths, and the search ends")
    func endlessPaths() async throws {
        var world = world
        world.settings.handshakeLimit = .hours(1)
        let stranger = try TestAuthority("Stranger")
        let server = try await TLSTestServer.start(stranger.leaf("wiki.example"), stranger.mutual(15))
        try await expectRefusal(.tooManyPaths(limit: 32), server, in: world)
        // A server of ours with such certificates beside its path is found at once.
        let leaf = try world.root.leaf("wiki.example")
        #expect(try await world.visit(.start(leaf, stranger.mutual(15))).answer == "ok")
    }

    @Test func unreadableRootsAreAnErrorAtOnce() throws {
        var settings = TLSSettings()
        settings.roots = .certificates([try world.root.own.der, [0x30, 0x00]])
        #expect(throws: TLSError.unreadableRoot(index: 1)) {
            try TLSConnector(settings, CurrentHandler(ChallengeHandler(world.compiled)))
        }
    }

    @Test func plainOriginsHaveNoTLS() throws {
        let origin = try Origin(parsing: "http://wiki.example")
        #expect(throws: TLSError.plainOrigin(origin)) { try world.connector().makeHandler(for: origin) }
    }

    @Test("The handler alone refuses too, with the error of NIOSSL")
    func handlerAlone() async throws {
        let connector = try world.connector()
        func exchange(_ name: String) async throws -> Exchange {
            let server = try await TLSTestServer.start(world.root.leaf(name))
            return try await TLSTestClient.exchange(port: server.port) { pipeline in
                try pipeline.addHandler(connector.makeHandler(for: TLSWorld.wiki))
            }
        }
        let good = try await exchange("wiki.example")
        #expect(good.answer == "ok")
        let bad = try await exchange("other.example")
        #expect(bad.answer.isEmpty)
        #expect(bad.errors.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") })
    }
}
