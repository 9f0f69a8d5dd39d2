internal import Crypto
internal import Hostnames
internal import PeerComparison
internal import SPKIPins

extension Measuring {
    /// From certificates to keys and to pins.
    func certificates(_ corpus: CertificateCorpus) {
        let certificates = corpus.certificates
        measure("walk to the key", per: certificates.count) {
            var sum: UInt64 = 0
            for certificate in certificates {
                guard let walk = try? CertificateWalk(of: certificate.span) else { continue }
                sum &+= UInt64(walk.subjectPublicKeyInfo.range.lowerBound)
            }
            return sum
        }
        measure("certificate to pin", per: certificates.count) {
            var sum: UInt64 = 0
            for certificate in certificates {
                if let pin = try? Pin(ofCertificate: certificate.span) { sum &+= pin.word0 & 0xffff }
            }
            return sum
        }
        measure("many certificates to pins", per: certificates.count) {
            var sum: UInt64 = 0
            for result in Pin.ofCertificates(at: corpus.file.places, in: corpus.file.bytes.span) {
                if case .success(let pin) = result { sum &+= pin.word0 & 0xffff }
            }
            return sum
        }
        measure("certificate to pin", by: "our walk, swift-crypto's SHA-256", per: certificates.count) {
            var sum: UInt64 = 0
            for certificate in certificates {
                guard let walk = try? CertificateWalk(of: certificate.span) else { continue }
                let key = certificate[walk.subjectPublicKeyInfo.range]
                var hash = SHA256()
                unsafe key.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                sum &+= unsafe hash.finalize().withUnsafeBytes { unsafe UInt64($0.loadUnaligned(as: UInt16.self)) }
            }
            return sum
        }
    }

    /// Decisions about chains of three certificates of the corpus, at 64 hosts.
    func decisions(_ corpus: CertificateCorpus) throws {
        let certificates = corpus.certificates
        let chains = try (0..<64).map { index in
            try ValidatedChain(
                assertingValidated: (0..<3).map { certificates[(3 * index + $0) % certificates.count] }
            )
        }
        let hosts = try (0..<64).map { try Hostname(parsing: "www.site\($0).example") }
        let policy = try Self.policy(64, corpus)
        let memo = PinMemo(slots: 1024)
        func decide(_ memo: PinMemo?) -> UInt64 {
            var sum: UInt64 = 0
            for index in 0..<64 {
                let verdict = policy.verdict(for: hosts[index], chain: chains[index], now: 1, memo: memo)
                if case .matched(let match) = verdict { sum &+= UInt64(match.certificateIndex) }
            }
            return sum
        }
        precondition(decide(nil) == 128, "every chain matches at its third certificate")
        measure("decision, chain of three, cold", per: 64) { decide(nil) }
        measure("decision, chain of three, memo", per: 64) { decide(memo) }
    }

    /// A policy of `count` patterns: 64 for the chains of decisions, then exact and wildcard patterns in turns.
    private static func policy(_ count: Int, _ corpus: CertificateCorpus) throws -> PinPolicy {
        try PinPolicy(
            compiling: (0..<count).map { index in
                PinPolicy.Entry(
                    host: index < 64
                        ? "**.site\(index).example"
                        : ["", "*.", "**."][index % 3] + "h\(index).other\(index % 97).example",
                    pins: [PositionedPin(corpus.pins[(3 * (index % 64) + 2) % corpus.pins.count])],
                    backup: .pins([PositionedPin(Pin(hashing: Array("backup \(index)".utf8).span))]),
                    expiry: nil
                )
            },
            version: 1,
            at: 0
        )
    }

    /// Which entry decides for a host.
    func hosts(among count: Int, _ corpus: CertificateCorpus) throws {
        let policy = try Self.policy(count, corpus)
        let known = try (0..<count).shuffled().prefix(20_000).map { index in
            try Hostname(
                parsing: index < 64
                    ? "www.site\(index).example" : "\(index % 3 == 1 ? "x." : "")h\(index).other\(index % 97).example"
            )
        }
        let strangers = try (0..<20_000).map { try Hostname(parsing: "www.h\($0).stranger\($0 % 97).example") }
        for (kind, hosts) in [("hit", known), ("miss", strangers)] {
            precondition(hosts.allSatisfy { (policy.entryIndex(for: $0) != nil) == (kind == "hit") })
            let operation = "host among \(count) patterns, \(kind)"
            lookUps(operation, hosts) { (host: borrowing Hostname) in (policy.entryIndex(for: host) ?? -1) + 1 }
            guard kind == "hit" else { continue }
            dependentLookUps(operation, hosts) { (host: borrowing Hostname) in policy.entryIndex(for: host) ?? 0 }
        }
    }
}
