import Hostnames
import TestSupport
import Testing

@testable import SPKIPins

@Suite struct PinPolicyImageTests {
    private static func policy(hosts: [String], version: UInt64 = 5) throws -> PinPolicy {
        try PinPolicy(compiling: entries(hosts), version: version, at: 0)
    }

    private static func entries(_ hosts: [String]) -> [PinPolicy.Entry] {
        hosts.enumerated().map { index, host in
            PinPolicy.Entry(
                host: host,
                pins: [PositionedPin(Pin(hashing: Array("p\(index)".utf8).span), at: .leaf)],
                backup: .pins([PositionedPin(Pin(hashing: Array("b\(index)".utf8).span))]),
                expiry: index % 2 == 0 ? nil : 1000
            )
        }
    }

    private static let hosts = [
        "a.example", "*.a.example", "**.a.example", "b.example", "192.0.2.1", "[2001:db8::1]", "**.c.b.example",
        // A name that is as long as a place has room for, and one that is longer.
        "a-name-of-thirty-six-bytes-x.example", "**.a-name-of-thirty-seven-bytesx.example",
    ]

    @Test("An image says what the policy says")
    func roundTrip() throws {
        let policy = try Self.policy(hosts: Self.hosts)
        let read = try PinPolicy(image: policy.image)
        #expect(read.version == 5)
        #expect(read.entryCount == Self.hosts.count)
        #expect((0..<read.entryCount).map { read.pattern(ofEntry: $0) } == Self.hosts)
        for index in 0..<read.entryCount {
            #expect(read.expiry(ofEntry: index) == (index % 2 == 0 ? nil : 1000))
            #expect(read.pins(ofEntry: index) == policy.pins(ofEntry: index))
        }
        #expect(read.image == policy.image)
    }

    @Test("Names of every length are found, and nothing that differs in one byte")
    func lengths() throws {
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf")])
        let bases = (3...253).map { length in
            var name = Array(repeating: UInt8(ascii: "x"), count: length)
            for dot in stride(from: length - 2, to: 0, by: -50) { name[dot] = UInt8(ascii: ".") }
            return name
        }
        let policy = try Self.policy(hosts: bases.map { String(decoding: $0, as: UTF8.self) })
        #expect(try PinPolicy(image: policy.image).image == policy.image)
        for (index, base) in bases.enumerated() {
            #expect(policy.pattern(ofEntry: index) == String(decoding: base, as: UTF8.self))
            #expect(policy.entryIndex(for: try Hostname(parsing: String(decoding: base, as: UTF8.self))) == index)
            for offset in base.indices where base[offset] != UInt8(ascii: ".") {
                var other = base
                other[offset] = UInt8(ascii: "y")
                let host = try Hostname(parsing: String(decoding: other, as: UTF8.self))
                guard case .notPinned = policy.verdict(for: host, chain: chain, now: 0) else {
                    Issue.record("\(host) is pinned")
                    return
                }
            }
        }
    }

    @Test("Every cut and every flipped bit is an error")
    func damaged() throws {
        let image = try Self.policy(hosts: ["a.example", "*.a.example"]).image
        for count in 0..<image.count {
            #expect(throws: PinImageError.self) { try PinPolicy(image: Array(image.prefix(count))) }
        }
        for bit in 0..<image.count * 8 {
            var flipped = image
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: PinImageError.self) { try PinPolicy(image: flipped) }
        }
        #expect(throws: PinImageError.wrongKind(found: 2)) { try PinSet(image: image) }
    }

    @Test("Addresses of two kinds and names whose bytes are the same go together, and are never crowdedHosts")
    func hostsOfTheSameBytes() throws {
        // As an address, the bytes of "name-of-16.bytes", least significant first.
        let bytes = Array("name-of-16.bytes".utf8.reversed())
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        let hosts = [
            "0.0.0.1", "[::1]", "127.0.0.1", "[::7f00:1]", "name-of-16.bytes", "[\(groups.joined(separator: ":"))]",
            // These differ from 0.0.0.1 as the numbers of the kinds do.
            "[::3:0:0:0:1]", "0.0.0.3", "[::3]",
        ]
        let policy: PinPolicy
        do throws(PinPolicyError) {
            policy = try PinPolicy(compiling: Self.entries(hosts), version: 5, at: 0)
        } catch {
            #expect(error != .crowdedHosts)
            Issue.record("\(error)")
            return
        }
        for policy in [policy, try PinPolicy(image: policy.image)] {
            for (index, host) in hosts.enumerated() {
                #expect(policy.pattern(ofEntry: index) == host)
                #expect(policy.entryIndex(for: try Hostname(parsing: host)) == index)
            }
        }
    }

    @Test("Images of the layout before, which hashed addresses in another way, are refused by their number")
    func layoutBefore() throws {
        var image = try Self.policy(hosts: Self.hosts).image
        image[8] = 2
        #expect(throws: PinImageError.unknownLayout(found: 2)) { try PinPolicy(image: image) }
    }

    @Test("An image whose entries had expired before it was compiled is refused", arguments: [999, 1_000])
    func expiredBefore(compiledAt: UInt64) throws {
        let image = try Self.policy(hosts: Self.hosts).image
        var contents = Array(image[32..<image.count - 32])
        // The time of compiling is at offset 48 of the image.
        var time = compiledAt
        for index in 16..<24 {
            contents[index] = UInt8(truncatingIfNeeded: time)
            time >>= 8
        }
        let changed = PinImage.make(.policy, version: 1, contents: contents)
        if compiledAt < 1_000 {
            #expect(try PinPolicy(image: changed).compiledAt == 999)
        } else {
            #expect(throws: PinImageError.self) { try PinPolicy(image: changed) }
        }
    }

    @Test("Damage under a right checksum is an error, or answers without a trap", arguments: UInt64(1)...24)
    func forged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let image = try Self.policy(hosts: Self.hosts).image
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf")])
        let names = try (Self.hosts + ["x.y.c.b.example", "example", "z"]).filter { !$0.hasPrefix("*") }.map {
            try Hostname(parsing: $0)
        }
        for _ in 0..<200 {
            var contents = Array(image[32..<image.count - 32])
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let offset = Int.random(in: 0..<contents.count, using: &generator)
                contents[offset] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let policy = try? PinPolicy(image: PinImage.make(.policy, version: 1, contents: contents)) else {
                continue
            }
            for name in names { _ = policy.verdict(for: name, chain: chain, now: 0).description }
        }
    }

    @Test("Thousands of patterns are found, and nothing else")
    func manyHosts() throws {
        let hosts = (0..<3000).map { ["", "*.", "**."][$0 % 3] + "h\($0).zone\($0 % 7).example" }
        let policy = try Self.policy(hosts: hosts)
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf")])
        for (index, host) in hosts.enumerated() {
            let base = host.drop { $0 == "*" || $0 == "." }
            let question = index % 3 == 0 ? String(base) : "x." + base
            guard
                case .mismatched(let mismatch) = policy.verdict(
                    for: try Hostname(parsing: question),
                    chain: chain,
                    now: 0
                )
            else {
                Issue.record("\(question) is not pinned")
                return
            }
            #expect(mismatch.entry == index)
            let stranger = try Hostname(parsing: "y" + base)
            guard case .notPinned = policy.verdict(for: stranger, chain: chain, now: 0) else {
                Issue.record("\(stranger) is pinned")
                return
            }
        }
    }
}
