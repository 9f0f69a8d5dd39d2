import CredentialSources
import CredentialStores
import LiveServers
import Sallyport
import Secrets
import Synchronization
import Testing

/// Passwords that the parent accepts, refuses and accepts again: each decision of a person costs one bad log-on at most.
@Suite(.inTurn) struct ReturningPasswordTests {
    /// A person who types these passwords; afterwards nothing.
    private final class Person: CredentialSource {
        private let state: Mutex<(answers: [String], questions: Int)>

        init(_ answers: String...) { state = Mutex((answers, 0)) }

        var questions: Int { state.withLock { $0.questions } }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            let answer = state.withLock { state -> String? in
                state.questions += 1
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            }
            guard let answer else { return .goOnWithout }
            return .use(SuppliedCredential(login: "jdoe", password: SharedSecret(utf8: answer)))
        }
    }

    @Test("In the store: a password that was refused once is tried when it is written anew, and not by itself")
    func store() async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let store = MemoryCredentialStore()
        let authenticator = try TestRelay.authenticator("\(server.origin)", nil, store: store)
        func keep(_ password: String, at time: Int64) async throws {
            let name = CredentialName(space: .origin(server.origin, party: .proxy), user: "jdoe", domain: nil)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: time))
        }
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            func expect(_ status: Int, bad: Int, _ location: SourceLocation = #_sourceLocation) throws {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == status, "\(response.body)", sourceLocation: location)
                #expect(parent.takeBad() == bad, sourceLocation: location)
            }
            try await keep("right", at: 1)
            try expect(200, bad: 0)
            parent.change(to: "new")
            try expect(502, bad: 1)
            try await keep("new", at: 2)
            try expect(200, bad: 0)
            parent.change(to: "right")
            try expect(502, bad: 1)
            try expect(502, bad: 0)
            try await keep("right", at: 3)
            try expect(200, bad: 0)
            // The same bytes written anew are a decision, too: while the parent refuses them, and when it takes them again.
            parent.change(to: "other")
            try expect(502, bad: 1)
            try await keep("right", at: 4)
            try expect(502, bad: 1)
            for _ in 0..<3 { try expect(502, bad: 0) }
            parent.change(to: "right")
            try expect(502, bad: 0)
            try await keep("right", at: 5)
            try expect(200, bad: 0)
        }
    }

    @Test(
        "At the prompt: a password that was refused before another one is sent once; the same one after itself is not sent again"
    )
    func prompt() async throws {
        let parent = ChangingParent()
        let server = try await ScriptedServer { parent.reply(to: $0) }
        defer { server.stop() }
        let person = Person("right", "new", "right", "right", "right", "new")
        let authenticator = try TestRelay.authenticator("\(server.origin)", person)
        try await TestRelay.run(before: server.origin, authenticator: authenticator) { relay in
            func expect(_ status: Int, bad: Int, questions: Int) throws {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == status, "\(response.body)")
                #expect(parent.takeBad() == bad)
                #expect(person.questions == questions)
            }
            try expect(200, bad: 0, questions: 1)
            parent.change(to: "new")
            try expect(200, bad: 1, questions: 2)
            parent.change(to: "right")
            try expect(200, bad: 1, questions: 3)
            parent.change(to: "new")
            // "right" is refused once, though it is typed twice more, and "new" is taken.
            try expect(200, bad: 1, questions: 6)
        }
    }
}
