import LiveServers
import Sallyport
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// What is kept of an answer: for once, in the store, and until a sign-out.
@Suite(.inTurn) struct KeptCredentialsTests {
    @Test(
        "What a source lets be kept is stored once it was accepted, and found after a restart; a refused record is not tried again"
    )
    func stored() async throws {
        let store = MemoryCredentialStore()
        let first = try AuthenticatorWorld(prompt: ScriptedSource("jdoe", "right", keep: .stored), store: store)
        #expect(try await first.get() == 200)
        #expect(try await store.list().count == 1)

        let prompt = ScriptedSource("jdoe", "new", keep: .stored)
        let second = try AuthenticatorWorld(prompt: prompt, store: store)
        #expect(try await second.get() == 200)
        #expect(prompt.questions.isEmpty)

        let third = try AuthenticatorWorld(["/": "jdoe:new"], prompt: prompt, store: store)
        #expect(try await third.get() == 200)
        #expect(prompt.questions.count == 1)
        let fourth = try AuthenticatorWorld(["/": "jdoe:new"], prompt: prompt, store: store)
        #expect(try await fourth.get() == 200)
        #expect(prompt.questions.count == 1)
    }

    @Test(
        "Row 26: the password of a repository is asked for after the stored one has failed there, and is kept for the repository alone",
        .row(26)
    )
    func repository() async throws {
        let (store, origin) = (MemoryCredentialStore(), try Origin(parsing: "https://ecm.acme.example"))
        let name = CredentialName(space: .origin(origin, party: .origin), user: "jdoe", domain: nil)
        try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: "right"), created: 1))
        var options = AuthenticatorOptions()
        options.places = [AccountPlace(name: "repository", sites: ["https://ecm.acme.example/repository/"])]
        let passwords = ["/": "jdoe:right", "/repository/": "keeper:own"]
        let prompt = ScriptedSource("keeper", "own", keep: .stored)
        let world = try AuthenticatorWorld(passwords, prompt: prompt, store: store, options)
        for path in ["/start", "/repository/1", "/start", "/repository/2"] {
            #expect(try await world.get(path, from: "\(origin)") == 200)
        }
        #expect(prompt.questions.map(\.wasRefused) == [true] && prompt.questions.map(\.path) == ["/repository/1"])
        let spaces = try await store.list().map(\.name.space)
        #expect(Set(spaces) == [.origin(origin), .path("repository", of: origin)])
        // After a restart each has its own, in any order, and no one is asked.
        for paths in [["/repository/1", "/start"], ["/start", "/repository/1"]] {
            let later = ScriptedSource { _ in .nothing }
            let second = try AuthenticatorWorld(passwords, prompt: later, store: store, options)
            for path in paths { #expect(try await second.get(path, from: "\(origin)") == 200, "\(path)") }
            #expect(later.questions.isEmpty)
        }
    }

    /// Sends a request through a proxy that asks for Basic, and asks for advice at its end.
    ///
    /// - Parameter page: what the server says to the request's answer for it.
    /// - Returns: how it ended; whether the authenticator has to hear more of it than that; and its advice.
    private func ask(
        _ world: AuthenticatorWorld,
        _ page: (String?) -> Int
    ) async throws -> (outcome: RequestOutcome, hears: Bool, advice: AuthenticatorAdvice) {
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let request = OutgoingRequest(origin: try Origin(parsing: "http://intranet.acme.example"), target: "/")
        let (handler, route) = (world.authenticator.current.handler, RequestRoute.forwarded(by: proxy))
        var driver = handler.authentication(of: request, by: route)
        var (step, last) = (driver.begin(), HTTPFields())
        while true {
            switch step {
            case .send(let sending):
                let status = sending.proxyAuthorization == nil ? 407 : page(sending.authorization?.value)
                switch status {
                case 407: last = [.proxyAuthenticate: "Basic realm=\"p\""]
                case 401: last = [.wwwAuthenticate: "Basic realm=\"w\""]
                default: last = [:]
                }
                step = driver.received(
                    status: status,
                    fields: last,
                    on: ConnectionTraits(id: ConnectionNumber.next())
                )
            case .deliver(let outcome):
                let hears = world.authenticator.noteEnd(
                    outcome,
                    of: request,
                    by: route,
                    with: handler,
                    canRepeat: true
                )
                let advice = try await world.authenticator.advice(
                    after: outcome,
                    of: request,
                    by: route,
                    fields: last,
                    with: handler,
                    repetitions: 0
                )
                return (outcome, hears, advice)
            case .wait, .needs: throw CancellationError()
            }
        }
    }

    @Test("A page that is open to all, behind a proxy that takes its password, accepts no password of the server")
    func openPage() async throws {
        let proxyUser = Account(name: "proxy", user: "p", password: SharedSecret(utf8: "p"))
        var place = AccountPlace(name: "intranet", sites: ["http://intranet.acme.example"])
        place.allowsCleartext = true
        let source = ScriptedSource("jdoe", "right", keep: .stored)
        let store = MemoryCredentialStore()
        let world = try AuthenticatorWorld(
            accounts: [.init(proxyUser, sites: ["http://proxy.acme.example:3128"], allowsCleartext: true)],
            prompt: source,
            store: store,
            AuthenticatorOptions(places: [place])
        )
        #expect(try await ask(world) { $0 == nil ? 401 : 200 }.advice == .repeatRequest)
        // The password is in the profile, and has not gone out.
        let open = try await ask(world) { $0 == nil ? 200 : 500 }
        #expect(open.outcome == .accepted && !open.hears)
        #expect(source.outcomes.isEmpty)
        #expect(try await store.list().isEmpty)
        let right = try await ask(world) { $0 == nil ? 401 : 200 }
        #expect(right.outcome == .accepted && right.hears)
        #expect(source.outcomes == [.accepted])
        let later = try await ask(world) { $0 == nil ? 401 : 200 }
        #expect(later.outcome == .accepted && !later.hears)
        #expect(source.outcomes == [.accepted])
        #expect(try await store.list().count == 1)
    }

    @Test("A record that was refused is tried again when it has another password, and no one is asked")
    func replacedRecord() async throws {
        let store = MemoryCredentialStore()
        let prompt = ScriptedSource { _ in .nothing }
        let world = try AuthenticatorWorld(["/": "jdoe:new"], prompt: prompt, store: store)
        func keep(_ password: String) async throws {
            let space = CredentialSpace.origin(try Origin(parsing: "https://wiki.acme.example"), party: .origin)
            let name = CredentialName(space: space, user: "jdoe", domain: nil)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 1))
        }
        try await keep("old")
        #expect(try await world.get() == 401)
        // Nothing is sent while the record is the same.
        #expect(try await world.get("/other") == 401)
        #expect(prompt.questions.map(\.wasRefused) == [true, true])
        try await keep("new")
        #expect(try await world.get() == 200)
        world.passwords.change("/", to: "jdoe:newer")
        #expect(try await world.get() == 401)
        // No page has accepted the password since: this one is withheld, the store is read, and the person is asked.
        let questions = prompt.questions.count
        #expect(try await world.get() == 401)
        #expect(prompt.questions.count == questions + 1)
        try await keep("newer")
        #expect(try await world.get() == 200)
        #expect(prompt.questions.count == questions + 1)
    }

    @Test("A wrong password is never stored")
    func wrongIsNotStored() async throws {
        let store = MemoryCredentialStore()
        let world = try AuthenticatorWorld(prompt: ScriptedSource("jdoe", "wrong", keep: .stored), store: store)
        #expect(try await world.get() == 401)
        #expect(try await store.list().isEmpty)
    }

    @Test("A credential for once is gone after its answer, and one until a time after that time")
    func keeping() async throws {
        let once = try AuthenticatorWorld(prompt: ScriptedSource("jdoe", "right", keep: .once))
        #expect(try await once.get() == 200)
        #expect(once.authenticator.accounts.isEmpty)
        // The clock of the test stands at 1,000.
        let past = try AuthenticatorWorld(prompt: ScriptedSource("jdoe", "right", keep: .until(1_000)))
        _ = try await past.get()
        try await eventually("the account is gone") { past.authenticator.accounts.isEmpty }
    }

    @Test("After a sign-out, or a credential for once, an account of the profile is as the profile brought it")
    func previousAccount() async throws {
        for keep in [SuppliedCredential.Keeping.once, .session] {
            let account = Account(name: "a", user: "ada", password: SharedSecret(utf8: "old"))
            let world = try AuthenticatorWorld(
                accounts: [.init(account, sites: ["*.acme.example"], allowsUnbound: true)],
                prompt: ScriptedSource("jdoe", "right", keep: keep)
            )
            #expect(try await world.get() == 200)
            #expect(world.authenticator.accounts.map(\.user) == [keep == .once ? "ada" : "jdoe"])
            let report = await world.authenticator.signOut()
            #expect(report.accounts == (keep == .once ? [] : ["a"]))
            #expect(world.authenticator.accounts.map(\.user) == ["ada"])
        }
    }

    @Test("A reply that comes after a sign-out brings no account")
    func lateReply() async throws {
        let (gate, replied) = (TestGate(), TestGate())
        let prompt = ScriptedSource { _ in
            await gate.wait()
            defer { Task { await replied.open() } }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        let request = Task { try await world.get() }
        try await eventually("the person is asked") { !prompt.questions.isEmpty }
        await world.authenticator.signOut()
        await gate.open()
        await replied.wait()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(world.authenticator.accounts.isEmpty)
    }

    @Test(
        "After a sign-out the accounts, the stored credentials and the questions are gone, and connections are closed",
        .row(70)
    )
    func signOut() async throws {
        let store = MemoryCredentialStore()
        let gate = TestGate()
        let prompt = ScriptedSource { question in
            if question.origin.host.description == "stuck.acme.example" { await gate.wait() }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right"), keep: .stored))
        }
        let own = Account(name: "own", user: "ada", password: SharedSecret(utf8: "x"))
        let world = try AuthenticatorWorld(
            accounts: [.init(own, sites: ["own.acme.example"])],
            prompt: prompt,
            store: store
        )
        let counts = ClosingCount()
        world.authenticator.onChange { counts.close() }
        #expect(try await world.get() == 200)
        let waiting = Task { try await world.get(from: "https://stuck.acme.example") }
        try await eventually("the person is asked again") { prompt.questions.count == 2 }
        let report = await world.authenticator.signOut()
        #expect(report.accounts == ["https://wiki.acme.example"] && report.storedCredentials == 1)
        #expect(report.failures.isEmpty)
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(counts.value == 1)
        #expect(world.authenticator.accounts.map(\.name) == ["own"])
        await gate.open()
        #expect(try await world.get() == 200)
        #expect(prompt.questions.count == 3)
    }
}
