import Hostnames
import Testing

@testable import OAuth

@Suite struct ServiceURLTests {
    @Test(
        "https, and http on loopback alone",
        arguments: [
            ("https://login.example/token?a=b", "/token?a=b"), ("https://login.example", "/"),
            ("https://login.example?x=/y", "/?x=/y"), ("http://127.0.0.1:8080/cb", "/cb"), ("http://[::1]:1/", "/"),
            ("http://localhost/a//b", "/a//b"), ("https://login.example:8443/a%2Fb", "/a%2Fb"),
        ]
    )
    func accepted(url: String, target: String) throws {
        #expect(try ServiceURL(url).target == target)
    }

    @Test(
        "Clear text, fragments and users are refused",
        arguments: [
            "http://login.example/token", "http://127.evil.example/", "http://localhost.evil.example/", "https://a/#b",
            "https://user@login.example/", "ftp://login.example/", "/token", "https://login.example /",
            // What would begin a second line of a request.
            "https://login.example/a?b\r\nHost: c", "https://login.example/a b", "https://login.example/a?\u{1B}[2J",
            "https://login.example/ä",
        ]
    )
    func refused(url: String) {
        #expect(throws: ServiceURLError.self) { try ServiceURL(url) }
    }

    @Test("A description has no query") func description() throws {
        #expect("\(try ServiceURL("https://login.example/a?secret=b"))" == "https://login.example/a")
    }
}
