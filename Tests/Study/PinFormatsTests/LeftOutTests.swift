import PinFormats
import SPKIPins
import Testing

@Suite struct LeftOutTests {
    private func leaf(_ host: String, _ numbers: [UInt8]) -> PinPolicy.Entry {
        let pins = numbers.map { PositionedPin(numbered($0), at: .leaf) }
        return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: 2_082_758_400)
    }

    @Test("An entry without pins is not written and does not affect other entries", arguments: PinFormat.allCases)
    func withoutPins(format: PinFormat) {
        let written = format.write([leaf("a.example", []), leaf("a.example", [1, 2])])
        #expect(written.text == format.write([leaf("a.example", [1, 2])]).text)
        let left = written.losses.filter(\.isOfWholeEntry)
        #expect(left.map(\.description) == ["a.example: left out: none of its pins is kept"])
        #expect(left.map(\.subject) == [.noPins])
    }

    @Test("An entry without pins, or whose pins are all left out, is left out of written text")
    func readWithoutPins() throws {
        let sha1 = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
        let texts: [(PinFormat, String)] = [
            (
                .android,
                "<network-security-config><domain-config><domain>a.example</domain><pin-set>"
                    + "<pin digest=\"SHA-1\">\(sha1)</pin></pin-set></domain-config></network-security-config>"
            ),
            (.json, "{\"entries\": [{\"host\": \"a.example\", \"pins\": []}]}"),
            (
                .apple,
                "<plist><dict><key>NSPinnedDomains</key><dict><key>a.example</key><dict>"
                    + "<key>NSPinnedLeafIdentities</key><array/></dict></dict></dict></plist>"
            ),
            (.trustkit, "{\"TSKPinnedDomains\": {\"a.example\": {\"TSKPublicKeyHashes\": []}}}"),
            (.rfc7469, "Public-Key-Pins: max-age=5"),
            (
                .chromium,
                "{\"pinsets\": [{\"name\": \"a\", \"static_spki_hashes\": []}], "
                    + "\"entries\": [{\"name\": \"a.example\", \"pins\": \"a\"}]}"
            ),
        ]
        for (source, text) in texts {
            let document = try source.read(Array(text.utf8), host: "a.example")
            for format in PinFormat.allCases {
                let written = format.write(document.entries)
                #expect(written.text == format.write([]).text, "\(source) to \(format)")
                #expect(written.losses.map(\.subject) == [.noPins], "\(source) to \(format)")
                #expect(written.losses.count(where: \.isOfWholeEntry) == document.entries.count)
            }
        }
    }

    @Test("A wider entry that takes the hosts of one that is left out says whose")
    func widening() {
        let digits = String(repeating: "00", count: 32)
        let cases: [(PinFormat, [PinPolicy.Entry], [[String]])] = [
            (
                .trustkit, [leaf("**.acme.example", [1, 2]), leaf("*.acme.example", [3, 4])],
                [["**.acme.example", "*.acme.example"]]
            ),
            (
                .okhttp,
                [leaf("login.acme.example", []), leaf("*.acme.example", [1, 2]), leaf("**.acme.example", [3, 4])],
                [["*.acme.example", "login.acme.example"]]
            ),
            (
                .android, [leaf("**.acme.example", [1, 2]), leaf("*.login.acme.example", [3, 4])],
                [["**.acme.example", "*.login.acme.example"]]
            ),
            (
                .apple,
                [
                    leaf("**.acme.example", [1, 2]),
                    PinPolicy.Entry(
                        host: "login.acme.example",
                        pins: [PositionedPin(numbered(3)), PositionedPin(numbered(4))],
                        backup: .amongPins,
                        expiry: nil
                    ),
                ], [["**.acme.example", "login.acme.example"]]
            ),
            // The same name, and the narrower one comes second.
            (.chromium, [leaf("**.a.example", [1, 2]), leaf("a.example", [3, 4])], [["**.a.example", "a.example"]]),
            // The first of two stands there still.
            (.json, [leaf("**.a.example", [1, 2]), leaf("b.a.example", [3, 4]), leaf("B.a.example", [5, 6])], []),
            // An entry that is left out and wider than all others does not change them.
            (.rfc7469, [leaf("a.example", [1, 2]), leaf("**.a.example", [3, 4]), leaf("\(digits).**", [5, 6])], []),
        ]
        for (format, entries, pairs) in cases {
            let losses = format.write(entries).losses
            let widenings = losses.filter { $0.subject == .widening }
            #expect(widenings.map { [$0.pattern, $0.other] } == pairs, "\(format)")
            #expect(losses.count { $0.isOfWholeEntry } == 1 + (format == .rfc7469 ? 1 : 0), "\(format)")
        }
        let words = "its pins now also apply to *.acme.example, whose own entry or exemption is not kept"
        let written = PinFormat.trustkit.write(cases[0].1)
        #expect(written.losses.last?.description == "**.acme.example: \(words)")
    }

    @Test("An exemption is a loss only if a wider entry takes its hosts; the wider entry has a loss too")
    func exemptions() throws {
        let exempting = "{\"TSKExcludeSubdomainFromParentPolicy\": true}"
        let trustkit = """
            {"TSKPinnedDomains": {"acme.example": {"TSKIncludeSubdomains": true, "TSKPublicKeyHashes": ["\(one)"]},
              "login.acme.example": \(exempting), "other.example": \(exempting)}}
            """
        let android = """
            <network-security-config>
              <domain-config><domain includeSubdomains="true">acme.example</domain>
                <pin-set><pin digest="SHA-256">\(one)</pin></pin-set>
                <domain-config><domain includeSubdomains="True">login.acme.example</domain><pin-set/></domain-config>
              </domain-config>
              <domain-config cleartextTrafficPermitted="true"><domain>other.example</domain></domain-config>
            </network-security-config>
            """
        for (format, text, host) in [
            (PinFormat.trustkit, trustkit, "login.acme.example"), (.android, android, "**.login.acme.example"),
        ] {
            let document = try format.read(Array(text.utf8))
            #expect(document.entries.map(\.host) == ["**.acme.example"], "\(format)")
            #expect(document.losses.map(\.subject) == [.exclusion, .widening], "\(format)")
            #expect(document.losses.map(\.pattern) == [host, "**.acme.example"], "\(format)")
            #expect(document.losses.map(\.other) == ["", host], "\(format)")
        }
        let words = "its exemption from the pins of wider entries is not kept"
        let read = try PinFormat.trustkit.read(Array(trustkit.utf8))
        #expect(read.losses.first?.description == "login.acme.example: \(words)")
    }
}
