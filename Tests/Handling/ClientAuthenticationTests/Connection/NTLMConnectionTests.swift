import HTTPAuthentication
import HTTPTypes
import NTLM
import Secrets
import TestLimits
import Testing
import WireFormat

@testable import ClientAuthentication

@Suite(.inTurn) struct NTLMConnectionTests {
    private static let jdoe = ClientName(user: "jdoe", domain: "ACME")

    /// Begins a handshake and returns the client's last message.
    private static func answer(
        _ client: inout TestClient,
        user: String = "jdoe",
        password: String = TestClient.password
    ) throws -> String {
        let account = try NTLMAccount(user: user, domain: "ACME", hash: NTHash(password: password))
        var handshake = ClientHandshake(account: account)
        let negotiate = handshake.negotiate()
        let refusal = try #require(client.receive("NTLM " + Base64.encode(negotiate.span)).refusal)
        #expect(refusal.status == 401 && refusal.reason == .unanswered)
        let values = refusal.fields[values: .wwwAuthenticate]
        let token = try #require(values.first?.dropFirst("NTLM ".count))
        #expect(values.count == 1)
        let challenge = try Base64.decode(token)
        let message = try handshake.authenticate(challenge: challenge.span, now: client.time.now)
        return "NTLM " + Base64.encode(message.span)
    }

    @Test("NTLM: a right answer authenticates the connection until its client begins again")
    func connection() async throws {
        var client = TestClient()
        let answer = try Self.answer(&client)
        #expect(try await client.send(answer).client?.name == Self.jdoe)
        #expect(client.receive(nil).client?.name == Self.jdoe)
        // A request with an answer of its own is judged by that answer.
        #expect(try await client.send(TestClient.basic("jdoe", "wrong")).refusal?.reason == .wrong(ClientName("jdoe")))
        #expect(client.receive(nil).client?.name == Self.jdoe)
        // Another handshake ends the log-on, also if it fails.
        _ = try Self.answer(&client)
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test("NTLM: a wrong password, an unknown user and a used message are refused")
    func refused() async throws {
        var client = TestClient()
        let wrong = try Self.answer(&client, password: "x")
        #expect(try await client.send(wrong).refusal?.reason == .wrong(Self.jdoe))
        #expect(client.receive(nil).refusal?.reason == .unanswered)
        let unknown = try Self.answer(&client, user: "ada")
        #expect(try await client.send(unknown).refusal?.reason == .wrong(ClientName(user: "ada", domain: "ACME")))
        let right = try Self.answer(&client)
        #expect(try await client.send(right).client != nil)
        #expect(try await client.send(right).refusal?.reason == .ntlm(.wrongStep))
        #expect(client.receive(nil).refusal?.reason == .unanswered)
        var other = TestClient()
        #expect(try await other.send(right).refusal?.reason == .ntlm(.wrongStep))
    }

    @Test("NTLM: a request without an answer ends a handshake that has begun")
    func interrupted() async throws {
        var client = TestClient()
        let answer = try Self.answer(&client)
        #expect(client.receive(nil).refusal?.reason == .unanswered)
        #expect(try await client.send(answer).refusal?.reason == .ntlm(.wrongStep))
    }

    @Test("NTLM: guesses are counted by the name that the message claims")
    func guesses() async throws {
        var client = TestClient()
        for _ in 0..<3 { _ = try await client.send(try Self.answer(&client, password: "x")) }
        let answer = try Self.answer(&client)
        #expect(try await client.send(answer).refusal?.reason == .tooManyGuesses(Self.jdoe))
    }

    @Test("NTLM is not taken on a connection that several clients share")
    func shared() {
        var client = TestClient(isPinned: false)
        #expect(client.receive("NTLM TlRMTVNTUAABAAAA").refusal?.reason == .unreadable)
    }

    @Test("Messages cut at any byte are refused")
    func truncated() async throws {
        var client = TestClient()
        let answer = try Self.answer(&client)
        let message = try Base64.decode(answer.dropFirst(5))
        for count in 0..<message.count {
            let cut = Base64.encode(message.span.extracting(0..<count))
            let answered = try Self.answer(&client)
            #expect(!answered.isEmpty)
            #expect(try await client.send("NTLM " + cut).client == nil)
        }
    }
}
