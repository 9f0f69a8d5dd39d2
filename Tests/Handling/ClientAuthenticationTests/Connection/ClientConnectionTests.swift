import HTTPAuthentication
import HTTPTypes
import NTLM
import Secrets
import TestLimits
import Testing

@testable import ClientAuthentication

@Suite(.inTurn) struct ClientConnectionTests {
    @Test("A request without an answer gets a challenge of each scheme that may be used there")
    func challenges() throws {
        var client = TestClient()
        let values = try #require(client.receive(nil).refusal).fields[values: .wwwAuthenticate]
        let schemes = try values.flatMap { try ChallengeParser.parse($0) }
        #expect(schemes.map(\.scheme.name) == ["negotiate", "ntlm", "digest", "digest", "basic"])
        #expect(schemes.map { $0["algorithm"] } == [nil, nil, "SHA-256", "MD5", nil])
        var open = TestClient(isEncrypted: false, isPinned: false)
        let refusal = try #require(open.receive(nil).refusal)
        #expect(refusal.status == 401 && refusal.reason == .unanswered)
        #expect(refusal.fields[values: .wwwAuthenticate].allSatisfy { $0.hasPrefix("Digest ") })
        var proxy = TestClient(party: .proxy)
        #expect(proxy.receive(nil).refusal?.status == 407)
        #expect(proxy.receive(nil).refusal?.fields[values: .proxyAuthenticate].count == 5)
    }

    // MARK: Basic

    @Test("Basic: the right password is accepted, the others are not")
    func basic() async throws {
        var client = TestClient()
        let step = try await client.send(TestClient.basic("jdoe"))
        #expect(step.client?.name == ClientName(user: "jdoe") && step.client?.scheme == .basic)
        #expect(
            try await client.send(TestClient.basic("ACME\\JDoe")).client?.name
                == ClientName(user: "JDoe", domain: "ACME")
        )
        for (user, password) in [("jdoe", "wrong"), ("jdoe", ""), ("nobody", TestClient.password), ("", "")] {
            let refusal = try #require(try await client.send(TestClient.basic(user, password)).refusal)
            #expect(refusal.status == 401 && refusal.reason == .wrong(ClientName(user)))
        }
        // The next request needs its own answer.
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test(
        "An answer that is not one set of credentials is 400 (RFC 9110 section 11.4)",
        arguments: ["", "Basic !", "NTLM !", "x=y", "Basic amRvZTp4, Basic amRvZTp4"]
    )
    func malformed(answer: String) throws {
        var client = TestClient([.ntlm, .digestSHA256], isEncrypted: false)
        let refusal = try #require(client.receive(answer).refusal)
        #expect(refusal.status == 400 && refusal.reason == .unreadable)
        #expect(refusal.fields[.wwwAuthenticate] == nil)
    }

    @Test(
        "Credentials that their scheme cannot read, or whose scheme is not offered, get a challenge without a question",
        arguments: [
            "Basic", "Basic amRvZQ==", "Basic amRvZTp4", "Basic realm=\"x\"", "Basic //86eA==", "Bearer x", "NTLM",
            "Digest", "Digest x",
        ]
    )
    func unreadable(answer: String) throws {
        var client = TestClient([.ntlm, .digestSHA256], isEncrypted: false)
        let refusal = try #require(client.receive(answer).refusal)
        #expect(refusal.status == 401 && refusal.reason == .unreadable)
        #expect(refusal.fields[values: .wwwAuthenticate].count == 2)
    }

    @Test("Bytes that are no message of NTLM get a challenge, and the reason says what is wrong with them")
    func noMessage() throws {
        var client = TestClient([.ntlm, .digestSHA256], isEncrypted: false)
        let refusal = try #require(client.receive("NTLM AAAA").refusal)
        #expect(refusal.status == 401)
        // A message begins with a signature (MS-NLMP 2.2.1).
        #expect(refusal.reason == .ntlm(.message(.wrongSignature)))
    }

    @Test("Two answers in one request are refused, because two readers could see two clients")
    func twoAnswers() {
        var client = TestClient()
        var fields = HTTPFields()
        fields.append(HTTPField(name: .authorization, value: TestClient.basic("jdoe")))
        fields.append(HTTPField(name: .authorization, value: TestClient.basic("ada")))
        #expect(client.connection.received(method: "GET", target: "/", fields: fields).refusal?.status == 400)
    }

