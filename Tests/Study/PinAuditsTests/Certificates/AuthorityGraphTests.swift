import SPKIPins
import TestLimits
import TestSupport
import Testing

@testable import PinAudits

@Suite struct AuthorityGraphTests {
    /// Few names, keys and identifiers, so that all of them meet.
    private static func random(seed: UInt64) throws -> [KnownCertificate] {
        var generator = SeededGenerator(seed: seed)
        let names = Int.random(in: 1...4, using: &generator)
        return try (0..<Int.random(in: 1...14, using: &generator)).map { _ in
            let name = Int.random(in: 0..<names, using: &generator)
            let certificate = NamedCertificate(
                key: "\(name)#\(Int.random(in: 0..<3, using: &generator))",
                issuer: "\(Int.random(in: 0..<names, using: &generator))",
                identifiers: Bool.random(using: &generator)
                    ? (UInt8.random(in: 0..<3, using: &generator), UInt8.random(in: 0..<3, using: &generator)) : nil
            )
            return try KnownCertificate(of: certificate.bytes)
        }
    }

    @Test("The graph and the naive one agree", arguments: UInt64(1)...300)
    func agreesWithNaiveGraph(seed: UInt64) throws {
        var generator = SeededGenerator(seed: ~seed)
        let certificates = try Self.random(seed: seed)
        let (graph, naive) = (AuthorityGraph(of: certificates), NaiveAuthorityGraph(of: certificates))
        let pins = Set(certificates.map(\.pin)).union([NamedCertificate.pin("unknown")])
        let avoided = pins.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        let open = graph.certificatesWithPath(avoiding: avoided)
        for (index, certificate) in certificates.enumerated() {
            #expect(open.contains(index) == naive.hasPath(from: index, avoiding: avoided))
            let issuers = naive.issuers(of: certificate)
            #expect(graph.hasIssuer(certificate) == !issuers.isEmpty)
            #expect(graph.hasIssuer(certificate, besides: avoided) == issuers.contains { !avoided.contains($0.pin) })
        }
        for pin in pins {
            // Twice, for what is remembered.
            for _ in 0..<2 { #expect(graph.keysAbove(pin) == naive.keysAbove(pin)) }
            #expect(Set(graph.issued(by: pin).map(\.pin)) == Set(naive.issued(by: pin).map(\.pin)))
            let names = naive.authorities(of: pin)
            let expected = names.count > 1 ? AuthorityGraph.Authorities.several : names.first.map { .one($0) } ?? .none
            #expect(graph.authorities(of: pin) == expected)
        }
        // Each key is found from the first key below it.
        var climb = AuthorityGraph.Climb(in: graph)
        var met: Set<Pin> = []
        var starts: Set<Pin> = []
        for pin in pins {
            let above = naive.keysAbove(pin)
            let new = Set(climb.keysAbove(pin))
            #expect(new.isSubset(of: above) && new.isDisjoint(with: met))
            met.formUnion(new)
            starts.insert(pin)
            #expect(above.isSubset(of: met.union(starts)))
        }
    }

    /// Where each certificate went over all others, this was the square of their number for each pin of the entry.
    @Test(
        "Thousands of certificates of one name are visited once, not for each pin and certificate",
        .inTurn
    )
    func crowdOfOneName() throws {
        let keys = (0..<Effort.rounds(2_000, thorough: 10_000)).map { "crowd#\($0)" }
        var audit = PinAudit()
        audit.certificates = keys.map { NamedCertificate(key: $0, issuer: "crowd", isAuthority: true).bytes }
        let pins = keys.prefix(400).map { PositionedPin(NamedCertificate.pin($0)) }
        let backup = PinPolicy.Backup.pins(Array(pins.suffix(200)))
        audit.policies = [
            [PinPolicy.Entry(host: "host.example", pins: Array(pins.prefix(200)), backup: backup, expiry: nil)]
        ]
        let related = audit.findings(at: 1_782_864_000).filter { $0.name == "related-backup" }
        #expect(related.count == 200)
    }
}
