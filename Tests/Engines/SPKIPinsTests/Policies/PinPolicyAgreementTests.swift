import Hostnames
import SPKIPins
import TestSupport
import Testing

/// Few labels and few keys, so that random patterns, hosts and chains meet often.
private struct RandomWorld {
    var generator: SeededGenerator
    let keys: [(certificate: [UInt8], pin: Pin)]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        keys = try (0..<8).map { number in
            var certificate = HandmadeCertificate()
            certificate[.keyBits] = der(0x03, [0, UInt8(number)])
            return (certificate.bytes, try Pin(ofCertificate: certificate.bytes.span))
        }
    }

    mutating func host() -> String {
        let count = Int.random(in: 0...3, using: &generator)
        let labels = (0..<count).map { _ in ["a", "b"].randomElement(using: &generator) ?? "a" }
        return (labels + ["c", "example"]).joined(separator: ".")
    }

    mutating func policyEntries() -> [PinPolicy.Entry] {
        var hosts: Set<String> = []
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            hosts.insert((["", "*.", "**."].randomElement(using: &generator) ?? "") + host())
        }
        return hosts.sorted().map { host in
            let shuffled = keys.map(\.pin).shuffled(using: &generator)
            let positioned = shuffled.prefix(Int.random(in: 2...4, using: &generator)).map { pin in
                let positions: [PinPosition] = [.any, .leaf, .issuer, .anchor]
                return PositionedPin(pin, at: positions.randomElement(using: &generator) ?? .any)
            }
            let primaries = Int.random(in: 1..<positioned.count, using: &generator)
            return PinPolicy.Entry(
                host: host,
                pins: Array(positioned.prefix(primaries)),
                backup: .pins(Array(positioned.dropFirst(primaries))),
                expiry: Bool.random(using: &generator) ? Int64.random(in: 1...100, using: &generator) : nil,
                mode: Bool.random(using: &generator) ? .enforce : .reportOnly,
                forbidden: Int.random(in: 0..<3, using: &generator) == 0 ? [shuffled[7]] : []
            )
        }
    }

    mutating func chain() -> [(certificate: [UInt8], pin: Pin)] {
        Array(keys.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator)))
    }
}

@Suite struct PinPolicyAgreementTests {
    @Test("The policy and the linear matcher agree", arguments: UInt64(1)...96)
    func agreesWithLinearMatcher(seed: UInt64) throws {
        var world = try RandomWorld(seed: seed)
        let entries = world.policyEntries()
        let policy = try PinPolicy(compiling: entries, version: seed, at: 0)
        let mapped = try PinPolicy(image: policy.image)
        let memo = PinMemo(slots: 4)
        let oracle = LinearPinMatcher(entries: entries)
        for _ in 0..<40 {
            let host = world.host()
            let keys = world.chain()
            let now = Int64.random(in: 0...100, using: &world.generator)
            let chain = try ValidatedChain(assertingValidated: keys.map(\.certificate))
            let name = try Hostname(parsing: host)
            let verdict = policy.verdict(for: name, chain: chain, now: now)
            #expect(policy.verdict(for: name, chain: chain, now: now, memo: memo) == verdict)
            #expect(mapped.verdict(for: name, chain: chain, now: now) == verdict)
            let expected = oracle.answer(host: host, chain: keys.map(\.pin), now: now)
            #expect(answer(verdict) == expected, "\(host) at \(now)")
            #expect(verdict.policyVersion == seed)
        }
    }

    private func answer(_ verdict: PinVerdict) -> LinearPinMatcher.Answer {
        switch verdict {
        case .notPinned: .notPinned
        case .matched(let match):
            .matched(certificate: match.certificateIndex, isBackup: match.isBackup, entry: match.entry)
        case .mismatched(let mismatch): .mismatched(entry: mismatch.entry)
        case .reportOnlyMismatch(let mismatch): .reported(entry: mismatch.entry)
        case .expiredPolicy(let expiry): .expired(entry: expiry.entry, wouldMatch: expiry.match != nil)
        case .forbiddenKey(let key): .forbidden(certificate: key.certificateIndex, entry: key.entry)
        }
    }
}
