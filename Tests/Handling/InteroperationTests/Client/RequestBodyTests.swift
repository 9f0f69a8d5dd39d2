import LiveServers
import Sallyport
import Testing

/// Requests with bodies through the driver, on one connection that is kept.
@Suite(
    "Bodies at Apache: Basic, Digest, and NTLM with gss-ntlmssp",
    .inTurn,
    .serialized,
    .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .openssl)
)
struct RequestBodyTests {
    @Test(
        "A handshake keeps its connection in step, and the next request needs none",
        arguments: GuardedServer.Kind.apache
    )
    func post(kind: GuardedServer.Kind) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let server = try GuardedServer(kind)
            let client = LiveClient(try server.handler())
            let page = try server.request(1)
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
            let post = LiveRequest(page.path, at: page.outgoing.origin, method: "POST", body: body)
            let first = try await client.send(post)
            #expect(first == LiveClient.Reply(status: 200, outcome: .accepted, sends: kind.scheme == .ntlm ? 3 : 2))
            // If a message of the handshake had left bytes behind, they would be read as this request.
            let second = try await client.send(page)
            #expect(second.status == 200 && second.sends == 1, "\(second)")
            #expect(try await client.send(post).sends == 1)
            #expect(try server.takeBadLogOns() == 0)
        }
    }
}
