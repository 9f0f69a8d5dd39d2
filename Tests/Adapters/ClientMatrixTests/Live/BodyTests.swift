import LiveServers
import MatrixClients
import Sallyport
import Testing

/// Bodies arrive whole and once, where a test can see what arrives.
@Suite(.inTurn, .serialized) struct BodyTests {
    @Test(
        "Through a proxy that asks, in absolute form",
        .needs(.squid, .pyspnego),
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.squid
    )
    func proxy(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let origin = try await ScriptedServer { .send(Responses.accepts($0)) }
        defer { origin.stop() }
        let squid = try await GuardedServer.started(kind)
        let current = CurrentHandler(try squid.handler())
        try await client.run(current, try squid.route().settings) { running in
            for body in [MatrixRequest.Body.kept, .once] {
                let reply = try await running.send(MatrixRequest(origin: origin.origin, body: body))
                #expect(reply.status == 200)
            }
        }
        #expect(origin.requests.map(Self.length) == [client.keptBytes, MatrixRequest.Body.bytes])
        #expect(try squid.takeBadLogOns() == 0)
    }

    @Test("At a server that asks", arguments: MatrixClient.allCases, ["Basic realm=\"x\"", Self.digest])
    func origin(client: MatrixClient, challenge: String) async throws {
        let asks = Responses.asks(challenge)
        let server = try await ScriptedServer {
            .send($0.field("Authorization") == nil ? asks : Responses.accepts($0))
        }
        defer { server.stop() }
        let current = try MatrixProfile.current([.init(sites: [server.origin])], [.digest, .basic])
        try await client.run(current) { running in
            for body in [MatrixRequest.Body.once, .kept] {
                let reply = try await running.send(MatrixRequest(origin: server.origin, body: body))
                #expect(reply.status == 200)
            }
        }
        let answered = server.requests.filter { $0.field("Authorization") != nil }
        #expect(answered.map(Self.length) == [MatrixRequest.Body.bytes, client.keptBytes])
    }

    private static let digest = "Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

    /// The length of the body of a request, which may be chunked.
    private static func length(_ request: ScriptedServer.Request) -> Int {
        request.field("Transfer-Encoding") == nil ? request.body.utf8.count : unchunked(request.body)
    }

    /// The number of bytes in chunks.
    private static func unchunked(_ body: String) -> Int {
        var rest = Array(body.utf8)[...]
        var count = 0
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let length = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16)
        {
            count += length
            rest = rest[end...].dropFirst(2 + length + 2)
        }
        return count
    }
}

extension MatrixClient {
    /// The length of a body that can be sent again: AsyncHTTPClient's adapter keeps less.
    fileprivate var keptBytes: Int { self == .asyncHTTPClient ? 256 << 10 : MatrixRequest.Body.bytes }
}
