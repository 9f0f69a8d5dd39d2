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

    private static func policy(
        _ pin: Pin,
        version: UInt64,
        mode: PinPolicy.Mode = .enforce,
        forbidden: Pin = .numbered(3)
    ) throws -> PinPolicy {
        let entry = PinPolicy.Entry(
            host: "**.host.example",
            pins: [PositionedPin(pin)],
            backup: .pins([PositionedPin(.numbered(2))]),
            expiry: 2000,
            mode: mode,
            forbidden: [forbidden]
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

    /// What a decision may depend on. A switch that lets some anchor pass would be another argument, and stop this line.
    private static var decide: (PinPolicy) -> (Hostname, ValidatedChain, Int64, PinMemo?) -> PinVerdict {
        PinPolicy.verdict(for:chain:now:memo:)
    }

    @Test(
        "S12: a chain to an anchor that a user installed needs a pin too",
        arguments: [PinPosition.any, .leaf, .issuer, .anchor]
    )
    func noBypass(position: PinPosition) throws {
        let host = try Hostname(parsing: "host.example")
        // The pinned site: leaf and anchor. The interceptor: a leaf of his own below an anchor that the user has installed, which
        // even bears the name of the pinned one.
        func certificate(key: UInt8, by issuer: UInt8, named subject: UInt8) -> [UInt8] {
            func name(_ number: UInt8) -> [UInt8] {
                der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 4, 3]), der(0x0C, [0x41 + number]))))
            }
            var certificate = HandmadeCertificate()
            certificate[.issuer] = name(issuer)
            certificate[.subject] = name(subject)
            certificate[.keyBits] = der(0x03, [0, key])
            return certificate.bytes
        }
        let genuine = [certificate(key: 1, by: 0, named: 9), certificate(key: 2, by: 0, named: 0)]
        let intercepted = [certificate(key: 3, by: 0, named: 9), certificate(key: 4, by: 0, named: 0)]
        let own = genuine[position == .leaf ? 0 : 1]
        let pinned = try Pin(ofCertificate: own.span)
        func policy(_ mode: PinPolicy.Mode) throws -> PinPolicy {
            let entry = PinPolicy.Entry(
                host: "**.host.example",
                pins: [PositionedPin(pinned, at: position)],
                backup: .pins([PositionedPin(.numbered(2), at: position)]),
                expiry: 2000,
                mode: mode
            )
            return try PinPolicy(compiling: [entry], version: 1, at: 1000)
        }
        let memo = PinMemo()
        let enforced = try policy(.enforce)
        for policy in [enforced, try PinPolicy(image: enforced.image)] {
            // The memo knows the genuine keys first, and the interceptor's as well the second time.
            for memo in [nil, memo, memo] {
                let good = try ValidatedChain(assertingValidated: genuine)
                guard case .matched = Self.decide(policy)(host, good, 1000, memo) else {
                    Issue.record("the pinned site itself is refused")
                    return
                }
                for length in 1...2 {
                    let chain = try ValidatedChain(assertingValidated: Array(intercepted.prefix(length)))
                    guard case .mismatched(let mismatch) = Self.decide(policy)(host, chain, 1000, memo) else {
                        Issue.record("an anchor of the user's went past the pins")
                        return
                    }
                    // And it is told: who was there, and who should have been.
                    #expect(mismatch.found == chain.pins && mismatch.misplaced.isEmpty)
                    guard case .expiredPolicy(let expiry) = Self.decide(policy)(host, chain, 2000, memo) else {
                        Issue.record("after the expiry the host is no unpinned one")
                        return
                    }
                    #expect(expiry.match == nil && expiry.mode == .enforce)
                }
            }
        }
        // The one way to let a connection pass is the entry's own mode, and it is told of too.
        let chain = try ValidatedChain(assertingValidated: intercepted)
        guard case .reportOnlyMismatch = Self.decide(try policy(.reportOnly))(host, chain, 1000, nil) else {
            Issue.record("a report was wanted")
            return
        }
    }

    @Test("S13: every kind of verdict carries the policy's version, for the keys of connection pools")
    func version() throws {
        let leaf = Self.certificate(algorithm: 0x70, key: [1])
        let other = Self.certificate(algorithm: 0x70, key: [2])
        let host = try Hostname(parsing: "host.example")
        let elsewhere = try Hostname(parsing: "other.example")
        let (match, mismatch) = (
            try ValidatedChain(assertingValidated: [leaf]), try ValidatedChain(assertingValidated: [other])
        )
        func verdicts(_ version: UInt64) throws -> [PinVerdict] {
            let pin = try Pin(ofCertificate: leaf.span)
            let policy = try Self.policy(pin, version: version)
            let reporting = try Self.policy(pin, version: version, mode: .reportOnly)
            let forbidding = try Self.policy(pin, version: version, forbidden: Pin(ofCertificate: other.span))
            return [
                policy.verdict(for: host, chain: match, now: 1000),
                policy.verdict(for: host, chain: mismatch, now: 1000),
                policy.verdict(for: host, chain: match, now: 2000),
                policy.verdict(for: elsewhere, chain: match, now: 1000),
                reporting.verdict(for: host, chain: mismatch, now: 1000),
                forbidding.verdict(for: host, chain: mismatch, now: 1000),
            ]
        }
        for version: UInt64 in [0, 7, .max] {
            let verdicts = try verdicts(version)
            // A seventh kind would stop this switch from compiling.
            let kinds = verdicts.map { verdict in
                switch verdict {
                case .matched: "matched"
                case .mismatched: "mismatched"
                case .expiredPolicy: "expired"
                case .notPinned: "not pinned"
                case .reportOnlyMismatch: "report only"
                case .forbiddenKey: "forbidden"
                }
            }
            #expect(kinds == ["matched", "mismatched", "expired", "not pinned", "report only", "forbidden"])
            #expect(verdicts.map(\.policyVersion) == Array(repeating: version, count: 6))
        }
        // And a verdict under one version is no verdict under another.
        for (one, next) in zip(try verdicts(7), try verdicts(8)) { #expect(one != next) }
    }
}
