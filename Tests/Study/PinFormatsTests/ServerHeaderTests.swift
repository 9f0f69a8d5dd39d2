import PinFormats
import SPKIPins
import Testing

/// The header of RFC 7469 as servers are told to send it, and what is wrong in it.
@Suite struct ServerHeaderTests {
    private func read(_ text: String) throws -> PinDocument {
        try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example", now: 1000)
    }

    private func problem(_ text: String) -> String {
        do throws(PinFormatError) {
            _ = try PinFormat.rfc7469.read(Array(text.utf8), host: "host.example")
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static let pins = "pin-sha256=\"\(one)\"; pin-sha256=\"\(two)\""
    private static let escaped = pins.replacing("\"", with: "\\\"")

    // `curl -D -` of nginx 1.22 and of Apache 2.4 with mod_headers showed `pin-sha256="…"; pin-sha256="…"; max-age=5;
    // includeSubDomains` for each of these.
    @Test(
        "A server's directive says what the server sends",
        arguments: [
            "add_header Public-Key-Pins '\(pins); max-age=5; includeSubDomains' always;",
            "add_header Public-Key-Pins \"\(escaped); max-age=5; includeSubDomains\";",
            "server {\n  # add_header Public-Key-Pins 'max-age=1';\n  listen 443 ssl; location / { return 200 a;\n"
                + "  add_header\n    public-key-pins # pins\n    '\(pins); max-age=5; includeSubDomains'\n    always; }}",
            "server { add_header X-Frame-Options DENY; add_header Public-Key-Pins '\(pins); max-age=5; includeSubDomains'; }",
            "\tadd_header   Public-Key-Pins   \"\(escaped);max-age=5;includeSubDomains\"  ;\r\n",
            "Header always set Public-Key-Pins \"\(escaped); max-age=5; includeSubDomains\"",
            "<VirtualHost *:443>\n  # pins\n  Header set Public-Key-Pins: '\(pins); max-age=5; includeSubDomains' env=HTTPS\n"
                + "</VirtualHost>",
            "header onsuccess ADD public-key-pins \\\n  \"\(escaped); max-age=5; includeSubDomains\"\n",
        ]
    )
    func servers(text: String) throws {
        let document = try read(text)
        #expect(document.losses.isEmpty)
        #expect(document.entries.map(\.host) == ["**.host.example"])
        #expect(document.entries.map(\.expiry) == [1005] && document.entries.map(\.mode) == [.enforce])
        #expect(document.entries.first?.pins.map(\.pin) == [try Pin(parsing: one), try Pin(parsing: two)])
    }

    @Test("Of two headers of one block the first counts; two blocks may be two hosts")
    func blocks() throws {
        let header = "add_header Public-Key-Pins '\(Self.pins); max-age=5';"
        let report =
            "add_header Public-Key-Pins-Report-Only '\(Self.pins); max-age=7; report-uri=\"https://r.example/?a;b\"';"
        let document = try read("server { \(header) \(report)\n\(header) }")
        #expect(document.entries.map(\.mode) == [.enforce, .reportOnly])
        #expect(document.losses.map(\.subject) == [.reportAddress, .secondHeader])
        let words = "line 2: a header of a second block, which may be another host; give those of one"
        #expect(problem("server { \(header) }\nserver { \(header) }") == words)
        #expect(problem("server { location / { \(header) }\n\(header) }") == words)
        let apache = "Header set Public-Key-Pins \"\(Self.escaped); max-age=5\"\n"
        #expect(
            problem("<VirtualHost a>\n\(apache)</VirtualHost>\n<VirtualHost b>\n\(apache)").hasPrefix(
                "line 5: a header of"
            )
        )
    }

    @Test("A configuration without the header has no pins; what the server would replace is an error")
    func others() {
        #expect(problem("add_header Strict-Transport-Security 'max-age=5';").contains("the file has no pins"))
        #expect(problem("Header unset Public-Key-Pins\n").contains("the file has no pins"))
        #expect(
            problem("add_header Public-Key-Pins '\(Self.pins); max-age=$age';").hasPrefix("line 1: a variable of nginx")
        )
        #expect(problem("\nadd_header Public-Key-Pins '\(Self.pins)").hasPrefix("line 2: a quote is not closed"))
    }

    // RFC 7469 2.1: a browser ignores what it does not know.
    @Test(
        "A directive that is unknown or misspelt is named",
        arguments: ["includeSubDomain", "include-subdomains", "pin-sha265=\"\(one)\"", "preload", "reporturi=\"a\""]
    )
    func unknown(directive: String) throws {
        let document = try read("Public-Key-Pins: \(Self.pins); \(directive); max-age=5;")
        let name = directive.split(separator: "=")[0].lowercased()
        #expect(document.entries.map(\.host) == ["host.example"] && document.entries.first?.pins.count == 2)
        #expect(document.losses.map(\.subject) == [.directive] && document.losses.map(\.other) == [name])
        #expect(
            document.losses.first?.description
                == "host.example: left out the directive \(name), which RFC 7469 does not have: check its spelling"
        )
    }

    @Test(
        "A directive that readers take differently is an error",
        arguments: [
            (
                "includeSubDomains=false",
                "includeSubDomains takes no value: write it alone, or leave it out (RFC 7469 2.1.3)"
            ),
            (
                "includeSubDomains=\"\"",
                "includeSubDomains takes no value: write it alone, or leave it out (RFC 7469 2.1.3)"
            ),
            (
                "includeSubDomains=",
                "includeSubDomains takes no value: write it alone, or leave it out (RFC 7469 2.1.3)"
            ),
            ("includeSubDomains; INCLUDEsubdomains", "includesubdomains appears twice: keep one (RFC 7469 2.1)"),
            ("report-uri=\"a\"; report-uri=\"b\"", "report-uri appears twice: keep one (RFC 7469 2.1)"),
            ("report-uri=\"a\" includeSubDomains", "text after the value of report-uri: a semicolon ends a directive"),
            ("include SubDomains", "expected directives between semicolons, as in pin-sha256=\"…\"; max-age=5184000"),
            ("=5", "expected directives between semicolons, as in pin-sha256=\"…\"; max-age=5184000"),
        ]
    )
    func ambiguous(directives: String, words: String) {
        #expect(problem("Public-Key-Pins: \(Self.pins); \(directives); max-age=5") == "line 1: \(words)")
    }

    @Test("Two pins without a semicolon are an error, and an age is one number")
    func values() {
        let words = "line 1: text after the value of pin-sha256: a semicolon ends a directive"
        #expect(problem("pin-sha256=\"\(one)\" pin-sha256=\"\(two)\"; max-age=5") == words)
        #expect(problem("\(Self.pins); max-age=5 000").hasPrefix("line 1: text after the value of max-age"))
        #expect(problem("\(Self.pins); max-age").hasPrefix("line 1: max-age '' is not a number"))
    }
}
