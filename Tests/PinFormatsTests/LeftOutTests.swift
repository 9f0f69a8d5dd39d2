import PinFormats
import SPKIPins
import Testing

@Suite struct LeftOutTests {
    private func leaf(_ host: String, _ numbers: [UInt8]) -> PinPolicy.Entry {
        let pins = numbers.map { PositionedPin(numbered($0), at: .leaf) }
        return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: 2_082_758_400)
    }

    @Test("An entry without a pin is never written, and stands in nobody's way", arguments: PinFormat.allCases)
    func withoutPins(format: PinFormat) {
        let written = format.write([leaf("a.example", []), leaf("a.example", [1, 2])])
        #expect(written.text == format.write([leaf("a.example", [1, 2])]).text)
        let left = written.losses.filter(\.isOfWholeEntry)
        #expect(left.map(\.description) == ["a.example: left out: it has no pin that is kept"])
        #expect(left.map(\.subject) == [.noPins])
    }

    @Test("What is read without a pin, or with none that is kept, is left out where it is written")
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
}
