import PinAudits
import SPKIPins
import Testing

/// How an audit tells of a policy that does not compile.
@Suite struct RefusedPolicyTests {
    private static func findings(_ hosts: [String]) -> [AuditFinding] {
        var audit = PinAudit()
        audit.policies = [
            hosts.map {
                PinPolicy.Entry(
                    host: $0,
                    pins: [PositionedPin(NamedCertificate.pin("leaf"))],
                    backup: .pins([PositionedPin(NamedCertificate.pin("offline"))]),
                    expiry: nil
                )
            }
        ]
        return audit.findings(at: 1_782_864_000)
    }

    /// Each caller counts entries differently.
    @Test("The place contains the number of the entry; the sentence does not")
    func anEntryThatIsRefused() {
        let refused = Self.findings(["host.example", "HOST.example"]).filter { $0.name == "refused" }
        #expect(refused.map(\.place) == [.entry(1, policy: 0, pattern: "host.example")])
        #expect(
            refused.map(\.sentence) == [
                "The policy does not compile: the entry has the pattern of an earlier entry: put their pins together."
            ]
        )
    }

    @Test func noEntryAtAll() {
        #expect(Self.findings([]).map(\.place) == [.policy(0)])
    }
}
