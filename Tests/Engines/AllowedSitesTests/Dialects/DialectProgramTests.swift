import LiveServers
import Testing

@testable import AllowedSites

/// What we write and read, asked of the programs themselves.
@Suite(.inTurn) struct DialectProgramTests {
    /// Rules of each form; those that a dialect cannot express are named as losses.
    private static let rules = [
        // names: alone, below, both; schemes and ports
        "*://a.example:*", "*://*.b.example:*", "*://c.example:*", "*://*.c.example:*", "https://d.example:*",
        "http://*.e.example:*", "f.example:8443", "*://*.g.example:8080", "h.example", "*://*.i.example",
        "https://k.example:*", "https://*.k.example:*",
        // a host inside a pair, before and behind it
        "*://in.l.example:*", "*://l.example:*", "*://*.l.example:*", "*://below.in.l.example:*",
        "*://*.deep.l.example:*",
        // addresses and networks
        "*://192.0.2.1:*", "https://192.0.2.2:*", "192.0.2.3", "*://[2001:db8::1]:*", "http://[2001:db8::2]:8080",
        "*://10.0.0.0/8:*", "https://172.16.0.0/12:*", "http://192.168.0.0/24:*", "*://[2001:db8:1::]/48:*",
        "https://[2001:db8:2::]/48:*", "http://[2001:db8:3::]/48:*", "https://198.51.100.0/24",
    ]

    private static let hosts =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "l"].flatMap { ["\($0).example", "x.\($0).example"] }
        + [
            "in.l.example", "below.in.l.example", "y.deep.l.example", "xa.example", "192.0.2.1", "192.0.2.2",
            "192.0.2.3",
        ]
        + ["[2001:db8::1]", "[2001:db8::2]", "10.1.2.3", "11.1.2.3", "172.16.3.4", "172.32.3.4", "192.168.0.9"]
        + ["192.168.1.9", "[2001:db8:1::9]", "[2001:db8:2::9]", "[2001:db8:3::9]", "198.51.100.7"]

    private static let urls = hosts.flatMap { host in
        ["http://\(host)/", "https://\(host)/", "http://\(host):8080/", "https://\(host):8443/"]
    }

    /// Squid sees a URL with https as CONNECT, and its list knows neither schemes nor ports.
    private static func urls(of peer: DialectPeer) -> [String] {
        peer == .squid ? urls.filter { $0.hasPrefix("http:") } : urls
    }

    @Test(
        "A program gives nothing to a site that the list does not allow, and all that is no loss",
        .enabled(if: DialectPeer.installed.count == DialectPeer.allCases.count, DialectPeer.isMissing),
        arguments: DialectPeer.installed
    )
    func written(peer: DialectPeer) throws {
        let writing = peer.dialect.write(try SiteList(parsing: Self.rules.joined(separator: "\n"), name: "ours"))
        let lost = Set(writing.losses.map(\.line))
        let kept = Self.rules.enumerated().filter { !lost.contains($0.offset + 1) }.map(\.element)
        #expect(kept.count > 5)
        let trie = SiteTrie(compiling: try SiteList(parsing: kept.joined(separator: "\n"), name: "kept"))
        let urls = Self.urls(of: peer)
        let answers = try peer.answers(writing.text, urls)
        let wrong = zip(urls, answers).filter { trie.verdict(forURL: $0).isAllowed != $1 }.map(\.0)
        #expect(wrong == [], "\(writing.text)")
        #expect(answers.contains(true) && answers.contains(false))
    }

    /// Entries as people write them, in the program's own words.
    private static let foreign: [DialectPeer: String] = [
        .chromium:
            "a.example,*.b.example,.c.example,https://d.example,http://*.e.example:8080,f.example:8443,10.0.0.0/8,"
            + "https://172.16.0.0/12,http://2001:db8:1::/48,[2001:db8::1],https://[2001:db8::2]:8443,192.168.0.0/24:8080,"
            + "[2001:db8:2::]/48,192.0.2.*,k.example.",
        .firefox:
            "a.example,.b.example,https://d.example,http://.e.example:8080,f.example:8443,10.0.0.0/8,192.0.2.1,*.c.example,"
            + "[2001:db8::1],HTTPS://g.example,k.example.",
        .squid:
            "a.example .b.example .l.example 192.0.2.1 [2001:db8::1] 10.0.0.0/8 *.c.example d.example:8080 k.example.",
    ]

    @Test(
        "A list that is read allows what the program allows, apart from its losses",
        .enabled(if: DialectPeer.installed.count == DialectPeer.allCases.count, DialectPeer.isMissing),
        arguments: DialectPeer.installed
    )
    func read(peer: DialectPeer) throws {
        let text = try #require(Self.foreign[peer])
        let reading = try peer.dialect.read(text, name: "theirs")
        // What matches never there is a loss here, so that the losses hide nothing; a pattern inside a label is left out.
        let trie = SiteTrie(compiling: reading.list)
        let hidden = reading.losses.filter {
            $0.reason == .pattern || $0.reason == .addressPattern(network: "192.0.2.0/24")
        }
        let urls = Self.urls(of: peer)
        let answers = try peer.answers(text.split(separator: " ").joined(separator: "\n"), urls)
        let wider = zip(urls, answers).filter { trie.verdict(forURL: $0).isAllowed && !$1 }.map(\.0)
        #expect(wider == [])
        let narrower = zip(urls, answers).filter { !trie.verdict(forURL: $0).isAllowed && $1 }.map(\.0)
        #expect(hidden.isEmpty ? narrower == [] : narrower.allSatisfy { $0.contains("192.0.2.") }, "\(narrower)")
    }

    @Test("NO_PROXY: neither curl nor Python goes past the proxy to a site that the list does not allow") func noProxy()
        throws
    {
        let writing = SiteDialect.noProxy.write(try SiteList(parsing: Self.rules.joined(separator: "\n"), name: "ours"))
        let lost = Set(writing.losses.map(\.line))
        let kept = Self.rules.enumerated().filter { !lost.contains($0.offset + 1) }.map(\.element)
        let trie = SiteTrie(compiling: try SiteList(parsing: kept.joined(separator: "\n"), name: "kept"))
        for (program, answers) in try DialectPeer.pastProxy(writing.text, Self.urls) {
            let wider = zip(Self.urls, answers).filter { $1 && !trie.verdict(forURL: $0).isAllowed }.map(\.0)
            #expect(wider == [], "\(program): \(writing.text)")
            #expect(answers.contains(true) && answers.contains(false), "\(program)")
        }
    }
}
