import SPKIPins
import Testing

@testable import PinFormats

@Suite struct QuietLossTests {
    /// Records of one host or two, each with its key, one letter for each: the hosts with their keys, and the losses.
    @Test(
        "TLSA: a host gets the pins of HTTPS or its first service, and each other service is a loss",
        arguments: [
            (["_25._tcp a", "_443._tcp b"], ["host.example b"], ["otherService host.example _25._tcp"]),
            (["_443._tcp a", "_443._udp b"], ["host.example a"], ["otherService host.example _443._udp"]),
            (["_443._tcp a", "_443._udp a"], ["host.example a"], ["service host.example"]),
            (
                ["_443._tcp a", "_443._tcp b", "_25._tcp c"], ["host.example ab"],
                ["otherService host.example _25._tcp"]
            ),
            (
                ["_25._tcp a", "_993._tcp b", "_25._tcp c"], ["host.example ac"],
                ["service host.example", "otherService host.example _993._tcp"]
            ),
            (
                ["_25._tcp a", "_25._tcp.mail b", "_443._tcp c", "_443._tcp.mail b"],
                ["mail.host.example b", "host.example c"],
                ["otherService host.example _25._tcp", "service mail.host.example"]
            ),
            (["*._tcp a", "_443._tcp b"], ["host.example b"], ["otherService host.example *._tcp"]),
            (["_443._tcp a", "_443._TCP a", "_443._tcp.other a"], ["host.example a", "other.host.example a"], []),
            (["_25._tcp a", "_25._tcp a"], ["host.example a"], ["service host.example"]),
        ]
    )
    func services(lines: [String], entries: [String], losses: [String]) throws {
        let letters = lines.map { line -> String in
            let parts = line.split(separator: " ")
            return "\(parts[0]) IN TLSA 3 1 1 \(String(repeating: String(parts[1]), count: 64))\n"
        }
        let document = try PinFormat.tlsa.read(Array(("$ORIGIN host.example.\n" + letters.joined()).utf8))
        let found = document.entries.map { entry in
            "\(entry.host) \(String(entry.pins.compactMap { $0.pin.hexadecimal.first }))"
        }
        #expect(Set(found) == Set(entries) && found.count == entries.count)
        let lost = document.losses.map { [$0.subject.rawValue, $0.pattern, $0.other].filter { !$0.isEmpty } }
        #expect(Set(lost.map { $0.joined(separator: " ") }) == Set(losses) && lost.count == losses.count)
        #expect(!document.losses.contains { $0.isOfWholeEntry || "\($0)".contains("\n") })
    }

    @Test("RFC 7469 2.1.2: a report-only header needs no max-age, and one that it has is ignored")
    func reportOnly() throws {
        let pins = #"pin-sha256="\#(one)"; pin-sha256="\#(two)""#
        for rest in ["", "; report-uri=\"https://r.example/\"", "; max-age=9", "; max-age=soon", "; includeSubDomains"]
        {
            let text = "Public-Key-Pins-Report-Only: \(pins)\(rest)"
            let document = try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example")
            #expect(document.entries.map(\.mode) == [.reportOnly] && document.entries.map(\.expiry) == [nil], "\(rest)")
            #expect(document.losses.map(\.subject) == (rest.contains("report-uri") ? [.reportAddress] : []), "\(rest)")
            let isWide = rest.contains("includeSubDomains")
            #expect(document.entries.map(\.host) == [isWide ? "**.host.example" : "host.example"])
            // Written again it has no age, and nothing else is lost.
            let written = PinFormat.rfc7469.write(document.entries, now: 1000)
            #expect(
                written.text.hasSuffix("Public-Key-Pins-Report-Only: \(pins)\(isWide ? "; includeSubDomains" : "")\n")
            )
            #expect(written.losses.map(\.subject) == [.host])
        }
        // An end that the entry has from elsewhere is lost.
        let ending = PinPolicy.Entry(
            host: "host.example",
            pins: [PositionedPin(numbered(1)), PositionedPin(numbered(2))],
            backup: .amongPins,
            expiry: 2000,
            mode: .reportOnly
        )
        let written = PinFormat.rfc7469.write([ending], now: 1000)
        #expect(Set(written.losses.map(\.subject)) == [.expiry, .host] && !written.text.contains("max-age"))
        #expect(throws: PinFormatError.malformed(place: "line 1", problem: "max-age is missing (RFC 7469 2.1.2)")) {
            try PinFormat.rfc7469.read(Array("Public-Key-Pins: \(pins)".utf8), host: "host.example")
        }
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
