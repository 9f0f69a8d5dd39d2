import TestSupport
import Testing

@testable import Hostnames

@Suite struct IPv6AddressTests {
    @Test(
        "RFC 4291 2.2 texts in RFC 5952 form",
        arguments: [
            // RFC 4291 2.2
            ("ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"),
            ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("FF01:0:0:0:0:0:0:101", "ff01::101"),
            ("0:0:0:0:0:0:0:1", "::1"), ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:13.1.68.3", "::d01:4403"),
            // RFC 5952 1, 2 and 4
            ("2001:db8::0:1", "2001:db8::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:aaaa:bbbb:cccc:dddd::1", "2001:db8:aaaa:bbbb:cccc:dddd:0:1"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1::", "1::"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:255.255.255.255", "1:2:3:4:5:6:ffff:ffff"),
        ]
    )
    func canonicalForm(text: String, canonical: String) throws {
        #expect(try Hostname(parsing: "[\(text)]").description == "[\(canonical)]")
    }

    @Test(
        "Texts that are not IPv6 addresses",
        arguments: [
            ("", 1), (":", 1), (":1", 1), ("1", 2), ("1:", 3), ("1:2:3:4:5:6:7", 14), ("1:2:3:4:5:6:7:8:9", 17),
            ("1:2:3:4:5:6:7:8::", 18), ("::1:2:3:4:5:6:7:8", 18), (":::", 3), ("1:::2", 4), ("1::2::3", 6),
            ("12345::", 5), ("g::", 1), ("::1.2.3", 3), ("::1.2.3.256", 3), ("::01.2.3.4", 3),
            ("1:2:3:4:5:6:7:1.2.3.4", 15),
            ("::1.2.3.4:5", 3), ("::1]", 4), ("[::1", 1), ("::1 ", 4), ("::\u{660}", 3),
        ]
    )
    func malformed(text: String, offset: Int) {
        #expect(throws: HostnameError.invalidIPv6(offset: offset)) { try Hostname(parsing: "[\(text)]") }
    }

    @Test("Zones, brackets and mapped addresses are refused by name") func refusedByName() {
        #expect(throws: HostnameError.zoneIdentifier(offset: 4)) { try Hostname(parsing: "[::1%eth0]") }
        #expect(throws: HostnameError.zoneIdentifier(offset: 8)) { try Hostname(parsing: "[fe80::1%25en0]") }
        #expect(throws: HostnameError.unclosedBracket(offset: 0)) { try Hostname(parsing: "[::1") }
        #expect(throws: HostnameError.unclosedBracket(offset: 0)) { try Hostname(parsing: "[") }
        #expect(throws: HostnameError.unclosedBracket(offset: 0)) { try Hostname(parsing: "[0:0::1%5D") }
        #expect(throws: HostnameError.unclosedBracket(offset: 0)) { try Hostname(parsing: "[::1]x") }
        #expect(throws: HostnameError.ipv4MappedIPv6(offset: 0)) { try Hostname(parsing: "[::ffff:192.0.2.1]") }
        #expect(throws: HostnameError.ipv4MappedIPv6(offset: 0)) { try Hostname(parsing: "[::FFFF:c000:201]") }
    }

    @Test("Every spelling of an address is that address", arguments: UInt64(1)...64)
    func everySpelling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            // Half of the groups are zero, so that runs of every length and place occur.
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 1...UInt16.max, using: &random)
            }
            let words = groups.map { group in
                var word = String(group, radix: 16)
                if Bool.random(using: &random) { word = word.uppercased() }
                return String(repeating: "0", count: Int.random(in: 0...(4 - word.count), using: &random)) + word
            }
            let mapped = groups.prefix(5).allSatisfy { $0 == 0 } && groups[5] == 0xffff
            guard !mapped else { continue }
            let canonical = NaiveHost.text(ofIPv6: groups)
            let host = try Hostname(parsing: "[" + words.joined(separator: ":") + "]")
            #expect(host.description == "[\(canonical)]")
            #expect(try Hostname(parsing: "[\(canonical)]") == host)
            let dotted = "\(groups[6] >> 8).\(groups[6] & 255).\(groups[7] >> 8).\(groups[7] & 255)"
            #expect(try Hostname(parsing: "[" + words[..<6].joined(separator: ":") + ":\(dotted)]") == host)
        }
    }
}
