import HTTP1
import Hostnames
import NIOCore
import Testing

@testable import SallyportRelay

/// Addresses in fields, and cookies.
@Suite struct ReverseRewritingTests {
    private static func rewriting(base: String = "http://127.0.0.1:8443") throws -> ReverseRewriting {
        ReverseRewriting(server: try Origin(parsing: "https://wiki.example"), base: try Origin(parsing: base))
    }

    /// The field lines of a response after rewriting.
    private static func response(_ lines: String..., base: String = "http://127.0.0.1:8443") throws -> [String] {
        let text = "HTTP/1.1 200 OK\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
        let bytes = ByteBuffer(string: text)
        let head = try ResponseHead(parsing: bytes.readableBytesUInt8Span, to: .other)
        var out = ByteBuffer()
        try rewriting(base: base).writeResponse(head.fields.kept, of: bytes, to: &out)
        return String(buffer: out).split(separator: "\r\n").map(String.init)
    }

    @Test(
        "Addresses of the server become those of the listener, and others stay",
        arguments: [
            ("https://wiki.example/a?b#c", "http://127.0.0.1:8443/a?b#c"),
            ("https://wiki.example", "http://127.0.0.1:8443"),
            ("HTTPS://WIKI.EXAMPLE:443/", "http://127.0.0.1:8443/"),
            ("//wiki.example/a", "http://127.0.0.1:8443/a"),
            ("https://wiki.example?q", "http://127.0.0.1:8443?q"),
            ("/a/b", "/a/b"), ("a", "a"),
            // Another server, also where it only looks the same.
            ("http://wiki.example/a", "http://wiki.example/a"),
            ("https://wiki.example:8443/", "https://wiki.example:8443/"),
            ("https://wiki.example.evil.example/", "https://wiki.example.evil.example/"),
            ("https://wiki.example@evil.example/", "https://wiki.example@evil.example/"),
            ("https://login.example/?back=https://wiki.example/", "https://login.example/?back=https://wiki.example/"),
        ]
    )
    func location(value: String, expected: String) throws {
        for name in ["Location", "content-location"] {
            let lines = try Self.response("\(name): \(value)")
            #expect(lines == ["\(name): \(expected)"])
        }
    }

    @Test(
        "A cookie is one that the client takes from the listener",
        arguments: [
            ("a=b; Domain=.example; Path=/; HttpOnly", "a=b; Path=/; HttpOnly"),
            ("a=b; Secure; SameSite=None; Partitioned", "a=b"),
            ("a=b; Secure; SameSite=Strict", "a=b; SameSite=Strict"),
            ("__Host-a=b; Secure; Path=/", "__Host-a=b; Secure; Path=/"),
            ("a=domain=x", "a=domain=x"), ("a=b", "a=b"),
        ]
    )
    func cookie(value: String, expected: String) throws {
        #expect(try Self.response("Set-Cookie: \(value)") == ["Set-Cookie: \(expected)"])
    }

    @Test("Over TLS a cookie stays Secure")
    func secureCookie() throws {
        let lines = try Self.response("Set-Cookie: a=b; Domain=wiki.example; Secure", base: "https://127.0.0.1:8443")
        #expect(lines == ["Set-Cookie: a=b; Secure"])
    }

    @Test("What speaks of the name and ports of the listener is dropped; the rest is passed on byte for byte")
    func others() throws {
        let lines = try Self.response(
            "Strict-Transport-Security: max-age=1",
            "X-A:  two  ",
            "Alt-Svc: h3=\":443\"",
            "ETag: \"x\""
        )
        #expect(lines == ["X-A:  two  ", "ETag: \"x\""])
    }
}
