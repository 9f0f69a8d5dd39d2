import Foundation
import LiveServers
import NIOSSL
import SPKIPins
import Sallyport
import SallyportNIO
import TestSupport
import Testing
import X509

@Suite(.inTurn) struct PinEnforcementTests {
    private let world: TLSWorld
    private let issuer: TestAuthority
    private let leaf: Keyed
    private let stranger: Pin

    init() throws {
        world = try TLSWorld()
        issuer = try world.root.authority("Issuer")
        leaf = try issuer.leaf("wiki.example")
        stranger = try TestAuthority("Stranger").own.pin
    }

    private func server() async throws -> TLSTestServer { try await .start(leaf, [issuer.own.certificate]) }

    private func visit(_ entry: PinPolicy.Entry, _ server: TLSTestServer) async throws -> Exchange {
        var pinned = world
        pinned.pins = [entry]
        return try await pinned.visit(server)
    }

    /// Expects the refusal `code`, in one line, and that no byte of the request reached the server.
    private func expectRefusal(
        _ code: String,
        _ entry: PinPolicy.Entry,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try await server()
        let exchange = try await visit(entry, server)
        guard case .serverRejected(let origin, let refusal)? = exchange.error else {
            Issue.record("\(exchange.errors)", sourceLocation: sourceLocation)
            return
        }
        #expect(refusal.code == code, sourceLocation: sourceLocation)
        #expect(origin == (try TLSWorld.wiki), sourceLocation: sourceLocation)
        #expect(!"\(TLSError.serverRejected(origin, refusal))".contains("\n"), sourceLocation: sourceLocation)
        #expect(exchange.answer.isEmpty, sourceLocation: sourceLocation)
        let seen = await server.next()
        #expect(seen.bytes.isEmpty && !seen.isSecured, sourceLocation: sourceLocation)
    }

    @Test("Pins of the leaf, the issuer and the root, which the server does not send", .row(76, 85))
    func matches() async throws {
        for (pin, position) in [
            (try leaf.pin, PinPosition.leaf), (try issuer.own.pin, .issuer), (try world.root.own.pin, .anchor),
            (try world.root.own.pin, .any),
        ] {
            let exchange = try await visit(TLSWorld.entry(pin, at: position), server())
            #expect(exchange.answer == "ok", "\(position): \(exchange.errors)")
        }
    }

    @Test("A pin at another position, and another key", .row(84))
    func mismatches() async throws {
        try await expectRefusal("pin-mismatch", TLSWorld.entry(leaf.pin, at: .anchor))
        try await expectRefusal("pin-mismatch", TLSWorld.entry(stranger))
    }

    @Test("A certificate that only lies beside the path does not match", .row(85))
    func presentedIsNotValidated() async throws {
        // A server can send any certificate with the pinned key; it has no private key for it.
        let beside = try TestAuthority("Beside")
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate, beside.own.certificate])
        let exchange = try await visit(TLSWorld.entry(beside.own.pin), server)
        guard case .serverRejected(_, .pinMismatch)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        #expect(await server.next().bytes.isEmpty)
    }

    @Test("A pin does not replace validation")
    func pinsDoNotReplaceValidation() async throws {
        let stranger = try TestAuthority("Stranger")
        let leaf = try stranger.leaf("wiki.example")
        let exchange = try await visit(TLSWorld.entry(leaf.pin), TLSTestServer.start(leaf))
        let expected = InvalidServer.unknownAuthority(issuer: "CN=Stranger")
        #expect(exchange.error == .serverNotValidated(try TLSWorld.wiki, expected, chain: [try leaf.der]))
    }

    @Test("Entries that only report, and entries of other hosts, let the request go")
    func reportOnly() async throws {
        #expect(try await visit(TLSWorld.entry(stranger, mode: .reportOnly), server()).answer == "ok")
        #expect(try await visit(TLSWorld.entry(stranger, host: "other.example"), server()).answer == "ok")
    }

    @Test("Expired pins refuse, also where one matches; those that only report do not")
    func expired() async throws {
        let past = Int64(Date().timeIntervalSince1970) - 10
        try await expectRefusal("pins-expired", TLSWorld.entry(leaf.pin, expiry: past))
        #expect(try await visit(TLSWorld.entry(leaf.pin, expiry: past, mode: .reportOnly), server()).answer == "ok")
        #expect(try await visit(TLSWorld.entry(leaf.pin, expiry: past + 3600), server()).answer == "ok")
    }

    @Test("A forbidden key refuses")
    func forbidden() async throws {
        try await expectRefusal("forbidden-key", TLSWorld.entry(leaf.pin, forbidden: [issuer.own.pin]))
    }

    @Test("Of two paths the one with the pin is found, whichever it is", arguments: [0, 1])
    func crossSigned(index: Int) async throws {
        var world = world
        let other = try TestAuthority("Other")
        world.settings.roots = .certificates([try world.root.own.der, try other.own.der])
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate, other.crossSigned(issuer)])
        let roots = [world.root, other]
        world.pins = [TLSWorld.entry(try roots[index].own.pin, at: .anchor)]
        let exchange = try await world.visit(server)
        #expect(exchange.answer == "ok", "\(exchange.errors)")
        #expect(exchange.path.last == (try roots[index].own.der))
        world.pins = [TLSWorld.entry(stranger)]
        #expect(try await world.visit(server).error != nil)
    }

    @Test("Pins of a new profile count for the next connection: no session is resumed", arguments: [0, 1])
    func reload(round: Int) async throws {
        let current = CurrentHandler(ChallengeHandler(try world.compiled))
        let connector = try TLSConnector(world.settings, current)
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate], maximum: round == 0 ? .tlsv12 : nil)
        #expect(try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port).answer == "ok")
        var pinned = world
        pinned.pins = [TLSWorld.entry(stranger)]
        current.replace(with: try pinned.compiled)
        let exchange = try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port)
        guard case .serverRejected(_, .pinMismatch)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
    }
}
