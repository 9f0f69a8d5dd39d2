import PinAudits
import SPKIPins
import TestSupport
import Testing

/// What an audit says of keys alone.
@Suite struct PinAuditKeyTests {
    @Test func keysWeakSharedAndBlocked() throws {
        let fixtures = try WeakKeyFixture.all()
        func key(_ name: String) throws -> [UInt8] {
            try #require(fixtures.first { $0.name == name }).subjectPublicKeyInfo
        }
        var audit = PinAudit()
        let unreadable: [UInt8] = [0x30, 0x00]
        let sound = try key("sound-P-256")
        audit.certificates = [[0x30, 0x80]]
        audit.subjectPublicKeyInfos = [try key("roca-2048"), sound, try key("roca-2048"), unreadable]
        audit.blocked = [Pin(hashing: sound.span), NamedCertificate.pin("leaf")]
        audit.policies = [
            [
                PinPolicy.Entry(
                    host: "host.example",
                    pins: [PositionedPin(NamedCertificate.pin("leaf"))],
                    backup: .pins([PositionedPin(NamedCertificate.pin("offline"))]),
                    expiry: nil
                )
            ]
        ]
        let found = audit.findings(at: 0).filter { if case .key = $0.problem { true } else { false } }
        #expect(
            found.map(\.problem) == [
                .key(.unreadable(.malformed(.indefiniteLength(offset: 1)))), .key(.roca), .key(.blocked),
                .key(.unreadable(.malformed(.truncated(offset: 2, needed: 2, available: 0)))), .key(.blocked),
            ]
        )
        #expect(found.first?.place == .certificate(0))
        #expect(found.last?.place == .key(NamedCertificate.pin("leaf"), certificate: nil))
    }

    @Test func twoModuliWithOnePrime() throws {
        let fixtures = try WeakKeyFixture.all().filter {
            // Both were made with one prime, and neither has another weakness.
            ["sound-rsa2048", "far-2^520"].contains($0.name)
        }
        try #require(fixtures.count == 2)
        var audit = PinAudit()
        audit.subjectPublicKeyInfos = fixtures.map(\.subjectPublicKeyInfo)
        #expect(audit.findings(at: 0).map(\.problem) == [.key(.sharedPrime), .key(.sharedPrime)])
        audit.subjectPublicKeyInfos.removeLast()
        #expect(audit.findings(at: 0).isEmpty)
        var steps: [Int] = []
        var total = 0
        _ = audit.findings(at: 0) {
            steps.append($0); total = $1
        }
        #expect(steps == steps.sorted() && steps.last == total)
    }
}
