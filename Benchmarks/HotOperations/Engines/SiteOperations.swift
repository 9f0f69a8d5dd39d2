internal import AllowedSites
internal import BenchmarkSupport
internal import Hostnames
internal import PeerComparison

/// Verdicts about sites: lists of several sizes, each the beginning of the next; hits and misses apart.
enum SiteOperations {
    private static let questions = 256

    static func all() throws -> [HotOperation] {
        var operations: [HotOperation] = []
        for count in [1_000, 100_000] { operations += try verdicts(count) }
        operations += try addresses() + lists() + parsing()
        return operations
    }

    private static func verdicts(_ count: Int) throws -> [HotOperation] {
        var corpus = SiteCorpus(seed: 1, count: count)
        let trie = SiteTrie(compiling: try SiteList(parsing: corpus.text().span, name: "list"))
        let hits = try corpus.hits(questions).map(origin)
        let misses = try corpus.nearMisses(questions).map(origin)
        // Hits in a larger list are not in the nearest cache: they wait for loads, not for the processor. A miss reads only the
        // filter and waits for little, so another program on the core slows it like other code.
        let isLarge = count > 10_000
        return [
            verdict("hit/N=\(count)", trie, hits, isAllowed: true, per: isLarge ? .lines : .wide),
            verdict("miss/N=\(count)", trie, misses, isAllowed: false, per: .wide),
        ]
    }

    /// Networks of many lengths, as CIDR: addresses in them, between them, and without the first bits that all of them share.
    private static func addresses() throws -> [HotOperation] {
        var corpus = SiteCorpus(seed: 2, count: 1)
        // All in 64.0.0.0/2.
        func next() -> UInt32 { UInt32(truncatingIfNeeded: corpus.next()) & 0x3FFF_FFFF | 0x4000_0000 }
        var rules: Set<String> = []
        var networks: [(first: UInt32, length: UInt32)] = []
        while rules.count < 1_000 {
            let length = 12 + UInt32(corpus.next() % 17)
            let first = next() & (UInt32.max << (32 - length))
            rules.insert("\(IPv4Address(rawValue: first))/\(length)")
            networks.append((first, length))
        }
        let sorted = rules.sorted()
        let trie = SiteTrie(compiling: try SiteList(parsing: sorted.joined(separator: "\n"), name: "networks"))
        let hits = try sorted.prefix(questions).map { rule in
            try Origin(parsing: "https://" + rule.prefix { $0 != "/" })
        }
        var misses: [Origin] = []
        while misses.count < questions {
            let address = next()
            if networks.contains(where: { ($0.first ^ address) >> (32 - $0.length) == 0 }) { continue }
            misses.append(try Origin(parsing: "https://\(IPv4Address(rawValue: address))"))
        }
        let outside = try (0..<questions).map { try Origin(parsing: "https://10.1.\($0).7") }
        return [
            verdict("network-hit/N=1000", trie, hits, isAllowed: true, per: .wide),
            verdict("network-miss/N=1000", trie, misses, isAllowed: false, per: .wide),
            verdict("network-outside/N=1000", trie, outside, isAllowed: false, per: .wide),
        ]
    }

    /// Rules with paths, and exceptions to them.
    private static func lists() throws -> [HotOperation] {
        let text = (0..<64).flatMap { ["h\($0).site.example/team", "!h\($0).site.example/team/export"] }
        let trie = SiteTrie(compiling: try SiteList(parsing: text.joined(separator: "\n"), name: "paths"))
        let origins = try (0..<questions).map { try Origin(parsing: "https://h\($0 % 64).site.example") }
        return [
            verdict("path-hit/N=128", trie, origins, path: "/team/wiki/start", isAllowed: true, per: .wide),
            verdict("path-exception/N=128", trie, origins, path: "/team/export", isAllowed: false, per: .wide),
        ]
    }

    private static func parsing() throws -> [HotOperation] {
        let url = "https://wiki.corp.acme.example:8443/team/start?page=2"
        let trie = SiteTrie(compiling: try SiteList(parsing: "*.acme.example:8443", name: "list"))
        precondition(trie.verdict(forURL: url).isAllowed, "the site of the URL is not allowed")
        let names = ["wiki.corp.acme.example", "10.1.2.3", "[2001:db8::7]"]
        let whole = MeasuredImplementation(HotOperation.ours, "SiteTrie.verdict/url/bytes=\(url.utf8.count)") { count in
            var sum = 0
            for _ in 0..<count { sum &+= trie.verdict(forURL: url).isAllowed ? 1 : 0 }
            return sum
        }
        let hosts = try zip(names, ["name", "ipv4", "ipv6"]).map { text, kind in
            let expected = try Hostname(parsing: text)
            precondition(expected.isAddress == (kind != "name"), "\(text) is read as something else")
            let implementation = MeasuredImplementation(HotOperation.ours, "Hostname.init/\(kind)") { count in
                var sum = 0
                for _ in 0..<count { sum &+= (try? Hostname(parsing: text)) == expected ? 1 : 0 }
                return sum
            }
            return HotOperation(.allowedSites, implementation, per: .wide)
        }
        return [HotOperation(.allowedSites, whole, per: .wide)] + hosts
    }

    private static func verdict(
        _ name: String,
        _ trie: SiteTrie,
        _ origins: [Origin],
        path: String = "/",
        isAllowed: Bool,
        per yardstick: Yardstick
    ) -> HotOperation {
        for origin in origins {
            precondition(trie.verdict(for: origin, path: path).isAllowed == isAllowed, "\(name): wrong about \(origin)")
        }
        let implementation = MeasuredImplementation(HotOperation.ours, "SiteTrie.verdict/\(name)") { count in
            var sum = 0
            for index in 0..<count {
                sum &+= trie.verdict(for: origins[index & (origins.count &- 1)], path: path).isAllowed ? 1 : 0
            }
            return sum
        }
        return HotOperation(.allowedSites, implementation, per: yardstick, workload: 1024)
    }

    private static func origin(_ name: [UInt8]) throws -> Origin {
        try Origin(parsing: "https://" + String(decoding: name, as: UTF8.self))
    }
}
