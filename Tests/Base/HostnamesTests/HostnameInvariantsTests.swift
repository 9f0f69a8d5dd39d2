import Testing

@testable import Hostnames

@Suite struct HostnameInvariantsTests {
    @Test("A parsed host is canonical", arguments: ["Host.Example.", "a", "x_y-z.0a", "192.0.2.1", "[2001:db8::1]"])
    func parsed(text: String) throws {
        #expect(try Hostname(parsing: text).form.brokenInvariant() == nil)
    }

    @Test("A name in another form breaks the invariant", arguments: ["", "a..b", "a.", ".a", "Host", "a b", "*.a"])
    func notCanonical(name: String) {
        #expect(Hostname.Form.name([UInt8](name.utf8)).brokenInvariant() != nil)
    }

    @Test("A label of 64 bytes and a name of 254 bytes break the invariant") func tooLong() {
        let label = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
        #expect(Hostname.Form.name(label).brokenInvariant() != nil)
        #expect(Hostname.Form.name(Array(label.dropLast())).brokenInvariant() == nil)
        let name = Array(repeating: "a", count: 127).joined(separator: ".")
        #expect(Hostname.Form.name([UInt8](name.utf8)).brokenInvariant() == nil)
        #expect(Hostname.Form.name([UInt8]((name + "a").utf8)).brokenInvariant() != nil)
    }

    @Test("The table of the public suffix list keeps its invariants") func publicSuffixes() {
        #expect(PublicSuffixList.builtIn.table.brokenInvariant() == nil)
        #expect(PublicSuffixTable(rules: Array("com\n*.ck\n!www.ck".utf8)).brokenInvariant() == nil)
    }
}