    @Test("Basic without TLS is neither offered nor taken, unless the options say so")
    func cleartext() {
        var client = TestClient(isEncrypted: false)
        #expect(client.receive(TestClient.basic("jdoe")).refusal?.reason == .unreadable)
    }

    @Test("After three wrong passwords the account gets 429, from any address, and the right password too")
    func guesses() async throws {
        var client = TestClient()
        for _ in 0..<3 { _ = try await client.send(TestClient.basic("jdoe", "wrong")) }
        let refusal = try #require(try await client.send(TestClient.basic("jdoe")).refusal)
        #expect(refusal.status == 429 && refusal.fields[.retryAfter] == "1800")
        #expect(refusal.reason == .tooManyGuesses(ClientName(user: "jdoe")))
        #expect(refusal.fields[.wwwAuthenticate] == nil)
        client.time.add(seconds: 1_801)
        #expect(try await client.send(TestClient.basic("jdoe")).client != nil)
    }

    @Test("A directory that gives no reply is 503, and proves nothing")
    func noReply() throws {
        var client = TestClient()
        for _ in 0..<10 {
            guard case .ask(let question) = client.receive(TestClient.basic("jdoe")) else {
                throw TestFailure.unexpected
            }
            let refusal = try #require(client.connection.replied(nil, to: question).refusal)
            #expect(refusal.status == 503 && refusal.reason == .noReply)
        }
    }

    // MARK: Digest

    @Test("Digest: a right answer is accepted once, and the server proves itself", arguments: ["MD5", "SHA-256"])
    func digest(algorithm: String) async throws {
        var client = TestClient()
        let nonce = try client.nonce()
        let answer = TestClient.digest(nonce: nonce, algorithm: algorithm)
        let step = try await client.send(answer)
        guard case .accept(let acceptance) = step else { throw TestFailure.unexpected }
        #expect(acceptance.client.name == ClientName(user: "jdoe") && acceptance.client.scheme == .digest)
        #expect(acceptance.fields[try #require(HTTPField.Name("Authentication-Info"))]?.hasPrefix("rspauth=") == true)
        let again = try #require(try await client.send(answer).refusal)
        #expect(again.reason == .stale(ClientName(user: "jdoe")))
        #expect(again.fields[values: .wwwAuthenticate].contains { $0.contains("stale=true") })
        #expect(try await client.send(TestClient.digest(nonce: nonce, count: 2, algorithm: algorithm)).client != nil)
    }

    @Test("Digest: what the answer signs must be the request, the realm and our nonce")
    func digestCovers() async throws {
        var client = TestClient()
        let nonce = try client.nonce()
        let jdoe = ClientName(user: "jdoe")
        #expect(try await client.send(TestClient.digest(nonce: nonce, password: "x")).refusal?.reason == .wrong(jdoe))
        #expect(
            try await client.send(TestClient.digest(nonce: nonce, user: "x")).refusal?.reason == .wrong(ClientName("x"))
        )
        let signed = TestClient.digest(nonce: nonce)
        #expect(try await client.send(signed, method: "DELETE").refusal?.reason == .wrong(jdoe))
        #expect(try await client.send(signed, target: "/other").refusal?.reason == .unreadable)
        #expect(try await client.send(TestClient.digest(nonce: nonce, realm: "x")).refusal?.reason == .unreadable)
        var other = TestClient()
        #expect(try await other.send(signed).refusal?.reason == .unreadable)
        for index in [0, 12, 30, 43] {
            var digits = Array(nonce.utf8)
            digits[index] = digits[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let forged = TestClient.digest(nonce: String(decoding: digits, as: UTF8.self))
            #expect(try await client.send(forged).refusal?.reason == .unreadable)
        }
    }

    @Test("Digest: an old nonce is stale for the right password alone, and half its life brings the next one")
    func staleNonce() async throws {
        var client = TestClient()
        let nonce = try client.nonce()
        client.time.add(seconds: 200)
        guard case .accept(let acceptance) = try await client.send(TestClient.digest(nonce: nonce)) else {
            throw TestFailure.unexpected
        }
        #expect(acceptance.fields.contains { $0.value.contains("nextnonce=") })
        client.time.add(seconds: 200)
        let jdoe = ClientName(user: "jdoe")
        #expect(try await client.send(TestClient.digest(nonce: nonce, count: 2)).refusal?.reason == .stale(jdoe))
        let wrong = TestClient.digest(nonce: nonce, password: "x", count: 3)
        #expect(try await client.send(wrong).refusal?.reason == .wrong(jdoe))
    }

