import PinFormats
import SPKIPins
import Testing

@Suite struct PinFormatTests {
    private func pins(_ position: PinPosition = .any) throws -> [PositionedPin] {
        [PositionedPin(try Pin(parsing: one), at: position), PositionedPin(try Pin(parsing: two), at: position)]
    }

    /// Documents as their own makers show them, with our hosts and pins.
    private static let samples: [(PinFormat, String)] = [
        (.okhttp, ".add(\"**.host.example\", \"sha256/\(one)\", \"sha256/\(two)\")\n"),
        (.okhttp, "# pins\n**.host.example sha256/\(one) sha256/\(two)\r\n"),
        (
            .trustkit,
            """
            {"TSKSwizzleNetworkDelegates": false, "TSKPinnedDomains": {"host.example": {
              "TSKIncludeSubdomains": true, "TSKPublicKeyHashes": ["\(one)", "\(two)"]}}}
            """
        ),
        (
            .trustkitPlist,
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict>
            <key>host.example</key><dict><key>TSKIncludeSubdomains</key><true/><key>TSKPublicKeyHashes</key>
            <array><string>\(one)</string><string>\(two)</string></array></dict></dict></dict></dict></plist>
            """
        ),
        (
            .android,
            """
            <?xml version="1.0" encoding="utf-8"?>
            <network-security-config><!-- pins --><domain-config>
              <domain includeSubdomains="true">host.example</domain>
              <pin-set><pin digest="SHA-256">\(one)</pin><pin digest="SHA-256">\(two)</pin></pin-set>
            </domain-config></network-security-config>
            """
        ),
        (
            .chromium,
            """
            // a comment
            {"pinsets": [{"name": "ours", "static_spki_hashes": ["sha256/\(one)", "sha256/\(two)"]}],
             "entries": [{"name": "other.example"},
                {"name": "host.example", "pins": "ours", "include_subdomains": true}]}
            """
        ),
    ]

    @Test("Samples of each form say the same", arguments: samples.indices)
    func sample(index: Int) throws {
        let (format, text) = Self.samples[index]
        let document = try format.read(Array(text.utf8))
        let expected = PinPolicy.Entry(host: "**.host.example", pins: try pins(), backup: .amongPins, expiry: nil)
        #expect(document.entries == [expected])
        _ = try PinPolicy(compiling: document.entries, version: 1, at: 0)
    }

    @Test("RFC 7469 2.1.5, its first example")
    func header() throws {
        let text = "Public-Key-Pins: max-age=3000; pin-sha256=\"\(one)\"; pin-sha256=\"\(two)\"; includeSubDomains\n"
        let document = try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example", now: 500)
        let entry = PinPolicy.Entry(host: "**.host.example", pins: try pins(), backup: .amongPins, expiry: 3500)
        #expect(document.entries == [entry])
        #expect(throws: PinFormatError.hostNeeded) { try PinFormat.rfc7469.read(Array(text.utf8)) }
    }

    @Test("curl pins the leaf; DANE's usage 3 is the leaf, usage 2 an authority")
    func positions() throws {
        let curl = try PinFormat.curl.read(Array("sha256//\(one);sha256//\(two)".utf8), host: "host.example")
        #expect(curl.entries.first?.pins == (try pins(.leaf)))
        let records = """
            _443._tcp.host.example. 3600 IN TLSA 3 1 1 77aab346ef7338409bf7451ecf6ef15a5b4db23d1ed4c77b1a4618915a195a63
            _443._tcp.host.example. IN TLSA 2 1 1 ( 13D099F483436DDFB6791428CD8AAA6D 0DB25CB54A07DFB1729ACC17EE385358 )
            """
        let dane = try PinFormat.tlsa.read(Array(records.utf8))
        #expect(dane.entries.first?.host == "host.example")
        #expect(dane.entries.first?.pins.map(\.position) == [.leaf, .issuer])
        #expect(dane.entries.first?.pins.map(\.pin) == (try pins().map(\.pin)))
        #expect(throws: PinFormatError.self) {
            try PinFormat.tlsa.read(Array("_443._tcp.a.example. IN TLSA 3 0 1 00".utf8))
        }
    }

    @Test("Written text reads back as the same entries, except for the losses", arguments: PinFormat.allCases)
    func roundTrip(format: PinFormat) throws {
        let entry = PinPolicy.Entry(
            host: format == .tlsa ? "host.example" : "**.host.example",
            pins: try pins(format == .curl || format == .tlsa || format == .apple ? .leaf : .any),
            backup: .amongPins,
            expiry: [.trustkit, .trustkitPlist, .android, .rfc7469, .json].contains(format) ? 2_082_758_400 : nil
        )
        let written = format.write([entry], now: 1000)
        let read = try format.read(
            Array(written.text.utf8),
            host: entry.host == "**.host.example" && format == .rfc7469 ? "host.example" : entry.host,
            now: 1000
        )
        #expect(read.entries == [entry], "\(written.text)")
        #expect(written.losses.allSatisfy { [.host, .depth].contains($0.subject) }, "\(written.losses)")
    }

    @Test("Ours keeps everything")
    func native() throws {
        let pins = try pins()
        let entries = [
            PinPolicy.Entry(
                host: "a.example",
                pins: [PositionedPin(pins[0].pin, at: .leaf)],
                backup: .pins([PositionedPin(pins[1].pin, at: .anchor)]),
                expiry: 2_082_758_401,
                mode: .reportOnly,
                forbidden: [numbered(1)]
            ),
            PinPolicy.Entry(
                host: "*.b.example",
                pins: [pins[0]],
                backup: .unsafeSinglePin(reason: "one \"key\""),
                expiry: nil
            ),
        ]
        let written = PinFormat.json.write(entries)
        #expect(written.losses.isEmpty)
        #expect(try PinFormat.json.read(Array(written.text.utf8)).entries == entries)
    }

    @Test("Each thing that a form cannot say is said aloud")
    func losses() throws {
        let pins = try pins()
        let entry = PinPolicy.Entry(
            host: "*.host.example",
            pins: [PositionedPin(pins[0].pin, at: .issuer)],
            backup: .pins([pins[1]]),
            expiry: 9_000_000_000,
            mode: .reportOnly,
            forbidden: [numbered(1)]
        )
        let okhttp = PinFormat.okhttp.write([entry]).losses.map(\.subject)
        #expect(okhttp == [.position, .backupRole, .expiry, .mode, .forbiddenKeys])
        for format in [PinFormat.trustkit, .trustkitPlist, .android, .apple, .rfc7469, .tlsa, .chromium] {
            let written = format.write([entry])
            #expect(written.losses.map(\.subject) == [.pattern], "\(format)")
            #expect(!written.text.contains(one), "\(format)")
        }
        let apple = try PinFormat.apple.read(
            Array(
                """
                <plist><dict><key>NSPinnedDomains</key><dict><key>host.example</key><dict>
                <key>NSPinnedLeafIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(one)</string></dict></array>
                <key>NSPinnedCAIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(two)</string></dict></array>
                </dict></dict></dict></plist>
                """.utf8
            )
        )
        #expect(apple.losses.map(\.subject) == [.conjunction])
    }
}
