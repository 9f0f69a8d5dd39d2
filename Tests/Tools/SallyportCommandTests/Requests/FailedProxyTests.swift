import HTTPTypes
import Testing

@testable import SallyportCommand

/// Responses that a proxy made itself.
@Suite struct FailedProxyTests {
    private static func text(_ value: String?, reason: String = "Bad Gateway") throws -> String? {
        var fields = HTTPFields()
        if let value { fields[try #require(HTTPField.Name("Proxy-Status"))] = value }
        return FailedProxy.text(reason, fields)
    }

    @Test(
        "The nearest proxy that reports an error is named (RFC 9209 section 2)",
        arguments: [
            ("ExampleCDN; error=connection_timeout", "ExampleCDN", "connection_timeout"),
            ("r34.example.net; error=http_request_error, ExampleCDN", "r34.example.net", "http_request_error"),
            ("FooCDN; error=dns_error, ExampleCDN;error=tls_protocol_error", "ExampleCDN", "tls_protocol_error"),
            (
                #""a,b;c"; details="x; error=no, \"y"; error=connection_refused"#, "a,b;c", "connection_refused"
            ),
        ]
    )
    func named(value: String, proxy: String, error: String) throws {
        let text = try #require(try Self.text(value))
        #expect(text.hasPrefix("the proxy \(proxy) ") && text.contains("(\(error))"), "\(text)")
    }

    @Test(
        "Without an error of a proxy the response may be the server's",
        arguments: [
            nil, "", "ExampleCDN", "revproxy1.example.net, ExampleCDN", "ExampleCDN; received-status=502", "error=x",
        ]
    )
    func server(value: String?) throws { #expect(try Self.text(value) == nil) }

    @Test("A relay's own response has its reason in the status line") func relay() throws {
        let text = try Self.text(nil, reason: "sallyport relay: parent: no connection")
        #expect(text == "the relay says: parent: no connection")
    }
}