    @Test("An answer to a challenge that is not offered is not taken: MD5 of a server with SHA-256 alone")
    func algorithmNotOffered() async throws {
        var client = TestClient([.digestSHA256])
        let nonce = try client.nonce()
        let answer = TestClient.digest(nonce: nonce, algorithm: "MD5")
        #expect(try await client.send(answer).refusal?.reason == .unreadable)
    }

    @Test("An unknown account is refused even with the password that stands in for its own")
    func standIn() async throws {
        let text = ClientSecret.standInPassword.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        var client = TestClient([.basic, .digestSHA256])
        let basic = TestClient.basic("nobody", text)
        #expect(try await client.send(basic).refusal?.reason == .wrong(ClientName("nobody")))
        let digest = TestClient.digest(nonce: try client.nonce(), user: "nobody", password: text)
        #expect(try await client.send(digest).refusal?.reason == .wrong(ClientName("nobody")))
    }

    @Test(
        "A name with control characters is not asked for",
        arguments: ["a\r\nX: y", "a\0", "\u{7F}", "a\u{2028}b", "A\n\\b"]
    )
    func controlCharacters(name: String) {
        var client = TestClient([.basic])
        #expect(client.receive(TestClient.basic(name)).refusal?.reason == .unreadable)
    }

    @Test("A nonce of another process is stale, so that a client asks its user nothing")
    func foreignNonce() async throws {
        var before = TestClient([.digestSHA256])
        var client = TestClient([.digestSHA256])
        let refusal = try #require(client.receive(TestClient.digest(nonce: before.nonce())).refusal)
        #expect(refusal.fields[values: .wwwAuthenticate].allSatisfy { $0.hasSuffix("stale=true") })
    }

    @Test("No description of a question shows its proof")
    func descriptions() throws {
        var client = TestClient([.basic, .digestSHA256])
        let digest = try TestClient.digest(nonce: client.nonce())
        for answer in [TestClient.basic("jdoe"), digest] {
            let step = client.receive(answer)
            var text = "\(step)"
            dump(step, to: &text)
            #expect(!text.contains("response") && !text.contains("password") && !text.contains("c0ffee"))
        }
    }

    @Test("The spellings of one account have one name, and share its guesses")
    func canonicalNames() async throws {
        let directory = OneDomain()
        let authenticator = ClientAuthenticator(
            ClientAuthenticationOptions(
                party: .origin,
                realm: "r",
                schemes: [.basic],
                guesses: GuessRules(perAccount: 3)
            ),
            directory: directory
        )
        var connection = authenticator.connection(from: "192.0.2.1", isEncrypted: true, isPinned: true)
        func send(_ user: String, _ password: String) async throws -> ClientStep {
            let fields: HTTPFields = [.authorization: TestClient.basic(user, password)]
            let step = connection.received(method: "GET", target: "/", fields: fields)
            guard case .ask(let question) = step else { return step }
            return connection.replied(try await question.ask(directory), to: question)
        }
        let name = ClientName(user: "jdoe", domain: "ACME")
        #expect(try await send("jdoe", TestClient.password).client?.name == name)
        connection = authenticator.connection(from: "192.0.2.2", isEncrypted: true, isPinned: true)
        for user in ["jdoe", "ACME\\jdoe", "acme\\JDoe"] {
            #expect(try await send(user, "wrong").refusal?.status == 401)
        }
        #expect(try await send("jdoe", "wrong").refusal?.reason == .tooManyGuesses(name))
    }
}

/// A directory whose names without a domain are of ACME.
private struct OneDomain: ClientDirectory {
    func secret(of name: ClientName) async -> ClientSecret? {
        name.account == "acme\\jdoe" ? .password(SharedSecret(utf8: TestClient.password)) : nil
    }

    func canonical(_ name: ClientName) -> ClientName {
        name.domain.isEmpty ? ClientName(user: name.user, domain: "ACME") : name
    }
}
