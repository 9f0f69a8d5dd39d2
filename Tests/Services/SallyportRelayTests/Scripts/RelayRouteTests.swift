import Hostnames
import Testing

@testable import SallyportRelay

/// What scripts return, in the forms that browsers read.
@Suite struct RelayRouteTests {
    @Test(
        "Answers are lists of ways",
        arguments: [
            ("DIRECT", "direct"), ("", "direct"), (" ; ", "direct"), ("PROXY a.example:8080", "http://a.example:8080"),
            ("PROXY a.example:8080; DIRECT", "http://a.example:8080 direct"),
            ("proxy a.example:8080;direct", "http://a.example:8080 direct"),
            ("HTTPS a.example:8443; PROXY b.example:3128;", "https://a.example:8443 http://b.example:3128"),
            ("HTTP a.example:80", "http://a.example"), ("PROXY a.example", "http://a.example"),
            ("HTTPS a.example", "https://a.example"), ("SOCKS5 a.example", "socks5://a.example:1080"),
            ("SOCKS a.example:80; SOCKS5 a.example:80", "socks5://a.example:80"),
            ("PROXY [2001:db8::1]:8080; PROXY [2001:db8::2]", "http://[2001:db8::1]:8080 http://[2001:db8::2]"),
            // What is not known is left out.
            ("QUIC a.example:443; DIRECT", "direct"), ("SOCKS4 a.example:1080", ""), ("PROXY", ""), ("DIRECT x", ""),
            ("PROXY a.example:99999", ""), ("PROXY user@a.example:1; DIRECT", "direct"), ("PROXY a..b:1", ""),
            ("PROXY a.example:8080\\tx", ""), ("PROXY a.example:8080; PROXY a.example:8080", "http://a.example:8080"),
        ]
    )
    func parsing(answer: String, expected: String) {
        let ways = RelayRoute.list(parsing: answer).map { route in
            switch route {
            case .direct: "direct"
            case .proxy(let parent): "\(parent)"
            }
        }
        #expect(ways.joined(separator: " ") == expected)
    }

    @Test("No more ways than the bound are taken")
    func bound() {
        let answer = (0..<100).map { "PROXY p\($0).example:1" }.joined(separator: ";")
        #expect(RelayRoute.list(parsing: answer).count == ProxyScriptLimits.choices)
    }

    @Test("An answer that names no way is shown without the password before a host")
    func password() {
        let error = ProxyScriptError.noWay(answer: "PROXY jdoe:Correct-Horse@proxy.example:8080; SOCKS me:other@b")
        #expect("\(error)".contains("proxy.example:8080"))
        for secret in ["jdoe", "Correct-Horse", "other@"] { #expect(!"\(error)".contains(secret)) }
    }
}
