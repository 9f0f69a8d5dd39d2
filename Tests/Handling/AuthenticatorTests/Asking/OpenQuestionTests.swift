import CredentialSources
import CredentialStores
import LiveServers
import Sallyport
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// A question that gets its answer in another way than by a reply.
@Suite(.inTurn) struct OpenQuestionTests {
    private static func keep(_ password: String, in store: some CredentialStore, user: String = "jdoe") async throws {
        let space = CredentialSpace.origin(try Origin(parsing: "https://wiki.acme.example"), party: .origin)
        let name = CredentialName(space: space, user: user, domain: nil)
        try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 1))
    }

    /// Does not reply; calls `body` when it is asked, and notes why its question is withdrawn.
    private final class SilentPerson: CredentialSource {
        private let body: @Sendable () async throws -> Void
        private let seen = Mutex<[String]>([])

        init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

        var withdrawals: [String] { seen.withLock { $0 } }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            let withdrawal = QuestionWithdrawal.current
            try await body()
            do { try await Task.sleep(for: .seconds(600)) } catch {
                seen.withLock { $0.append(withdrawal?.reason ?? "") }
                throw error
            }
            return .nothing
        }

        func waitForWithdrawal() async throws {
            try await eventually("the question is withdrawn") { !withdrawals.isEmpty }
        }
    }

    @Test("A password that comes into the store answers the open question, which is withdrawn for that reason")
    func store() async throws {
        let store = MemoryCredentialStore()
        let person = SilentPerson { try await Self.keep("right", in: store) }
        let world = try AuthenticatorWorld(prompt: person, store: store)
        #expect(try await world.get() == 200)
        try await person.waitForWithdrawal()
        #expect(person.withdrawals == ["the store has a password now"])
        #expect(world.authenticator.source(ofAccount: "https://wiki.acme.example") == .store)
    }

    @Test("So does another password of the record that was refused; the refused one is not sent again")
    func update() async throws {
        let store = MemoryCredentialStore()
        try await Self.keep("old", in: store)
        let person = SilentPerson {
            // The same again is no answer.
            try await Self.keep("old", in: store)
            try await Self.keep("right", in: store)
        }
        let world = try AuthenticatorWorld(prompt: person, store: store)
        #expect(try await world.get() == 200)
        try await person.waitForWithdrawal()
        #expect(person.withdrawals == ["the store has a password now"])
    }

    @Test("A new profile with an account answers it, too") func profile() async throws {
        let authenticator = Mutex<Authenticator?>(nil)
        let person = SilentPerson {
            let account = Account(name: "wiki", user: "jdoe", password: SharedSecret(utf8: "right"))
            let profile = SecurityProfile(
                sites: try SiteList(parsing: "*.acme.example", name: "test"),
                schemes: [.basic],
                accounts: [.init(account, sites: ["*.acme.example"])]
            )
            let known = authenticator.withLock { $0 }
            try known?.reload(CompiledProfile(profile, at: 0))
        }
        let world = try AuthenticatorWorld(prompt: person)
        authenticator.withLock { $0 = world.authenticator }
        #expect(try await world.get() == 200)
        try await person.waitForWithdrawal()
        #expect(person.withdrawals == ["another password is in use now"])
        #expect(world.authenticator.source(ofAccount: "wiki") == nil)
    }

    @Test("A question that waits for its turn is answered by the store while another one is open")
    func waiting() async throws {
        let store = MemoryCredentialStore()
        let gate = TestGate()
        let person = ScriptedSource { _ in
            await gate.wait()
            return .use(SuppliedCredential(user: "ada", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(["/": "jdoe:right", "/ada": "ada:right"], prompt: person, store: store)
        async let first = world.get("/ada", from: "https://other.acme.example")
        try await eventually("the person is asked") { await gate.waiting > 0 }
        async let second = world.get()
        try await Self.keep("right", in: store)
        #expect(try await second == 200)
        #expect(person.questions.count == 1)
        await gate.open()
        #expect(try await first == 200)
    }

    @Test(
        "The store is read again when a question ends without an answer: an empty one, or an error",
        arguments: [true, false]
    )
    func readAgain(isEmpty: Bool) async throws {
        let store = MemoryCredentialStore()
        let person = ScriptedSource { _ in
            try await Self.keep("right", in: store)
            if isEmpty { return .goOnWithout }
            throw TerminalError.timedOut
        }
        let world = try AuthenticatorWorld(prompt: person, store: store)
        #expect(try await world.get() == 200)
        #expect(person.questions.count == 1)
    }

    @Test(
        "A store that cannot be read while a question is open, or does not reply, holds up no answer",
        arguments: [true, false]
    )
    func unreadable(hangs: Bool) async throws {
        let gate = TestGate()
        let store = FailingStore(hangs ? gate : nil)
        let person = ScriptedSource { _ in
            try await eventually("the store is read again") { await store.reads > 1 }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: person, store: store)
        #expect(try await world.get() == 200)
        #expect(world.authenticator.source(ofAccount: "https://wiki.acme.example") == .prompt)
        await gate.open()
    }

    /// Is read once without an error; then it fails at once, or when the gate opens.
    private actor FailingStore: CredentialStore {
        var reads = 0
        private let gate: TestGate?

        init(_ gate: TestGate?) { self.gate = gate }

        func credentials(
            for query: CredentialQuery,
            at now: Int64
        ) async throws(CredentialStoreError) -> [StoredCredential] {
            reads += 1
            guard reads > 1 else { return [] }
            await gate?.wait()
            throw CredentialStoreError(place: "store", problem: .missing)
        }

        func save(_ credential: StoredCredential) throws(CredentialStoreError) {}
        func list() throws(CredentialStoreError) -> [CredentialListing] { [] }
        func remove(_ name: CredentialName) throws(CredentialStoreError) -> Bool { false }
        func removeAll() throws(CredentialStoreError) -> Int { 0 }
    }
}
