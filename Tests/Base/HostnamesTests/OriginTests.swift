import Testing

@testable import Hostnames

@Suite struct OriginTests {
    @Test(
        "RFC 6454 6.2: the port is written only when it is not the scheme's own",
        arguments: [
            ("http://example.com", "http://example.com"), ("http://example.com:80", "http://example.com"),
            ("HTTPS://Host.Example:443", "https://host.example"),
            ("https://host.example:80", "https://host.example:80"),
            ("http://host.example:443", "http://host.example:443"),
            ("https://[2001:DB8::0:1]:8443", "https://[2001:db8::1]:8443"),
            ("https://192.0.2.1:65535", "https://192.0.2.1:65535"), ("https://host.example.", "https://host.example"),
            ("https://[::1]", "https://[::1]"), ("https://h:1", "https://h:1"),
        ]
    )
    func serialisation(text: String, serialised: String) throws {
        let origin = try Origin(parsing: text)
        #expect(origin.description == serialised)
        #expect(try Origin(parsing: serialised) == origin)
        #expect(origin.text(before: "/a?b=ü") == "\(serialised)/a?b=ü")
    }

    @Test(
        "The text of an IPv4 address has no zeros in front",
        arguments: ["0.0.0.0", "1.20.100.255", "10.9.99.101", "255.255.255.255"]
    )
    func addresses(text: String) throws {
        #expect(try Hostname(parsing: text).description == text)
    }

    @Test("A missing port is the scheme's own") func defaultPorts() throws {
        let host = try Hostname(parsing: "host.example")
        #expect(Origin(scheme: .https, host: host).port == 443)
        #expect(Origin(scheme: .http, host: host).port == 80)
        #expect(try Origin(parsing: "https://host.example") == Origin(scheme: .https, host: host, port: 443))
    }

    @Test(
        "An empty port is that of the scheme, and zeros may lead a port (RFC 3986 3.2.3 and 6.2.3, as curl and Squid read it)",
        arguments: [
            ("https://h:", 443), ("http://h:", 80), ("http://[::1]:", 80), ("http://192.0.2.1:", 80),
            ("https://h:0443", 443),
            ("http://h:0080", 80), ("http://h:000000000000000000008080", 8080), ("https://[::1]:08443", 8443),
            ("https://h:00065535", 65_535), ("https://h:01", 1),
        ] as [(String, UInt16)]
    )
    func ports(text: String, port: UInt16) throws {
        #expect(try Origin(parsing: text).port == port)
        #expect(try URLLocation(parsing: text + "/path").origin.port == port)
        #expect(try URLLocation(parsing: text + "?query").origin.port == port)
    }

    @Test(
        "A text that is not an origin is refused, with the place",
        arguments: [
            ("", OriginError.missingScheme(offset: 0)), ("host.example", .missingScheme(offset: 12)),
            ("//host.example", .missingScheme(offset: 0)), ("https:host.example", .missingScheme(offset: 5)),
            ("https:/host.example", .missingScheme(offset: 5)), ("https:\\\\host.example", .missingScheme(offset: 5)),
            (" https://host.example", .missingScheme(offset: 0)), ("ht\ttps://host.example", .missingScheme(offset: 2)),
            ("ftp://host.example", .unsupportedScheme(offset: 0)),
            ("httpss://host.example", .unsupportedScheme(offset: 0)),
            ("http+://host.example", .unsupportedScheme(offset: 0)),
            ("https://user@host.example", .userinfo(offset: 12)), ("https://u:p@host.example", .userinfo(offset: 11)),
            ("https://@host.example", .userinfo(offset: 8)),
            ("https://good.example@evil.example", .userinfo(offset: 20)),
            ("https://", .host(.empty(offset: 8))), ("https://:443", .host(.empty(offset: 8))),
            ("https:///host.example", .host(.empty(offset: 8))),
            ("https://good.example\\@evil.example", .userinfo(offset: 21)),
            ("https://good.example\\.evil.example", .host(.forbiddenByte(0x5c, offset: 20))),
            ("https://a%40b", .host(.percentEscape(offset: 9))), ("https://::1", .host(.empty(offset: 8))),
            ("https://[::1]8443", .host(.forbiddenByte(0x38, offset: 13))),
            ("https://[::1", .host(.unclosedBracket(offset: 8))), ("https://127.1", .host(.oddIPv4(offset: 8))),
            ("https://h:0", .invalidPort(offset: 10)), ("https://h:000", .invalidPort(offset: 10)),
            ("https://h:065536", .invalidPort(offset: 10)), ("https://h:65536", .invalidPort(offset: 10)),
            ("https://h:100000", .invalidPort(offset: 10)), ("https://h:+80", .invalidPort(offset: 10)),
            ("https://h:80:80", .invalidPort(offset: 10)), ("https://h: 80", .invalidPort(offset: 10)),
            ("https://h:99999999999999999999", .invalidPort(offset: 10)),
            ("https://h/", .unexpectedPath(offset: 9)), ("https://h:443?q", .unexpectedPath(offset: 13)),
            ("https://h#f", .unexpectedPath(offset: 9)),
        ]
    )
    func refused(text: String, error: OriginError) {
        #expect(throws: error) { try Origin(parsing: text) }
    }

    @Test("Errors say where, in one line, and repeat no user") func descriptions() {
        let errors: [OriginError] = [
            .missingScheme(offset: 7), .unsupportedScheme(offset: 7), .userinfo(offset: 7), .host(.empty(offset: 7)),
            .invalidPort(offset: 7), .unexpectedPath(offset: 7),
        ]
        for error in errors {
            #expect(error.description.hasPrefix("offset 7: "))
            #expect(!error.description.contains("\n"))
        }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }

    @Test("No part of an origin is aligned to 16 bytes, which Swift 6.3.1 loses in closures of debug builds")
    func alignment() throws {
        #expect(MemoryLayout<Origin>.alignment == 8)
        let origin = try Origin(parsing: "https://[2001:db8::1]:8443")
        let isTrue: Bool = true
        let text: @Sendable () -> (Bool, Origin) = { (isTrue, origin) }
        #expect(text() == (true, origin))
    }
}
