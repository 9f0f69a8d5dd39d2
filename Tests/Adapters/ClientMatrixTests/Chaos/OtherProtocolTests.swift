import Hostnames
import LiveServers
import MatrixClients
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import Testing

/// Servers that do not speak HTTP/1.1, or change TLS in the middle, for each client.
@Suite(.inTurn) struct OtherProtocolTests {
    @Test(
        "Without TLS: HTTP/2, SSH, a bad length, empty lines",
        arguments: MatrixClient.allCases,
        [
            // An empty SETTINGS frame and one with a setting (RFC 9113 section 6.5).
            ("\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}", .invalidConstant),
            ("\u{0}\u{0}\u{6}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{3}\u{0}\u{0}\u{0}d", .invalidConstant),
            ("SSH-2.0-x\r\n", .invalidConstant),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .invalidContentLength),
            ("\r\n\r\n\r\n\r\nx", .invalidConstant),
        ] as [(String, HTTPParserError)]
    )
    func noHTTP(client: MatrixClient, response: (bytes: String, problem: HTTPParserError)) async throws {
        for closes in [true, false] {
            let server = try await ScriptedServer { _ in
                closes ? .sendAndClose(response.bytes) : .send(response.bytes)
            }
            defer { server.stop() }
            let ending = try #require(try await Chaos.endings(client, server).first)
            if client == .asyncHTTPClient {
                // A connection of AsyncHTTPClient, which reads by the rules of SwiftNIO.
                #expect(ending.error(HTTPParserError.self) == response.problem, "\(ending)")
            } else {
                let defect = response.problem == .invalidContentLength ? ResponseDefect.framing : .statusLine
                let expected = ClientError.malformedResponse(server.origin, reason: defect.problem)
                #expect(ending.error(ClientError.self) == expected, "\(ending)")
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("A server whose TLS offers HTTP/2 only", .needs(.openssl), arguments: MatrixClient.allCases)
    func onlyHTTP2(client: MatrixClient) async throws {
        let root = try TestAuthority("Root")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let server = try OpenSSLServer(root.leaf("localhost"), ["-alpn", "h2"])
            // With a pin AsyncHTTPClient's adapter uses connections of ours; AsyncHTTPClient itself speaks HTTP/2.
            let current = try MatrixProfile.current(
                [.init(sites: [server.origin])],
                [.basic],
                pins: [try root.own.entry(host: "localhost")]
            )
            try await client.run(current, trusting: root) { running in
                let ending = await Chaos.ending(running, MatrixRequest(origin: server.origin))
                #expect(Self.handshakeProblem(ending)?.contains("NO_APPLICATION_PROTOCOL") == true, "\(ending)")
            }
        }
    }

    @Test(
        "A server that wants to renegotiate instead of responding",
        .needs(.openssl),
        arguments: MatrixClient.allCases,
        [false, true]
    )
    func renegotiation(client: MatrixClient, renegotiates: Bool) async throws {
        let root = try TestAuthority("Root")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let server = try OpenSSLServer(root.leaf("localhost"), ["-tls1_2", "-crlf"])
            let origin = server.origin
            let current = try MatrixProfile.current([.init(sites: [origin])], [.basic])
            try await client.run(current, trusting: root) { running in
                async let ending = Chaos.ending(running, MatrixRequest(origin: origin))
                try server.waitForRequest()
                try server.type(
                    renegotiates ? ["R"] : ["HTTP/1.1 200 OK", "Content-Length: 4", "", "ok"]
                )
                let end = await ending
                switch (renegotiates, client) {
                case (false, _): #expect(end.status == 200, "\(end)")
                case (true, .asyncHTTPClient):
                    #expect(Self.handshakeProblem(end)?.contains("NO_RENEGOTIATION") == true, "\(end)")
                case (true, _): #expect(end.error(ClientError.self) == .connectionLost(origin), "\(end)")
                }
            }
        }
    }

    /// Why a handshake has failed, in the words of BoringSSL; `nil` for another ending.
    private static func handshakeProblem(_ ending: Ending) -> String? {
        guard case .handshakeFailed(_, let reason)? = ending.error(TLSError.self) else { return nil }
        return reason
    }
}
