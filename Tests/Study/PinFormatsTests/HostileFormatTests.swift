import PinFormats
import SPKIPins
import Testing

@Suite struct HostileFormatTests {
    @Test(
        "A host that would inject syntax into the written text is left out, with a loss",
        arguments: [
            ("a.example. IN TLSA 3 1 1 \(String(repeating: "00", count: 32))\n_443._tcp.b.example", "TLSA 3 1 1 0000"),
            ("x\n--pinnedpubkey 'sha256//\(one)'\n#", one),
            ("x\", \"sha256/\(one)\").add(\"y", one),
            ("a.example</domain><domain>b.example", "b.example"), ("a.example\"]}", "a.example"), ("**.", "**."),
            ("a.example\u{85}evil", "evil"), ("", "\"\""),
        ]
    )
    func hostsThatAreNone(host: String, mark: String) {
        func entry(_ host: String) -> PinPolicy.Entry {
            let pins = [PositionedPin(numbered(1), at: .leaf), PositionedPin(numbered(2), at: .leaf)]
            return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: nil)
        }
        for format in PinFormat.allCases {
            let written = format.write([entry(host), entry("HOST.example.")])
            let alone = format.write([entry("host.example")])
            #expect(written.text == alone.text, "\(format)")
            #expect(!written.text.contains(mark), "\(format)")
            #expect(written.losses.first?.subject == .pattern && written.losses.first?.pattern == host, "\(format)")
            #expect(!written.losses.contains { "\($0)".contains(where: \.isNewline) })
        }
    }

    @Test("An address has no TLSA records; other forms write it canonically")
    func addresses() {
        let pins = [PositionedPin(numbered(1), at: .leaf), PositionedPin(numbered(2), at: .leaf)]
        for host in ["192.0.2.1", "[2001:DB8:0::1]"] {
            let entry = PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: nil)
            let records = PinFormat.tlsa.write([entry])
            #expect(records.text.isEmpty && records.losses.map(\.subject) == [.address])
            #expect(
                PinFormat.okhttp.write([entry]).text.contains("\"\(host.lowercased().replacing("0::", with: ":"))\"")
            )
        }
    }

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

    /// A document of each form with a pin in it.
    private static func document(_ format: PinFormat, _ pin: String) -> String {
        switch format {
        case .json: "{\"entries\": [{\"host\": \"host.example\", \"pins\": [\"\(pin)\", \"\(two)\"]}]}"
        case .okhttp: "host.example sha256/\(pin)"
        case .trustkit: "{\"TSKPinnedDomains\": {\"host.example\": {\"TSKPublicKeyHashes\": [\"\(pin)\"]}}}"
        case .trustkitPlist:
            "<plist><dict><key>TSKPinnedDomains</key><dict><key>host.example</key><dict><key>TSKPublicKeyHashes</key>"
                + "<array><string>\(pin)</string></array></dict></dict></dict></plist>"
        case .android:
            "<network-security-config><domain-config><domain>host.example</domain><pin-set><pin digest=\"SHA-256\">"
                + "\(pin)</pin></pin-set></domain-config></network-security-config>"
        case .apple:
            "<plist><dict><key>NSPinnedDomains</key><dict><key>host.example</key><dict><key>NSPinnedCAIdentities</key>"
                + "<array><dict><key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict></array></dict></dict></dict></plist>"
        case .rfc7469: "Public-Key-Pins: pin-sha256=\"\(pin)\"; max-age=9"
        case .curl: "sha256//\(pin)"
        case .tlsa: "_443._tcp.host.example. IN TLSA 3 1 1 \(pin)"
        case .chromium:
            "{\"pinsets\": [{\"name\": \"a\", \"static_spki_hashes\": [\"sha256/\(pin)\"]}], "
                + "\"entries\": [{\"name\": \"host.example\", \"pins\": \"a\"}]}"
        }
    }

    @Test("S14: pins of SHA-1 and malformed ones are errors in every form", arguments: PinFormat.allCases)
    func wrongPins(format: PinFormat) throws {
        func read(_ pin: String) throws -> PinDocument {
            try format.read(Array(Self.document(format, pin).utf8), host: "host.example")
        }
        func reason(_ pin: String) -> PinError? {
            let error = #expect(throws: PinFormatError.self, "\(format) \(pin)") { try read(pin) }
            guard case .invalidPin(_, let reason) = error else { return nil }
            return reason
        }
        // DNS has hexadecimal digits, all others base64.
        let isDNS = format == .tlsa
        #expect(try read(isDNS ? String(repeating: "ab", count: 32) : one).entries.count == 1)
        #expect(reason(isDNS ? String(repeating: "ab", count: 20) : "2jmj7l5rSw0yVb/vlWAYkK/YBwk=") == .sha1)
        #expect(
            reason(isDNS ? String(repeating: "00", count: 32) : String(repeating: "A", count: 43) + "=") == .allZero
        )
        #expect(
            reason(
                isDNS
                    ? "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
                    : "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            ) == .hashOfNothing
        )
        #expect(reason(isDNS ? String(repeating: "0", count: 40) : String(repeating: "A", count: 27) + "=") == .allZero)
        #expect(reason(isDNS ? "0123" : "AQID") == (isDNS ? .wrongDigits(count: 4) : .wrongLength(bytes: 3)))
        #expect(reason(isDNS ? String(repeating: "xy", count: 32) : "\(one.dropLast())!") != nil)
        // Behind curl's second slash, which is a digit as well, 43 more of them are a whole text of 33 bytes.
        let cut = isDNS ? "0123g" : String(one.dropLast())
        let expected = isDNS ? PinError.notHexadecimal(offset: 4) : .invalidEnding
        #expect(reason(cut) == (format == .curl ? .wrongLength(bytes: 33) : expected))
    }

    @Test("S14: a pin that says that it is of SHA-1 is left out where a form has such ones, and said to be")
    func otherHashes() throws {
        let hash = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
        #expect(throws: PinFormatError.invalidPin(place: "line 1", reason: .sha1)) {
            try PinFormat.okhttp.read(Array("host.example sha1/\(hash)".utf8))
        }
        #expect(throws: PinFormatError.self) {
            try PinFormat.chromium.read(
                Array(Self.document(.chromium, one).replacing("sha256/\(one)", with: "sha1/\(hash)").utf8)
            )
        }
        let pin = "<pin digest=\"SHA-1\">\(hash)</pin><pin "
        let android = try PinFormat.android.read(Array(Self.document(.android, one).replacing("<pin ", with: pin).utf8))
        #expect(android.losses.map(\.subject) == [.otherHash])
        #expect(android.entries.map { $0.pins.map(\.pin) } == [[try Pin(parsing: one)]])
    }

    @Test("A short text that gives many pins to many hosts is an error, and one that gives them fewer is read")
    func sharedSets() throws {
        let hosts = 1 << 11
        for (count, isRead) in [(1 << 9, true), (1 << 9 + 1, false)] {
            let pins = (0..<count).map { Pin(hashing: Array("\($0)".utf8).span).description }
            let domains = (0..<hosts).map { "<domain>h\($0).example</domain>" }.joined()
            let android = pins.map { "<pin digest=\"SHA-256\">\($0.dropFirst(7))</pin>" }.joined()
            let entries = (0..<hosts).map { "{\"name\": \"h\($0).example\", \"pins\": \"a\"}" }.joined(separator: ",")
            let hashes = pins.map { "\"\($0)\"" }.joined(separator: ",")
            let texts: [(PinFormat, String)] = [
                (
                    .android,
                    "<network-security-config><domain-config>\(domains)<pin-set>\(android)</pin-set></domain-config>"
                        + "</network-security-config>"
                ),
                (
                    .chromium,
                    "{\"pinsets\": [{\"name\": \"a\", \"static_spki_hashes\": [\(hashes)]}], \"entries\": [\(entries)]}"
                ),
            ]
            for (format, text) in texts {
                if isRead {
                    #expect(try format.read(Array(text.utf8)).entries.count == hosts)
                } else {
                    let problem = "\(count * hosts) pins in all entries: at most \(PinFormat.mostPins); split it"
                    #expect(throws: PinFormatError.malformed(place: "", problem: problem)) {
                        try format.read(Array(text.utf8))
                    }
                }
            }
        }
    }

    @Test func tooLarge() {
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

    @Test(
        "A day before 1970 is an error, because calendars differ about old days",
        arguments: ["1018-01-01", "1969-12-31"]
    )
    func daysOfOld(day: String) {
        let list = """
            {"TSKPinnedDomains":{"h.example":{"TSKPublicKeyHashes":["\(numbered(1))","\(numbered(2))"],\
            "TSKExpirationDate":"\(day)"}}}
            """
        #expect {
            try PinFormat.trustkit.read(Array(list.replacing("sha256/", with: "").utf8))
        } throws: { error in
            "\(error)".contains("'\(day)' is before 1970")
        }
    }
}
