import TestSupport
import Testing

@testable import AllowedSites

@Suite struct DialectWritingTests {
    private func write(_ dialect: SiteDialect, _ lines: String...) throws -> (
        text: String, losses: [Int: DialectLoss.Reason]
    ) {
        let writing = dialect.write(try SiteList(parsing: lines.joined(separator: "\n"), name: "ours"))
        return (writing.text, Dictionary(writing.losses.map { ($0.line, $0.reason) }) { first, _ in first })
    }

    @Test("A rule in every dialect that can express it") func everyDialect() throws {
        let pair = ["*://a.example:*", "*://*.a.example:*"]
        let expected: [SiteDialect: String] = [
            .chromium: "a.example,*.a.example", .firefox: "a.example",
            .windowsZones: "*://a.example\t1\n*://*.a.example\t1",
            .noProxy: "a.example", .squid: ".a.example", .apple: "a.example\n.a.example",
        ]
        for dialect in SiteDialect.allCases {
            let (text, losses) = try write(dialect, pair[0], pair[1])
            #expect(text == expected[dialect], "\(dialect)")
            #expect(losses.isEmpty)
        }
    }

    @Test("Schemes and ports") func schemesAndPorts() throws {
        let lines = ["a.example", "*://b.example", "http://c.example:*", "*://d.example:8443", "*.e.example:8443"]
        let (chromium, losses) = try write(.chromium, lines[0], lines[1], lines[2], lines[3], lines[4])
        #expect(
            chromium
                == "https://a.example:443,http://b.example:80,https://b.example:443,http://c.example,d.example:8443,"
                + "https://*.e.example:8443"
        )
        #expect(losses.isEmpty)
        let firefox = try write(.firefox, lines[0], lines[4])
        #expect(firefox.text == "https://.e.example:8443" && firefox.losses == [1: .hostAlone])
        let zones = try write(.windowsZones, lines[0], lines[2], lines[4])
        #expect(zones.text == "http://c.example\t1" && zones.losses == [1: .port, 3: .port])
        let proxy = try write(.noProxy, lines[0], lines[1], "*://*.d.example:8443")
        #expect(proxy.text.isEmpty && proxy.losses == [1: .scheme, 2: .port, 3: .withoutHost])
        let squid = try write(.squid, lines[0], lines[3], "*://*.f.example:*", "*://f.example:8443")
        #expect(squid.losses == [1: .scheme, 2: .port, 3: .withoutHost, 4: .port] && squid.text.isEmpty)
        let apple = try write(.apple, lines[0], lines[3], "*://*.f.example:*")
        #expect(apple.text == ".f.example" && apple.losses == [1: .scheme, 2: .port])
    }

    @Test("Addresses and networks") func addresses() throws {
        let lines = ["*://10.0.0.0/8:*", "*://192.0.2.0/24:*", "192.0.2.1", "*://[2001:db8::]/32:*", "*://[::1]:*"]
        func write(_ dialect: SiteDialect) throws -> (String, [Int: DialectLoss.Reason]) {
            let (text, losses) = try self.write(dialect, lines[0], lines[1], lines[2], lines[3], lines[4])
            return (text, losses)
        }
        // The address says less than the network around it, so the network cannot stand.
        #expect(
            try write(.chromium) == ("10.0.0.0/8,https://192.0.2.1:443,2001:db8::/32,[::1]", [2: .narrower(line: 3)])
        )
        let network = DialectLoss.Reason.network
        #expect(
            try write(.firefox) == ("https://192.0.2.1:443,[::1]", [1: network, 2: .narrower(line: 3), 4: network])
        )
        // Firefox 153 knows an IPv6 address only without a scheme and a port.
        #expect(
            try self.write(.firefox, "*://[::1]:8443", "http://[::1]:*") == (
                "", [1: .withoutEffect, 2: .withoutEffect]
            )
        )
        #expect(try self.write(.windowsZones, lines[1], lines[0]) == ("*://192.0.2.*\t1", [2: network]))
        #expect(try self.write(.noProxy, lines[0], lines[3]) == ("10.0.0.0/8,2001:db8::/32", [:]))
        #expect(try self.write(.squid, lines[0], lines[4]) == ("[::1]", [1: network]))
    }

    @Test("Chromium: a network keeps its scheme, and a port is a loss") func schemesOfNetworks() throws {
        let (text, losses) = try write(
            .chromium,
            "https://10.0.0.0/8:*",
            "http://[2001:db8::]/32:*",
            "https://192.168.0.0/16",
            "https://172.16.0.0/12:8443",
            "https://[2001:db9::]/32:443"
        )
        #expect(text == "https://10.0.0.0/8,http://2001:db8::/32")
        #expect(losses == [3: .port, 4: .port, 5: .port])
        let written = NaiveDialects(.chromium, text)
        #expect(written.allows(scheme: "https", host: "10.1.2.3", port: 8443))
        #expect(!written.allows(scheme: "http", host: "10.1.2.3", port: 80))
    }

    @Test("Squid: an entry that a wider one covers is not written, in any order") func squidOrder() throws {
        let pair = ["*://a.example:*", "*://*.a.example:*"]
        let inside = ["*://b.a.example:*", "*://c.b.a.example:*", "*://d.c.b.a.example:*"]
        for lines in [inside + pair, pair + inside, [inside[1], pair[1], inside[0], pair[0], inside[2]]] {
            let writing = SiteDialect.squid.write(try SiteList(parsing: lines.joined(separator: "\n"), name: "ours"))
            #expect(writing.text == ".a.example" && writing.losses.isEmpty)
        }
        // Pairs inside a pair, names that only end alike, and one label.
        let (text, losses) = try write(
            .squid,
            "*://b.a.example:*",
            "*://*.b.a.example:*",
            "*://a.example:*",
            "*://*.a.example:*",
            "*://xa.example:*",
            "*://example:*"
        )
        #expect(text == ".a.example\nxa.example\nexample" && losses.isEmpty)
    }

    @Test("Exceptions and paths take what is around them along") func narrower() throws {
        let rules = [
            "*://*.a.example:*", "!bad.a.example", "*://b.example:*", "*://*.c.example:*", "*://x.c.example:*/app",
        ]
        for dialect in [SiteDialect.chromium, .apple] {
            let (text, losses) = try write(dialect, rules[0], rules[1], rules[2], rules[3], rules[4])
            #expect(text == "b.example")
            #expect(losses == [1: .narrower(line: 2), 2: .exception, 4: .narrower(line: 5), 5: .path])
        }
        // Windows has exceptions: another zone.
        let zones = try write(.windowsZones, "*://a.example:*", rules[0], rules[1])
        #expect(zones.text == "*://a.example\t1\n*://*.a.example\t1\n*://bad.a.example\t3" && zones.losses.isEmpty)
        let path = try write(.windowsZones, "*://a.example:*", rules[0], "!bad.a.example/x")
        #expect(path.text == "*://a.example\t1" && path.losses == [2: .narrower(line: 3), 3: .path])
        // A host that allows at least as much does not matter, nor does a pair with something narrower in it hide it.
        #expect(try write(.chromium, "*.a.example", "*://x.a.example:*").losses.isEmpty)
        let pair = try write(.firefox, "*://d.example:*", "*://*.d.example:*", "!x.d.example")
        #expect(pair.text.isEmpty && pair.losses == [1: .hostAlone, 2: .narrower(line: 3), 3: .exception])
    }

    @Test(
        "No dialect is written wider than the list, or read otherwise than the dialect says",
        arguments: Effort.seeds(24, thorough: 64)
    )
    func neverWider(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = [
            "a.example", "b.a.example", "c.b.a.example", "xa.example", "example.net", "10.0.0.0/8", "10.1.0.0/16",
            "10.1.2.3",
        ]
        func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let host = pick(names)
            let star = host.hasPrefix("10.") ? "" : pick(["", "*."])
            return pick(["", "", "", "!"]) + pick(["", "http://", "https://", "*://", "*://"]) + star + host
                + pick(["", ":*", ":*", ":*", ":8443"]) + pick(["", "", "", "/app"])
        }
        let list = try SiteList(parsing: lines.joined(separator: "\n"), name: "ours")
        let trie = SiteTrie(compiling: list)
        let marks = ["", ".", "*.", "*"]
        let lineDialects: Set<SiteDialect> = [.windowsZones, .squid, .apple]
        for dialect in SiteDialect.allCases {
            let writing = dialect.write(list)
            #expect(writing.losses.count <= list.count)
            let written = NaiveDialects(dialect, writing.text, isWidest: true)
            let entries = (0..<3).map { _ in
                if dialect == .chromium || dialect == .noProxy, Bool.random(using: &random) {
                    return pick(dialect == .chromium ? ["", "https://", "http://"] : [""])
                        + pick(["10.0.0.0/8", "10.1.2.9/24"])
                }
                return pick(dialect == .chromium || dialect == .firefox ? ["", "https://", "http://"] : [""])
                    + pick(marks)
                    + pick(names.filter { !$0.hasPrefix("10.") })
                    + (dialect == .windowsZones ? "\t\(pick(["1", "1", "4"]))" : pick(["", "", ":8443"]))
            }
            let text = entries.joined(separator: lineDialects.contains(dialect) ? "\n" : ",")
            let reading = try dialect.read(text, name: "foreign")
            let read = SiteTrie(compiling: reading.list)
            let foreign = NaiveDialects(dialect, text)
            let hosts = names.filter { !$0.contains("/") }
            for host in hosts + hosts.map({ "x." + $0 }) + ["10.1.2.4", "10.200.0.1", "11.1.2.3"]
            where host != "x.10.1.2.3" {
                for (scheme, port) in [("https", 443), ("https", 8443), ("http", 80), ("http", 8443)] {
                    let url = "\(scheme)://\(host):\(port)/"
                    if written.allows(scheme: scheme, host: host, port: port) {
                        #expect(trie.verdict(forURL: url).isAllowed, "\(dialect): \(lines) as \(writing.text): \(url)")
                    }
                    let isAllowed = read.verdict(forURL: url).isAllowed
                    let isAllowedThere = foreign.allows(scheme: scheme, host: host, port: port)
                    #expect(!isAllowed || isAllowedThere, "\(dialect): \(entries) here: \(url)")
                    // Windows' reading of a wildcard's own host is not known.
                    if reading.losses.isEmpty, dialect != .windowsZones {
                        #expect(isAllowed == isAllowedThere, "\(dialect): \(entries) here: \(url)")
                    }
                }
            }
        }
    }
}
