import PinFormats
import SPKIPins
import Testing

@Suite struct QuietLossTests {
    private static let digits = String(repeating: "ab", count: 32)

    @Test("TLSA: records of two services of one host are an error; another service than HTTPS is a loss")
    func services() throws {
        func records(_ owners: [String]) throws -> PinDocument {
            let lines = owners.map { "\($0).host.example. IN TLSA 3 1 1 \(Self.digits)\n" }
            return try PinFormat.tlsa.read(Array(lines.joined().utf8))
        }
        let problem = "another service of one host; give the records of one alone"
        for owners in [
            ["_25._tcp", "_443._tcp"], ["_443._tcp", "_443._udp"], ["_443._tcp", "_443._tcp", "_25._tcp"],
        ] {
            #expect(throws: PinFormatError.malformed(place: "line \(owners.count)", problem: problem)) {
                try records(owners)
            }
        }
        #expect(try records(["_443._tcp", "_443._TCP", "_443._tcp.other"]).losses.isEmpty)
        let mail = try records(["_25._tcp", "_25._tcp"])
        #expect(mail.entries.map(\.host) == ["host.example"] && mail.entries.first?.pins.count == 1)
        #expect(mail.losses.map(\.subject) == [.service] && mail.losses.map(\.pattern) == ["host.example"])
    }

    @Test("Forms that have days only say so where a time of day is cut off")
    func timeOfDay() {
        for (expiry, isCut) in [(2_082_758_400, false), (2_082_758_401, true), (2_082_758_399, true)] as [(Int64, Bool)]
        {
            let pins = [PositionedPin(numbered(1)), PositionedPin(numbered(2))]
            let entry = PinPolicy.Entry(host: "host.example", pins: pins, backup: .amongPins, expiry: expiry)
            for format in [PinFormat.trustkit, .trustkitPlist, .android] {
                #expect(
                    format.write([entry]).losses.map(\.subject) == (isCut ? [.timeOfDay] : []),
                    "\(format) \(expiry)"
                )
            }
            #expect(PinFormat.json.write([entry]).losses.isEmpty)
        }
    }

    @Test("Where a name may be there once, the second entry of it is left out, and said to be")
    func oneEntryForEachName() throws {
        func entry(_ host: String, _ number: UInt8) -> PinPolicy.Entry {
            let pins = [PositionedPin(numbered(number), at: .leaf), PositionedPin(numbered(number + 1), at: .leaf)]
            return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: 2_082_758_400)
        }
        for hosts in [["host.example", "**.host.example"], ["**.host.example", "HOST.example."]] {
            for format in [PinFormat.trustkit, .trustkitPlist, .android, .apple, .chromium, .rfc7469] {
                let written = format.write([entry(hosts[0], 1), entry(hosts[1], 3), entry("other.example", 5)])
                let left = written.losses.filter { $0.subject == .secondEntry }.map(\.pattern)
                #expect(left == [hosts[1].hasPrefix("*") ? hosts[1] : "host.example"], "\(format)")
                let read = try format.read(Array(written.text.utf8), host: "host.example")
                // What is read of headers is of one host, where the first one counts.
                #expect(read.entries.count == (format == .rfc7469 ? 1 : 2), "\(format)")
                #expect(read.entries.first?.pins.map(\.pin) == [numbered(1), numbered(2)], "\(format)")
            }
        }
    }

    @Test("Android: anchors that pass by the pins are told where they are inherited, and only there")
    func inheritedAnchors() throws {
        func anchors(_ overrides: String) -> String {
            "<trust-anchors><certificates src=\"user\" overridePins=\"\(overrides)\"/></trust-anchors>"
        }
        func config(_ name: String, _ inside: String) -> String {
            "<domain-config><domain>\(name)</domain><pin-set><pin digest=\"SHA-256\">\(one)</pin></pin-set>\(inside)</domain-config>"
        }
        let nested = "<domain-config><domain>nested.example</domain></domain-config>"
        for (base, own, losses) in [
            (anchors("true"), "", ["outer.example", "nested.example"]), (anchors("true"), anchors("false"), []),
            ("", anchors("true"), ["outer.example", "nested.example"]), (anchors("false"), "", []), ("", "", []),
        ] {
            let text =
                "<network-security-config><base-config>\(base)</base-config>\(config("outer.example", own + nested))"
                + "</network-security-config>"
            let document = try PinFormat.android.read(Array(text.utf8))
            #expect(document.entries.map(\.host) == ["outer.example", "nested.example"])
            #expect(document.losses.map(\.subject) == losses.map { _ in .localAnchors })
            #expect(document.losses.map(\.pattern) == losses)
        }
    }
}
