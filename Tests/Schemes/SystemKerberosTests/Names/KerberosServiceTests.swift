import LiveServers
import SystemKerberos
import Testing

@Suite(.needs(.kerberos)) struct KerberosServiceTests {
    private static let library = Result { try KerberosLibrary.load() }

    @Test(
        "A name with a realm is taken as it is, with a small host",
        arguments: [
            ("wiki.acme.example", "ACME.EXAMPLE", "HTTP/wiki.acme.example@ACME.EXAMPLE"), ("WIKI", "A", "HTTP/wiki@A"),
            ("::1", "A", "HTTP/::1@A"),
        ]
    )
    func realm(host: String, realm: String, text: String) throws {
        let service = try KerberosService(host: host, naming: .realm(realm), library: try Self.library.get())
        #expect(service.text == text)
    }

    @Test(
        "Other characters are refused, because some of them separate the parts of a name",
        arguments: [
            "", "a/b", "a@B", #"a\b"#, "a b", "a\u{0}", "é", "wi\u{212A}i", String(repeating: "a", count: 1_025),
        ]
    )
    func badNames(host: String) throws {
        let library = try Self.library.get()
        #expect(throws: KerberosError.self) { try KerberosService(host: host, naming: .realm("A"), library: library) }
        #expect(throws: KerberosError.self) {
            try KerberosService("H/", host: "a", naming: .realm("A"), library: library)
        }
        #expect(throws: KerberosError.self) { try KerberosService(host: "a", naming: .realm(host), library: library) }
    }

    @Test("A cache makes a name once, and forgets the oldest at its bound")
    func cache() throws {
        let cache = KerberosServiceCache(library: try Self.library.get(), maximumEntries: 2)
        let first = try cache.service(host: "a", naming: .realm("A"))
        #expect(try cache.service(host: "a", naming: .realm("A")) === first)
        #expect(try cache.service(host: "a", naming: .realm("B")) !== first)
        _ = try cache.service(host: "b", naming: .realm("A"))
        #expect(try cache.service(host: "a", naming: .realm("A")) !== first)
    }
}
