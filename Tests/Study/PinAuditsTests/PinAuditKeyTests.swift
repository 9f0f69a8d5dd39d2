import Hostnames
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
        let pins = fixtures.map { Pin(hashing: $0.subjectPublicKeyInfo.span) }
        let findings = audit.findings(at: 0)
        #expect(findings.map(\.problem) == [.key(.sharedPrime(with: pins[1])), .key(.sharedPrime(with: pins[0]))])
        let sentence = "The RSA modulus shares a prime with the key \(pins[1]), so both can be factored."
        #expect(findings.first?.sentence == sentence)
        audit.subjectPublicKeyInfos.removeLast()
        #expect(audit.findings(at: 0).isEmpty)
        var steps: [Int] = []
        var total = 0
        _ = audit.findings(at: 0) {
            steps.append($0); total = $1
        }
        #expect(steps == steps.sorted() && steps.last == total)
    }

    @Test(
        "One modulus in two keys is found: with another exponent it is critical, in another encoding it is the same key"
    )
    func oneModulus() throws {
        let fixtures = try WeakKeyFixture.all()
        func key(_ name: String) throws -> [UInt8] {
            try #require(fixtures.first { $0.name == name }).subjectPublicKeyInfo
        }
        func findings(_ keys: [[UInt8]]) -> [AuditFinding] {
            var audit = PinAudit()
            audit.subjectPublicKeyInfos = keys
            return audit.findings(at: 0).filter { $0.name == "same-modulus" }
        }
        // Both were made with one modulus.
        let keys = [try key("e-3"), try key("sound-rsa2048"), try key("e-33-bits")]
        let pins = keys.map { Pin(hashing: $0.span) }
        let found = findings(keys)
        #expect(
            found.map(\.problem) == [
                .key(.sameModulus(with: pins[2], isSameExponent: false)),
                .key(.sameModulus(with: pins[0], isSameExponent: false)),
            ]
        )
        #expect(found.allSatisfy { $0.severity == .critical })
        #expect(found.allSatisfy { $0.sentence.contains("the holder of one private key can compute the other one") })
        // rsaEncryption and RSASSA-PSS (RFC 4055 section 1.2) differ in the last byte of the identifier.
        var other = keys[1]
        let identifier: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
        let place = try #require(other.firstRange(of: identifier))
        other[place.upperBound - 1] = 10
        let encodings = findings([keys[1], other])
        #expect(encodings.count == 2 && encodings.allSatisfy { $0.severity == .warning })
        #expect(findings([keys[1], keys[1], keys[0]]).isEmpty)
    }

    @Test("Keys without checks are reported: other algorithms and curves")
    func keysThatAreNotExamined() throws {
        let fixtures = try WeakKeyFixture.all()
        func finding(_ name: String) throws -> AuditFinding {
            var audit = PinAudit()
            audit.subjectPublicKeyInfos = [try #require(fixtures.first { $0.name == name }).subjectPublicKeyInfo]
            let findings = audit.findings(at: 0)
            #expect(findings.count == 1)
            return try #require(findings.first)
        }
        let algorithm = try finding("ed25519")
        #expect(algorithm.problem == .key(.notExamined(.algorithm(identifier: "1.3.101.112"))))
        #expect(algorithm.severity == .note && algorithm.name == "not-examined" && !algorithm.remedy.isEmpty)
        #expect(algorithm.sentence == "Not examined: keys of the algorithm Ed25519 (1.3.101.112).")
        let curve = try finding("brainpoolP256r1")
        #expect(curve.problem == .key(.notExamined(.curve(identifier: "1.3.36.3.3.2.8.1.1.7"))))
        #expect(curve.sentence == "Not examined: points on the curve brainpoolP256r1 (1.3.36.3.3.2.8.1.1.7).")
    }

    @Test("A certificate whose names or dates cannot be read is reported, for each kind of input")
    func certificatesWithoutDetails() throws {
        var certificate = HandmadeCertificate()
        certificate[.notAfter] = der(0x17, [UInt8]("never".utf8))
        let bytes = certificate.bytes
        var audit = PinAudit()
        audit.certificates = [bytes]
        let host = try Hostname(parsing: "host.example")
        audit.presentations = [.init(host: host, chain: try PresentedChain(copying: [bytes]))]
        let found = audit.findings(at: 0).filter { $0.name == "unreadable-details" }
        #expect(found.map(\.place) == [.certificate(0), .presented(0, certificate: 0)])
        #expect(found.allSatisfy { $0.severity == .note })
        let offset = try #require(bytes.firstRange(of: certificate[.notAfter])).lowerBound
        #expect(found.first?.problem == .certificate(.unreadableDetails(.invalidTime(offset: offset))))
    }

    @Test("A presented certificate that cannot be read is told of like one that was given")
    func presentedCertificatesThatCannotBeRead() throws {
        var audit = PinAudit()
        let host = try Hostname(parsing: "host.example")
        let sound = NamedCertificate(key: "leaf", issuer: "issuer").bytes
        audit.presentations = [
            .init(host: host, chain: try PresentedChain(copying: [sound])),
            .init(host: host, chain: try PresentedChain(copying: [sound, [0x30, 0x80]])),
        ]
        let found = audit.findings(at: 0).filter { $0.severity == .warning && $0.name == "unreadable" }
        #expect(
            found.map(\.problem) == [.key(.unreadable(.malformed(.indefiniteLength(offset: 1))))]
                && found.map(\.place) == [.presented(1, certificate: 1)]
        )
    }
}
