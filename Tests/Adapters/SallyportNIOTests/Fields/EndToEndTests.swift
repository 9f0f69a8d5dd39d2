import NIOHTTP1
import SallyportNIO
import Testing

/// RFC 9110 section 7.6.1: what an intermediary removes before it passes a message on.
@Suite struct EndToEndTests {
    @Test("The fields of one connection go, also those that Connection names; those of the message stay in their order")
    func passedOn() {
        let headers: HTTPHeaders = [
            "Host": "a.example", "Connection": "close, X-Hop", "x-hop": "1", "X-End": "2", "Keep-Alive": "timeout=5",
            "connection": "\"odd\" , Upgrade", "TE": "trailers", "Upgrade": "h2c",
            "Proxy-Connection": "keep-alive", "Proxy-Authorization": "Basic eDp5", "Proxy-Authenticate": "NTLM",
            "Content-Length": "3", "WWW-Authenticate": "NTLM", "Set-Cookie": "a=1", "set-cookie": "b=2",
        ]
        let left = headers.endToEnd.map { "\($0.name): \($0.value)" }
        let expected = [
            "Host: a.example", "X-End: 2", "Content-Length: 3", "WWW-Authenticate: NTLM", "Set-Cookie: a=1",
            "set-cookie: b=2",
        ]
        #expect(left == expected)
        // RFC 9112 section 6.3: the length is overridden, so it frames nothing.
        let both: HTTPHeaders = ["Content-Length": "3", "transfer-encoding": "chunked", "X-End": "2"]
        #expect(both.endToEnd.map { "\($0.name): \($0.value)" } == ["X-End: 2"])
    }
}
