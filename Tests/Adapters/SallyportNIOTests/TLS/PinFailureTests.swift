import LiveServers
import NIOSSL
import SPKIPins
import Sallyport
import SallyportNIO
import Synchronization
import Testing
import X509

/// Which failures of pins ``TLSSettings/onPinFailure`` gets.
@Suite(.inTurn) struct PinFailureTests {
    private let other: TestAuthority
    private let issuer: TestAuthority
    private let leaf: Keyed
    private let world: TLSWorld

    init() throws {
        var world = try TLSWorld()
        other = try TestAuthority("Other")
        world.settings.roots = .certificates([try world.root.own.der, try other.own.der])
        issuer = try world.root.authority("Issuer")
        leaf = try issuer.leaf("wiki.example")
        self.world = world
    }

    /// The reports about one connection to a server with two paths, and whether it was used.
    private func reports(_ entry: PinPolicy.Entry) async throws -> (reports: [PinReport], isUsed: Bool) {
        var world = world
        world.pins = [entry]
        let collected = Collected()
        world.settings.onPinFailure = { collected.add($0) }
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate, other.crossSigned(issuer)])
        let exchange = try await world.visit(server)
        return (collected.reports, exchange.answer == "ok")
    }

    private final class Collected: Sendable {
        private let all = Mutex<[PinReport]>([])
        var reports: [PinReport] { all.withLock { $0 } }
        func add(_ report: PinReport) { all.withLock { $0.append(report) } }
    }

    @Test("A mismatch is told once for all paths, whether it is enforced or not", arguments: [true, false])
    func mismatch(isEnforced: Bool) async throws {
        let stranger = try TestAuthority("Stranger").own.pin
        let (reports, isUsed) = try await reports(TLSWorld.entry(stranger, mode: isEnforced ? .enforce : .reportOnly))
        #expect(isUsed == !isEnforced)
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect("\(report.host)" == "wiki.example" && report.port == 443)
        #expect(report.served?.pins.count == 3)
        #expect(try report.mismatch.found.prefix(2).map { try $0.get() } == [leaf.pin, issuer.own.pin])
    }

    @Test("An entry that only reports is silent where one that enforces would have found another path")
    func otherPath() async throws {
        for root in [world.root, other] {
            let (reports, isUsed) = try await reports(
                TLSWorld.entry(root.own.pin, at: .anchor, mode: .reportOnly)
            )
            #expect(isUsed && reports.isEmpty, "\(root.name)")
        }
    }

    @Test("A match, a host without pins and a forbidden key are no mismatch")
    func others() async throws {
        #expect(try await reports(TLSWorld.entry(leaf.pin)).reports.isEmpty)
        let stranger = try TestAuthority("Stranger").own.pin
        #expect(try await reports(TLSWorld.entry(stranger, host: "other.example")).reports.isEmpty)
        let forbidden = try await reports(TLSWorld.entry(stranger, forbidden: [leaf.pin]))
        #expect(forbidden.reports.isEmpty && !forbidden.isUsed)
    }
}
