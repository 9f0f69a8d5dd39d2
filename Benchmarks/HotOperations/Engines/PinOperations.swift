internal import BenchmarkSupport
internal import Hostnames
internal import PeerComparison
internal import SPKIPins

/// Walks, hashes and looks up keys: the recording's certificates, generated ones of each kind of key, and pins made of numbers.
enum PinOperations {
    static func all() throws -> [HotOperation] {
        let fixture = try HandlerFixture()
        var operations: [HotOperation] = []
        for (index, certificate) in fixture.pinnedChain.enumerated() {
            operations += try self.certificate(certificate, "chain-\(index)")
        }
        for shape in KeyShape.allCases {
            operations += try generated(ChainCorpus.chain(of: shape, seed: 1), shape)
        }
        return try operations + policies(fixture) + sets(1_000) + sets(100_000)
    }

    /// The leaf of a generated chain, and a decision that goes through all of it to the anchor.
    private static func generated(_ chain: [[UInt8]], _ shape: KeyShape) throws -> [HotOperation] {
        let host = try Hostname(parsing: "login.acme.example")
        let policy = try policy(pinning: chain[chain.count - 1])
        let validated = try ValidatedChain(assertingValidated: chain)
        guard case .matched = policy.verdict(for: host, chain: validated, now: 1) else {
            preconditionFailure("the policy decides wrongly")
        }
        let name = "anchor/chain=\(chain.count)/key=\(shape.rawValue)"
        return try certificate(chain[0], shape.rawValue) + [verdict(name, policy, host, validated, per: .sha256)]
    }

    private static func certificate(_ certificate: [UInt8], _ name: String) throws -> [HotOperation] {
        let key = try CertificateWalk(of: certificate.span).subjectPublicKeyInfo.range
        let shape = "\(name)/bytes=\(certificate.count)"
        return [
            operation("CertificateWalk.init/\(shape)", per: .wide) { count in
                var sum = 0
                for _ in 0..<count {
                    let walk = try? CertificateWalk(of: certificate.span)
                    sum &+= walk?.subjectPublicKeyInfo.range.lowerBound ?? 0
                }
                return sum
            },
            operation("Pin.init/\(shape)/key=\(key.count)", per: .sha256) { count in
                var sum = 0
                for _ in 0..<count {
                    let pin = try? Pin(ofCertificate: certificate.span)
                    sum &+= Int(truncatingIfNeeded: pin?.word0 ?? 0)
                }
                return sum
            },
        ]
    }

    private static func policies(_ fixture: HandlerFixture) throws -> [HotOperation] {
        let chain = try ValidatedChain(assertingValidated: fixture.pinnedChain)
        let policy = try policy(pinning: fixture.pinnedChain[fixture.pinnedChain.count - 1])
        let known = try Hostname(parsing: "login.acme.example")
        let stranger = try Hostname(parsing: "login.stranger.example")
        guard case .matched = policy.verdict(for: known, chain: chain, now: 1),
            case .notPinned = policy.verdict(for: stranger, chain: chain, now: 1)
        else { preconditionFailure("the policy decides wrongly") }
        return [
            verdict("anchor/chain=\(fixture.pinnedChain.count)/N=1000", policy, known, chain, per: .sha256),
            verdict("memo/chain=\(fixture.pinnedChain.count)/N=1000", policy, known, chain, PinMemo(), per: .wide),
            verdict("not-pinned/N=1000", policy, stranger, chain, per: .wide),
            try addressVerdict(chain, leaf: fixture.pinnedChain[0]),
        ]
    }

    /// One host whose anchor is pinned, among a thousand patterns.
    private static func policy(pinning certificate: [UInt8]) throws -> PinPolicy {
        let anchor = try Pin(ofCertificate: certificate.span)
        return try PinPolicy(
            compiling: (0..<1_000).map { number in
                PinPolicy.Entry(
                    host: number == 0 ? "**.acme.example" : "h\(number).other\(number % 97).example",
                    pins: [PositionedPin(anchor)],
                    backup: .pins([PositionedPin(numbered(number))]),
                    expiry: nil
                )
            },
            version: 1,
            at: 0
        )
    }

    private static func verdict(
        _ name: String,
        _ policy: PinPolicy,
        _ host: Hostname,
        _ chain: ValidatedChain,
        _ memo: PinMemo? = nil,
        per yardstick: Yardstick
    ) -> HotOperation {
        operation("PinPolicy.verdict/\(name)", per: yardstick) { count in
            var sum = 0
            for _ in 0..<count {
                if case .matched = policy.verdict(for: host, chain: chain, now: 1, memo: memo) { sum &+= 1 }
            }
            return sum
        }
    }

    /// A decision about an address, whose lookup takes another path than that of a name.
    private static func addressVerdict(_ chain: ValidatedChain, leaf: [UInt8]) throws -> HotOperation {
        let pins = [try Pin(ofCertificate: leaf.span), numbered(0)].map { PositionedPin($0) }
        let policy = try PinPolicy(
            compiling: (0..<1_000).map { number in
                let host = "[2001:db8::\(String(number, radix: 16))]"
                return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: nil)
            },
            version: 1,
            at: 0
        )
        let host = try Hostname(parsing: "[2001:db8::1f]")
        guard case .matched = policy.verdict(for: host, chain: chain, now: 1) else {
            preconditionFailure("the policy decides wrongly")
        }
        return verdict("address/N=1000", policy, host, chain, PinMemo(), per: .wide)
    }

    private static func sets(_ count: Int) throws -> [HotOperation] {
        let members = (0..<count).map(numbered)
        let set = try PinSet(compiling: members.map { PinSet.Member(pin: $0) })
        let questions = 256
        let hits = (0..<questions).map { members[$0 * 7919 % count] }
        let misses = (0..<questions).map { numbered(count + $0) }
        precondition(hits.allSatisfy(set.contains) && !misses.contains(where: set.contains), "the set is wrong")
        return [("hit", hits), ("miss", misses)].map { kind, pins in
            operation("PinSet.contains/\(kind)/N=\(count)", per: count > 10_000 ? .lines : .wide, workload: 4096) {
                count in
                var sum = 0
                for index in 0..<count where set.contains(pins[index & (pins.count &- 1)]) { sum &+= 1 }
                return sum
            }
        }
    }

    private static func numbered(_ number: Int) -> Pin { Pin(hashing: Array("pin \(number)".utf8).span) }

    private static func operation(
        _ name: String,
        per yardstick: Yardstick,
        workload: Int = 256,
        perform: @escaping (_ repetitions: Int) -> Int
    ) -> HotOperation {
        let implementation = MeasuredImplementation(HotOperation.ours, name, perform: perform)
        return HotOperation(.spkiPins, implementation, per: yardstick, workload: workload)
    }
}
