import Hostnames
import SallyportRelay
import Testing

@Suite struct RelayParentTests {
    @Test(
        "A parent is read",
        arguments: [
            ("proxy.example:8080", "http://proxy.example:8080", nil),
            ("http://proxy.example:80", "http://proxy.example", nil),
            ("https://proxy.example:8443", "https://proxy.example:8443", nil),
            ("socks5://proxy.example:1080", "socks5://proxy.example:1080", nil),
            ("SOCKS5H://[2001:db8::1]:1080", "socks5://[2001:db8::1]:1080", nil),
            ("socks5://jdoe@proxy.example:1080", "socks5://proxy.example:1080", "jdoe"),
            ("socks5://%C5%82%40x@proxy.example:80", "socks5://proxy.example:80", "ł@x"),
        ] as [(String, String, String?)]
    )
    func read(text: String, description: String, user: String?) throws {
        let parent = try RelayParent(parsing: text)
        #expect("\(parent)" == description && parent.user == user)
        #expect((parent.kind == .socks5) == description.hasPrefix("socks5"))
        #expect(parent.origin.scheme == (text.hasPrefix("https") ? .https : .http))
    }

    @Test(
        "What is no parent is refused with its reason, and without the text",
        arguments: [
            ("proxy.example", RelayParentError.port), ("socks5://proxy.example", .port),
            ("https://proxy.example", .port),
            ("ftp://proxy.example:1", .scheme), ("socks4://proxy.example:1", .scheme),
            ("socks5://jdoe:secret@proxy.example:1080", .password),
            ("http://jdoe:secret@proxy.example:8080", .password),
            ("jdoe@proxy.example:8080", .password), ("socks5://@proxy.example:1080", .user),
            ("socks5://%ZZ@proxy.example:1080", .user), ("socks5://%ff@proxy.example:1080", .user),
            ("socks5://\(String(repeating: "u", count: 256))@proxy.example:1080", .user),
            ("proxy.example:1/path", .origin(.unexpectedPath(offset: 22))),
        ]
    )
    func refused(text: String, error: RelayParentError) {
        #expect(throws: error) { try RelayParent(parsing: text) }
        #expect(!"\(error)".contains("secret"))
    }
}
