import TestSupport
import Testing

@testable import Hostnames

@Suite struct HostnameTests {
    @Test(
        "What canonical form a host has",
        arguments: [
            // WHATWG URL, table of host examples (the rows whose answer does not need a repair).
            ("EXAMPLE.COM", "example.com"), ("[0:0::1]", "[::1]"),
            // RFC 1035 2.3.3: case does not matter; RFC 1034 3.1: the dot at the end is the root.
            ("WwW.Host.Example.", "www.host.example"), ("localhost", "localhost"), ("localhost.", "localhost"),
            ("a_b.host.example", "a_b.host.example"), ("-a-.example", "-a-.example"),
            ("XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"),
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            // Numbers that are not in the last label do not make an address.
            ("1.2.3.4.example", "1.2.3.4.example"), ("0x.example", "0x.example"), ("127.1.a", "127.1.a"),
            ("a.0xg", "a.0xg"), ("10.0.0.1a", "10.0.0.1a"),
        ]
    )
    func canonicalForm(text: String, canonical: String) throws {
        let host = try Hostname(parsing: text)
        #expect(host.description == canonical)
        #expect(try Hostname(parsing: canonical) == host)
    }

    @Test("Names and addresses are told apart") func isAddress() throws {
        #expect(try !Hostname(parsing: "host.example").isAddress)
        #expect(try Hostname(parsing: "192.0.2.1").isAddress)
        #expect(try Hostname(parsing: "[::1]").isAddress)
    }

    @Test(
        "Odd IPv4 forms are refused",
        arguments: [
            // WHATWG URL, table of host examples.
            "0", "0x", "0xffffffff", "09", "example.255",
            // The pull request that introduced the "ends in a number" checker.
            "foo.0", "bar.0.09", "a.1.2.0x.", "1.2.3.4.5",
            // Spellings of 127.0.0.1 in inet_aton(3).
            "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "127.0.1", "0x7f000001", "017700000001", "0X7F.0.0.1",
            "256.0.0.1", "1.2.3.1000", "01.2.3.4", "192.0.2.1.", "1.2.3", "00000001.2.3.4",
        ]
    )
    func oddIPv4(text: String) {
        #expect(throws: HostnameError.oddIPv4(offset: 0)) { try Hostname(parsing: text) }
    }

    @Test(
        "What is not one certain host is refused, with its place",
        arguments: [
            ("", HostnameError.empty(offset: 0)),
            (".", .emptyLabel(offset: 0)), ("..", .emptyLabel(offset: 0)), (".host.example", .emptyLabel(offset: 0)),
            ("a..many.example", .emptyLabel(offset: 2)), ("host.example..", .emptyLabel(offset: 13)),
            // CVE-2022-27780: a delimiter that appears when the host is decoded.
            ("example.com%2F10.0.0.1", .percentEscape(offset: 11)), ("example%2Ecom", .percentEscape(offset: 7)),
            ("%30", .percentEscape(offset: 0)),
            // The ideographic, fullwidth and halfwidth full stops (CVE-2022-42916, CVE-2022-43551).
            ("host\u{3002}example", .nonASCII(offset: 4)), ("host\u{FF0E}example", .nonASCII(offset: 4)),
            ("host\u{FF61}example", .nonASCII(offset: 4)), ("fa\u{DF}.example", .nonASCII(offset: 2)),
            ("ho\u{AD}st.example", .nonASCII(offset: 2)), ("\u{212A}ey.example", .nonASCII(offset: 0)),
            ("*.one.example", .forbiddenByte(0x2a, offset: 0)), ("example^example", .forbiddenByte(0x5e, offset: 7)),
            (" host.example", .forbiddenByte(0x20, offset: 0)), ("host.example\n", .forbiddenByte(0x0a, offset: 12)),
            ("\nboth.example", .forbiddenByte(0x0a, offset: 0)), ("a\u{0}b", .forbiddenByte(0, offset: 1)),
            ("good.example\\evil", .forbiddenByte(0x5c, offset: 12)), ("a@b", .forbiddenByte(0x40, offset: 1)),
            ("a#b", .forbiddenByte(0x23, offset: 1)), ("a?b", .forbiddenByte(0x3f, offset: 1)),
            ("a/b", .forbiddenByte(0x2f, offset: 1)), ("a:80", .forbiddenByte(0x3a, offset: 1)),
            ("::1", .forbiddenByte(0x3a, offset: 0)), ("a]", .forbiddenByte(0x5d, offset: 1)),
            ("a[::1]", .forbiddenByte(0x5b, offset: 1)),
        ]
    )
    func refused(text: String, error: HostnameError) {
        #expect(throws: error) { try Hostname(parsing: text) }
    }

    @Test("Labels have at most 63 bytes") func labelLength() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try Hostname(parsing: "b.\(label).example").description == "b.\(label).example")
        #expect(throws: HostnameError.labelTooLong(offset: 2, length: 64)) {
            try Hostname(parsing: "b.a\(label).example")
        }
        #expect(throws: HostnameError.labelTooLong(offset: 0, length: 64)) { try Hostname(parsing: "a\(label)") }
    }

    @Test("Names have at most 253 bytes, the trailing dot not counted") func nameLength() throws {
        let longest = String(repeating: "a.", count: 126) + "b"
        #expect(longest.utf8.count == 253)
        #expect(try Hostname(parsing: longest).description == longest)
        #expect(try Hostname(parsing: longest + ".").description == longest)
        #expect(throws: HostnameError.nameTooLong(offset: 0, length: 254)) { try Hostname(parsing: longest + "b") }
        #expect(throws: HostnameError.nameTooLong(offset: 0, length: 100_000)) {
            try Hostname(parsing: String(repeating: "@", count: 100_000))
        }
    }

    @Test("Every byte in a host is taken or refused by name", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) {
        let bytes: [UInt8] = [0x61, byte, 0x62]
        let span = bytes.span
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
        let outcome: HostnameError?
        do {
            _ = try Hostname(parsing: span, in: 0..<3)
            outcome = nil
        } catch {
            outcome = error
        }
        switch byte {
        case _ where letters.contains(byte): #expect(outcome == nil)
        case 0x80...: #expect(outcome == .nonASCII(offset: 1))
        case 0x25: #expect(outcome == .percentEscape(offset: 1))
        default: #expect(outcome == .forbiddenByte(byte, offset: 1))
        }
    }

    @Test("Hosts agree with the naive reader", arguments: UInt64(1)...64)
    func agreesWithNaiveReader(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", "B", "0", "1", "255", "256", "0x", "0X1f", "f", ".", ".", ".", "-", "_", "example", "%", "*",
        ]
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                text += pieces.randomElement(using: &random) ?? ""
            }
            let host = try? Hostname(parsing: text)
            #expect(host?.description == NaiveHost.canonical(text), "\(text)")
        }
    }

    @Test("Errors say where and what to do in one line") func descriptions() {
        let errors: [HostnameError] = [
            .empty(offset: 7), .nonASCII(offset: 7), .forbiddenByte(9, offset: 7), .percentEscape(offset: 7),
            .emptyLabel(offset: 7), .labelTooLong(offset: 7, length: 64), .nameTooLong(offset: 7, length: 254),
            .oddIPv4(offset: 7), .unclosedBracket(offset: 7), .invalidIPv6(offset: 7), .zoneIdentifier(offset: 7),
            .ipv4MappedIPv6(offset: 7),
        ]
        for error in errors {
            #expect(error.offset == 7)
            #expect(error.description.hasPrefix("offset 7: "))
            #expect(!error.description.contains("\n"))
        }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
