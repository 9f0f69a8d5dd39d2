internal import Hostnames
internal import PeerComparison
internal import SPKIPins

/// Walks, hashes and looks up keys: the recording's certificates, and pins made of numbers.
enum PinOperations {
    static func all() throws -> [HotOperation] {
        let fixture = try HandlerFixture()
        return try certificates(fixture) + policies(fixture) + sets(1_000) + sets(100_000)
    }

    private static func certificates(_ fixture: HandlerFixture) throws -> [HotOperation] {
        var operations: [HotOperation] = []
        for (index, certificate) in fixture.pinnedChain.enumerated() {
            let key = try CertificateWalk(of: certificate.span).subjectPublicKeyInfo.range
            let shape = "chain-\(index)/bytes=\(certificate.count)"
            operations.append(
                operation("CertificateWalk.init/\(shape)", per: .wide) { count in
                    var sum = 0
                    for _ in 0..<count {
                        let walk = try? CertificateWalk(of: certificate.span)
                        sum &+= walk?.subjectPublicKeyInfo.range.lowerBound ?? 0
                    }
                    return sum
                }
            )
            operations.append(
                operation("Pin.init/\(shape)/key=\(key.count)", per: .sha256) { count in
                    var sum = 0
                    for _ in 0..<count {
                        let pin = try? Pin(ofCertificate: certificate.span)
                        sum &+= Int(truncatingIfNeeded: pin?.word0 ?? 0)
                    }
                    return sum
                }
            )
        }
        return operations
    }

    private static func policies(_ fixture: HandlerFixture) throws -> [HotOperation] {
        let chain = try ValidatedChain(assertingValidated: fixture.pinnedChain)
        let certificate = fixture.pinnedChain[fixture.pinnedChain.count - 1]
        let anchor = try Pin(ofCertificate: certificate.span)
        let policy = try PinPolicy(
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
        let known = try Hostname(parsing: "login.acme.example")
        let stranger = try Hostname(parsing: "login.stranger.example")
        guard case .matched = policy.verdict(for: known, chain: chain, now: 1),
            case .notPinned = policy.verdict(for: stranger, chain: chain, now: 1)
        else { preconditionFailure("the policy decides wrongly") }
        return [
            verdict("anchor/chain=\(fixture.pinnedChain.count)/N=1000", policy, known, chain, per: .sha256),
            verdict("memo/chain=\(fixture.pinnedChain.count)/N=1000", policy, known, chain, PinMemo(), per: .wide),
            verdict("not-pinned/N=1000", policy, stranger, chain, per: .wide),
        ]
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
        let contestant = Contestant(HotOperation.ours, name, perform: perform)
        return HotOperation(.spkiPins, contestant, per: yardstick, workload: workload)
    }
}
