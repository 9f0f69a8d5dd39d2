import Hostnames
import SPKIPins
import TestSupport
import Testing

/// Lessons from other pinning libraries that no other suite is about; `SPKIPins.docc` has the table of all.
@Suite struct PinLessonsTests {
    private static func certificate(algorithm: UInt8, key: [UInt8]) -> [UInt8] {
        var certificate = HandmadeCertificate()
        certificate[.keyAlgorithm] = der(0x30, der(0x06, [0x2B, 0x65, algorithm]))
        certificate[.keyBits] = der(0x03, [0] + key)
        return certificate.bytes
    }

    private static func policy(_ pin: Pin, version: UInt64) throws -> PinPolicy {
        let entry = PinPolicy.Entry(
            host: "**.host.example",
            pins: [PositionedPin(pin)],
            backup: .pins([PositionedPin(.numbered(2))]),
            expiry: 2000,
            forbidden: [.numbered(3)]
        )
        return try PinPolicy(compiling: [entry], version: version, at: 1000)
    }

    @Test("S7: the same bits under another algorithm are another key")
    func algorithmCounts() throws {
        let one = Self.certificate(algorithm: 0x70, key: [1, 2, 3])
        let other = Self.certificate(algorithm: 0x71, key: [1, 2, 3])
        let policy = try Self.policy(Pin(ofCertificate: one.span), version: 1)
        let host = try Hostname(parsing: "host.example")
        for (certificate, matches) in [(one, true), (other, false)] {
            let chain = try ValidatedChain(assertingValidated: [certificate])
            let isMatch = if case .matched = policy.verdict(for: host, chain: chain, now: 1000) { true } else { false }
            #expect(isMatch == matches)
        }
    }

    @Test("S12: no anchor passes by the pins, whoever installed it")
    func noBypass() throws {
        let policy = try Self.policy(.numbered(1), version: 1)
        let host = try Hostname(parsing: "host.example")
        let leaf = Self.certificate(algorithm: 0x70, key: [1])
        // A decision gets certificates and nothing that could say "this anchor is the user's own".
        for anchor in UInt8(0)..<32 {
            let chain = try ValidatedChain(assertingValidated: [
                leaf, Self.certificate(algorithm: 0x70, key: [9, anchor]),
            ])
            guard case .mismatched = policy.verdict(for: host, chain: chain, now: 1000) else {
                Issue.record("anchor \(anchor) went past the pins")
                return
            }
        }
    }

    @Test("S13: every kind of verdict carries the policy's version, for the keys of connection pools")
    func version() throws {
        let leaf = Self.certificate(algorithm: 0x70, key: [1])
        let other = Self.certificate(algorithm: 0x70, key: [2])
        let host = try Hostname(parsing: "host.example")
        let elsewhere = try Hostname(parsing: "other.example")
        for version: UInt64 in [0, 7, .max] {
            let policy = try Self.policy(Pin(ofCertificate: leaf.span), version: version)
            let (match, mismatch) = (
                try ValidatedChain(assertingValidated: [leaf]), try ValidatedChain(assertingValidated: [other])
            )
            let verdicts = [
                policy.verdict(for: host, chain: match, now: 1000),
                policy.verdict(for: host, chain: mismatch, now: 1000),
                policy.verdict(for: host, chain: match, now: 2000),
                policy.verdict(for: elsewhere, chain: match, now: 1000),
            ]
            #expect(verdicts.map(\.policyVersion) == Array(repeating: version, count: 4))
            // And a verdict under one version is no verdict under another.
            let next = try Self.policy(Pin(ofCertificate: leaf.span), version: version &+ 1)
            #expect(next.verdict(for: host, chain: match, now: 1000) != verdicts[0])
        }
    }

    @Test("S17: a chain that was not validated is no argument of a decision")
    func presentedChainsDecideNothing() throws {
        let leaf = Self.certificate(algorithm: 0x70, key: [1])
        let presented: Any = try PresentedChain(copying: [leaf])
        #expect(!(presented is ValidatedChain))
        // The pins are there to be studied, and the types are all that keeps them from a decision.
        #expect(try PresentedChain(copying: [leaf]).pins == [.success(Pin(ofCertificate: leaf.span))])
    }
}
