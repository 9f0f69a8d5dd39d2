import CredentialSources
import CredentialStores
import Hostnames
import LiveServers
import NTLM
import Sallyport
import Secrets
import Synchronization
import Testing

/// Accounts that no scheme of the parent can use: another one is asked for, as after a refusal, and no password is sent before.
@Suite(.inTurn) struct AccountProblemTests {
    private static let password = "hunter2"

    /// A person who writes these names, and the right password each time; afterwards nothing.
    private final class Person: CredentialSource {
        private let names: Mutex<[String]>
        private let asked = Mutex<[CredentialQuestion]>([])

        init(_ names: [String]) { self.names = Mutex(names) }

        var questions: [CredentialQuestion] { asked.withLock { $0 } }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            asked.withLock { $0.append(question) }
            guard let name = names.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return .goOnWithout }
            return .use(SuppliedCredential(login: name, password: SharedSecret(utf8: password), keep: .stored))
        }
    }

    private static func authenticator(
        _ parent: String,
        _ prompt: (any CredentialSource)?,
        store: (any CredentialStore)? = nil
    ) throws -> Authenticator {
        try TestRelay.authenticator(parent, prompt, store: store, schemes: [.ntlm, .basic], isOneAtATime: false)
    }

    private static func expect(_ status: Int, _ relay: TestRelay, _ location: SourceLocation = #_sourceLocation) throws
    {
        let response = try relay.connect().get("http://a.example/")
        #expect(response.status == status, "\(response.body)", sourceLocation: location)
    }

    @Test(
        "A name without the domain that the parent names is asked for again at once",
        arguments: [#"ACME\jdoe"#, #"\jdoe"#]
    )
    func domain(second: String) async throws {
        let parent = try await NTLMParent(["jdoe": NTHash(password: Self.password)])
        let person = Person(["jdoe", second])
        let authenticator = try Self.authenticator("\(parent.origin)", person)
        try await TestRelay.run(before: parent.origin, authenticator: authenticator) { relay in
            try Self.expect(200, relay)
            try Self.expect(200, relay)
            #expect(person.questions.map(\.problem) == [nil, .domainRequired(target: NTLMParent.domain)])
            #expect(parent.counts.badLogOns == 0)
        }
        await parent.stop()
    }

    @Test("After an empty answer the reason says what to write, and the next request asks again")
    func emptyAnswer() async throws {
        let parent = try await NTLMParent(["jdoe": NTHash(password: Self.password)])
        let person = Person(["jdoe"])
        let authenticator = try Self.authenticator("\(parent.origin)", person)
        try await TestRelay.run(before: parent.origin, authenticator: authenticator) { relay in
            for count in 2...3 {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == 502)
                #expect(response.body.contains(#"as ACME\USER, or as \USER if it has none"#), "\(response.body)")
                #expect(person.questions.count == count)
            }
            #expect(parent.counts.badLogOns == 0)
        }
        await parent.stop()
    }

    @Test("Without a person a record with the domain is enough, though the password is the same")
    func store() async throws {
        let parent = try await NTLMParent(["jdoe": NTHash(password: Self.password)])
        let store = MemoryCredentialStore()
        let authenticator = try Self.authenticator("\(parent.origin)", nil, store: store)
        func keep(domain: String?) async throws {
            let name = CredentialName(space: .origin(parent.origin, party: .proxy), user: "jdoe", domain: domain)
            let secret = SharedSecret(utf8: Self.password)
            try await store.save(StoredCredential(name: name, secret: secret, created: 1))
        }
        try await keep(domain: nil)
        try await TestRelay.run(before: parent.origin, authenticator: authenticator) { relay in
            for _ in 0..<2 { try Self.expect(502, relay) }
            try await keep(domain: "ACME")
            try Self.expect(200, relay)
            #expect(parent.counts.badLogOns == 0)
        }
        await parent.stop()
    }

    @Test("A name that Basic cannot express is asked for again, too") func colon() async throws {
        let sent = Mutex(0)
        let server = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") == nil else {
                sent.withLock { $0 += 1 }
                return .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let person = Person(["j:doe", "jdoe"])
        let authenticator = try Self.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            try Self.expect(200, relay)
            #expect(person.questions.map(\.problem) == [nil, .userNotRepresentable])
            #expect(sent.withLock { $0 } == 1)
        }
    }
}
