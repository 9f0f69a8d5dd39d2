import PinFormats
import SPKIPins
import Testing

@Suite struct TrueLossTests {
    private func entry(_ host: String, _ pins: [PositionedPin], expiry: Int64? = nil) -> PinPolicy.Entry {
        PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: expiry)
    }

    @Test("curl: each pin of an authority that is left out is named, and a pin for any place is one for the leaf")
    func authorityPins() {
        let leaf = PositionedPin(numbered(1), at: .leaf)
        let (issuer, anchor) = (PositionedPin(numbered(2), at: .issuer), PositionedPin(numbered(3), at: .anchor))
        let written = PinFormat.curl.write([entry("a.example", [leaf, issuer, anchor])])
        #expect(written.losses.map(\.subject) == [.host, .authorityPin, .authorityPin])
        #expect(written.losses.map(\.other) == ["", "\(issuer.pin)", "\(anchor.pin)"])
        let what = "an authority's, and this form compares pins only with the server's own key"
        #expect(written.losses[1].description == "a.example: left out the pin \(issuer.pin): \(what)")
        #expect(!written.losses.contains { $0.isOfWholeEntry })
        let any = PinFormat.curl.write([entry("a.example", [leaf, PositionedPin(numbered(2))])])
        #expect(any.losses.map(\.subject) == [.host, .position])
    }

    @Test("Android: only the boolean spellings of its resource compiler are accepted")
    func booleans() throws {
        func read(_ value: String, overriding: String = "false") throws -> PinDocument {
            try PinFormat.android.read(
                Array(
                    """
                    <network-security-config><domain-config><domain includeSubdomains="\(value)">a.example</domain>
                    <pin-set><pin digest="SHA-256">\(one)</pin></pin-set><trust-anchors>
                    <certificates src="user" overridePins="\(overriding)"/></trust-anchors></domain-config>
                    </network-security-config>
                    """.utf8
                )
            )
        }
        for (value, host) in [
            ("true", "**.a.example"), ("TRUE", "**.a.example"), ("True", "**.a.example"), (" True\n", "**.a.example"),
            ("false", "a.example"), ("FALSE", "a.example"), ("False", "a.example"),
        ] {
            #expect(try read(value).entries.map(\.host) == [host], "\(value)")
            let losses = try read("false", overriding: value).losses
            #expect(losses.isEmpty == !host.hasPrefix("*"), "\(value)")
        }
        for value in ["yes", "1", "tRUE", "", "@bool/deep"] {
            let words = "'includeSubdomains' takes true or false"
            #expect(throws: PinFormatError.malformed(place: "line 1, <domain>", problem: words), "\(value)") {
                try read(value)
            }
            #expect(throws: PinFormatError.self, "\(value)") { try read("true", overriding: value) }
        }
    }

    @Test("RFC 7469 has no pins without an end: that they get one is said")
    func endlessness() {
        let pins = [PositionedPin(numbered(1)), PositionedPin(numbered(2))]
        let written = PinFormat.rfc7469.write([entry("a.example", pins)], now: 1000)
        #expect(written.text.contains("max-age=5184000"))
        #expect(written.losses.map(\.subject) == [.host, .endlessness])
        let words = "it never expires, but expires in 60 days here, because this form requires an expiry"
        #expect(written.losses.last?.description == "a.example: \(words)")
        let ending = PinFormat.rfc7469.write([entry("a.example", pins, expiry: 2000)], now: 1000)
        #expect(ending.losses.map(\.subject) == [.host])
    }

    @Test(
        "OkHttp: patterns are said to be united where they overlap, and only there",
        arguments: [
            (["a.example", "*.b.example", "**.c.example"], []),
            (["a.example", "*.a.example", "b.a.example"], [["b.a.example", "*.a.example"]]),
            (["A.b.Example", "**.b.example"], [["a.b.example", "**.b.example"]]),
            (
                ["**.a.b.example", "**.b.example", "*.b.example"],
                [
                    ["**.a.b.example", "*.b.example"], ["**.a.b.example", "**.b.example"],
                    ["*.b.example", "**.b.example"],
                ]
            ),
        ]
    )
    func union(hosts: [String], pairs: [[String]]) throws {
        let pins = [PositionedPin(numbered(1)), PositionedPin(numbered(2))]
        let written = PinFormat.okhttp.write(hosts.map { entry($0, pins) })
        let read = try PinFormat.okhttp.read(Array(written.text.utf8))
        for losses in [written.losses, read.losses] {
            #expect(losses.map(\.subject) == pairs.map { _ in .union })
            #expect(losses.map { [$0.pattern, $0.other] } == pairs)
        }
    }

    @Test("Apple: subdomains of one label are a loss, read and written")
    func depth() throws {
        let pins = [PositionedPin(numbered(1), at: .leaf), PositionedPin(numbered(2), at: .leaf)]
        let written = PinFormat.apple.write([entry("**.a.example", pins), entry("b.example", pins)])
        let read = try PinFormat.apple.read(Array(written.text.utf8))
        for losses in [written.losses, read.losses] {
            #expect(losses.map(\.subject) == [.depth])
            #expect(losses.map(\.pattern) == ["**.a.example"])
        }
    }
}
