import PinFormats
import SPKIPins
import Testing

/// The two pins of RFC 7469 2.1.5.
private let one = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
private let two = "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="

private func numbered(_ number: UInt8) -> Pin {
    let bytes = [number]
    return Pin(hashing: bytes.span)
}

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

    @Test("What is written is read again, but for what is said to be lost", arguments: PinFormat.allCases)
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
        #expect(written.losses.allSatisfy { [.host, .union].contains($0.subject) }, "\(written.losses)")
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

@Suite struct HostileFormatTests {
    @Test("XML that defines entities, nests without end, or is cut short is an error, at once")
    func markup() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;">]>
            <network-security-config>&y;</network-security-config>
            """
        let deep = String(repeating: "<a>", count: 100_000)
        let external =
            "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><network-security-config>&e;</network-security-config>"
        for text in [
            bomb, deep, external, "<network-security-config>", "<a b=c/>", "<a/><b/>", "<a b='1' b='2'/>", "", "<",
            "<a", "</a>", "<!--", "<a>&#xD800;</a>", "<a></b>",
        ] {
            for format in [PinFormat.android, .apple, .trustkitPlist] {
                #expect(throws: PinFormatError.self, "\(text.prefix(40))") { try format.read(Array(text.utf8)) }
            }
        }
    }

    @Test("JSON that nests without end, and things of the wrong kind, are errors with their place")
    func json() {
        let deep = String(repeating: "[", count: 200_000)
        for text in [
            deep, "", "{}", "[]", "null", "{\"entries\": 1}", "{\"entries\": []}",
            "{\"entries\": [{\"host\": 1, \"pins\": []}]}",
        ] {
            #expect(throws: PinFormatError.self) { try PinFormat.json.read(Array(text.utf8)) }
        }
        let typo = "{\"entries\": [{\"host\": \"a.example\", \"pins\": [\"\(one)\"], \"backup\": []}]}"
        #expect(throws: PinFormatError.malformed(place: "entries[0]", problem: "unknown key 'backup'")) {
            try PinFormat.json.read(Array(typo.utf8))
        }
    }

    @Test("S14: SHA-1 and malformed pins are errors in every form")
    func wrongPins() {
        #expect(throws: PinFormatError.invalidPin(place: "line 1", reason: .sha1)) {
            try PinFormat.okhttp.read(Array("host.example sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=".utf8))
        }
        #expect(throws: PinFormatError.self) { try PinFormat.okhttp.read(Array("host.example sha256/AAAA".utf8)) }
        #expect(throws: PinFormatError.tooLarge(bytes: PinFormat.largestText + 1, limit: PinFormat.largestText)) {
            try PinFormat.okhttp.read([UInt8](repeating: 32, count: PinFormat.largestText + 1))
        }
    }

    @Test("Damaged documents never trap", arguments: UInt64(1)...10)
    func damaged(seed: UInt64) {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let entry = PinPolicy.Entry(
            host: "host.example",
            pins: [PositionedPin(numbered(1), at: .leaf), PositionedPin(numbered(2), at: .leaf)],
            backup: .amongPins,
            expiry: 2_082_758_400
        )
        for format in PinFormat.allCases {
            let text = Array(format.write([entry]).text.utf8)
            for _ in 0..<100 {
                var mutant = text
                for _ in 0...next(3) {
                    switch next(3) {
                    case 0: mutant[next(mutant.count)] = UInt8(next(256))
                    case 1: mutant.removeSubrange(0..<min(next(20), mutant.count - 1))
                    default: mutant.removeLast(min(next(40), mutant.count - 1))
                    }
                }
                _ = try? format.read(mutant, host: "host.example")
            }
        }
    }
}
