import PinFormats
import SPKIPins
import Testing

@Suite struct SecondEntryTests {
    private func entry(_ host: String, _ number: UInt8) -> PinPolicy.Entry {
        let pins = [PositionedPin(numbered(number), at: .leaf), PositionedPin(numbered(number + 1), at: .leaf)]
        return PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: 2_082_758_400)
    }

    @Test("The first of several entries with one pattern is written, the others are losses")
    func onePattern() {
        for format in PinFormat.allCases {
            let alone = format.write([entry("a.example", 1)])
            let written = format.write([entry("a.example", 1), entry("A.example.", 3), entry("a.EXAMPLE", 5)])
            #expect(written.text == alone.text, "\(format)")
            let left = written.losses.filter(\.isOfWholeEntry)
            #expect(left.map(\.subject) == [.secondEntry, .secondEntry], "\(format)")
            #expect(left.map(\.pattern) == ["a.example", "a.example"], "\(format)")
            #expect(
                left.first?.description
                    == "a.example: left out: an earlier entry has this pattern or name"
            )
        }
    }

    @Test("Names that differ in case alone have one set of pins in OkHttp's lines and in records")
    func caseOfNames() throws {
        let lines = "HOST.example sha256/\(one)\nhost.example sha256/\(two)\n"
        let digits = String(repeating: "ab", count: 32)
        let records =
            "_443._tcp.HOST.example. IN TLSA 3 1 1 \(digits)\n_443._tcp.host.example. IN TLSA 2 1 1 \(String(digits.reversed()))\n"
        for (format, text) in [(PinFormat.okhttp, lines), (.tlsa, records)] {
            let document = try format.read(Array(text.utf8))
            #expect(document.entries.map(\.host) == ["host.example"], "\(format)")
            #expect(document.entries.first?.pins.count == 2, "\(format)")
        }
        let services = records.replacing("_443._tcp.host", with: "_25._tcp.host")
        let mail = try PinFormat.tlsa.read(Array(services.utf8))
        #expect(mail.entries.map(\.pins.count) == [1] && mail.losses.map(\.other) == ["_25._tcp"])
    }

    @Test("RFC 7469 2.3.1: the first header of each name counts")
    func headers() throws {
        let text = """
            Public-Key-Pins-Report-Only: pin-sha256="\(two)"; max-age=9
            Public-Key-Pins: pin-sha256="\(one)"; max-age=5
            PUBLIC-KEY-PINS: pin-sha256="\(two)"; max-age=7; report-uri="https://r.example/"
            pin-sha256="\(two)"; max-age=7
            """
        let document = try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example")
        #expect(document.entries.map(\.mode) == [.enforce, .reportOnly])
        #expect(document.entries.map(\.expiry) == [5, nil])
        #expect(document.losses.map(\.subject) == [.secondHeader, .secondHeader])
        let words = "a second header of its name is left out: only the first counts (RFC 7469 2.3.1)"
        #expect(document.losses.first?.description == "host.example: \(words)")
        // Of two patterns the more specific one would decide alone.
        let wide = text.replacing("max-age=5", with: "max-age=5; includeSubDomains")
        let other = try PinFormat.rfc7469.read(Array(wide.utf8), host: "host.example")
        #expect(other.entries.map(\.host) == ["**.host.example", "host.example"])
        #expect(other.losses.map(\.subject) == [.secondHeader, .secondHeader, .union])
    }

    @Test("RFC 7469 2.1: a semicolon in quotes ends no directive")
    func quotes() throws {
        func read(_ directives: String) throws -> PinDocument {
            let text = "Public-Key-Pins: pin-sha256=\"\(one)\"; max-age=5; \(directives)"
            return try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example")
        }
        for value in ["\"https://r.example/?a;includeSubDomains;max-age=7\"", "\"a\\\";includeSubDomains\""] {
            let document = try read("report-uri=\(value)")
            #expect(document.entries.map(\.host) == ["host.example"], "\(value)")
            #expect(document.entries.map(\.expiry) == [5], "\(value)")
            #expect(document.losses.map(\.subject) == [.reportAddress], "\(value)")
        }
        #expect(try read("report-uri=\"a;b\";includeSubDomains").entries.map(\.host) == ["**.host.example"])
        #expect(throws: PinFormatError.malformed(place: "line 1", problem: "a quote is not closed")) {
            try read("report-uri=\"a;b")
        }
    }

    @Test(
        "A header with another name is an error",
        arguments: ["Content-Type: text/html; max-age=5", "Strict-Transport-Security: max-age=5", ": max-age=5"]
    )
    func otherHeaders(line: String) {
        let text = "Public-Key-Pins: max-age=3000; pin-sha256=\"\(one)\"\r\n\(line)\r\n"
        let problem = "another header; give Public-Key-Pins or Public-Key-Pins-Report-Only alone"
        #expect(throws: PinFormatError.malformed(place: "line 2", problem: problem)) {
            try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example")
        }
    }

    @Test("curl: a second value is an error, because it belongs to another command")
    func values() throws {
        for text in [
            "--pinnedpubkey 'sha256//\(one)' --pinnedpubkey 'sha256//\(two)'", "sha256//\(one) sha256//\(two)",
            "\n--pinnedpubkey 'sha256//\(one)'\n# b.example\n--pinnedpubkey 'sha256//\(two)'\n",
        ] {
            let error = #expect(throws: PinFormatError.self) {
                try PinFormat.curl.read(Array(text.utf8), host: "host.example")
            }
            guard case .malformed(let place, let problem) = error else { continue }
            #expect(place == (text.hasPrefix("\n") ? "line 4" : "line 1"))
            #expect(problem == "a second value, which belongs to another command and perhaps another host; give one")
        }
        for text in ["sha256//\(one);\n sha256//\(two)", "--pinnedpubkey \"sha256//\(one) ; sha256//\(two);\""] {
            let document = try PinFormat.curl.read(Array(text.utf8), host: "host.example")
            #expect(document.entries.first?.pins.count == 2, "\(text)")
        }
    }
}
