import Corpora
import Testing

@Suite struct RecordedEndpointTests {
    @Test(
        "An address of IPv6 is written in brackets (RFC 3986 section 3.2.2), and read as it is written",
        arguments: [
            ("a.example", 443, "a.example"), ("a.example", 8443, "a.example:8443"), ("192.0.2.1", 22, "192.0.2.1:22"),
            ("::1", 443, "[::1]"), ("::1", 8443, "[::1]:8443"), ("2001:db8::1", 25, "[2001:db8::1]:25"),
        ]
    )
    func description(host: String, port: Int, text: String) {
        let endpoint = RecordedEndpoint(host: host, port: port)
        #expect(endpoint.description == text)
        #expect(RecordedEndpoint(parsing: text) == endpoint)
    }

    @Test("The dot of the root makes no other server (RFC 1034 section 3.1)", arguments: ["", ":8443"])
    func rootDot(port: String) {
        #expect(RecordedEndpoint(parsing: "A.example.\(port)") == RecordedEndpoint(parsing: "a.example\(port)"))
        #expect(RecordedEndpoint(parsing: ".\(port)") == nil)
    }
}
