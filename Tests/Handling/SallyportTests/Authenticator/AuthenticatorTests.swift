import LiveServers
import Synchronization
import TestSupport
import Testing

@testable import ChallengeHandling
@testable import Sallyport

@Suite(.inTurn) struct AuthenticatorTests {
    @Test("A site without an account: the source is asked once, and its password is used from then on")
    func asked() async throws {
        let source = ScriptedSource("jdoe", "right")
        let world = try AuthenticatorWorld(sources: [source])
        for path in ["/a", "/b", "/c/d"] { #expect(try await world.get(path) == 200) }
        #expect(source.questions.count == 1)
        #expect(source.questions.first?.realm == "wiki" && source.questions.first?.wasRefused == false)
        #expect(source.outcomes == [.accepted])
        #expect(world.authenticator.accounts.map(\.user) == ["jdoe"])
    }

    @Test("A wrong password is asked for again, with the user's name, until it is right")
    func askedAgain() async throws {
        let tries = Mutex(0)
        let source = ScriptedSource { question in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            #expect(question.wasRefused == (number > 1) && question.user == (number > 1 ? "jdoe" : nil))
            return .use(
                SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: number == 3 ? "right" : "\(number)"))
            )
        }
        let world = try AuthenticatorWorld(prompt: source)
        #expect(try await world.get() == 200)
        #expect(source.questions.count == 3)
        #expect(source.outcomes == [.refused, .refused, .accepted])
    }

    @Test("A source that always gives a wrong password is asked a bounded number of times")
    func bounded() async throws {
        let number = Mutex(0)
        let source = ScriptedSource { _ in
            let password = number.withLock { number in
                number += 1
                return "\(number)"
            }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: password)))
        }
        let world = try AuthenticatorWorld(sources: [source])
        #expect(try await world.get() == 401)
        #expect(source.questions.count == 3)
    }

    @Test("After a change of the password an empty answer leaves the path open to the next question")
    func emptyAnswer() async throws {
        let answers = Mutex<[String?]>(["right", nil, "new"])
        let person = ScriptedSource { _ in
            guard let next = answers.withLock({ $0.removeFirst() }) else { return .goOnWithout }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: next)))
        }
        let world = try AuthenticatorWorld(prompt: person)
        #expect(try await world.get("/a/b") == 200)
        world.passwords.change("/", to: "jdoe:new")
        #expect(try await world.get("/a/b") == 401)
        #expect(try await world.get("/a/b") == 200)
        #expect(person.questions.map(\.wasRefused) == [false, true, true])
    }

    @Test("Where other paths have accepted the password since, no one is asked for it at a page that is closed")
    func notAskedAgain() async throws {
        let answers = Mutex<[String?]>(["right", nil])
        let person = ScriptedSource { _ in
            guard let next = answers.withLock({ $0.removeFirst() }) else { return .goOnWithout }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: next)))
        }
        let world = try AuthenticatorWorld(["/": "jdoe:right", "/closed/": "ada:x"], prompt: person)
        #expect(try await world.get("/a") == 200)
        #expect(try await world.get("/closed/a") == 401)
        #expect(try await world.get("/b") == 200)
        #expect(try await world.get("/closed/a") == 401)
        #expect(person.questions.count == 2)
    }

    @Test("The same wrong password is not sent a second time")
    func sameAgain() async throws {
        let source = ScriptedSource("jdoe", "wrong")
        let world = try AuthenticatorWorld(sources: [source])
        #expect(try await world.get() == 401)
        #expect(source.outcomes.filter { $0 == .refused }.count <= 3)
        #expect(source.questions.count == 3)
    }

    @Test("Requests that need one password show one prompt, however many")
    func coalesced() async throws {
        let gate = TestGate()
        let prompt = ScriptedSource { _ in
            await gate.wait()
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<Effort.rounds(1_000, thorough: 10_000) {
                group.addTask { try await world.get("/\(number)") }
            }
            while prompt.questions.isEmpty { await Task.yield() }
            try await Task.sleep(for: .milliseconds(100))
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 1)
    }

    @Test("A cancelled request does not cancel the question of another; the last one does")
    func cancelled() async throws {
        let (gate, wasCancelled) = (TestGate(), TestGate())
        let prompt = ScriptedSource { _ in
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                Task { await wasCancelled.open() }
            }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        let first = Task { try await world.get("/1") }
        while prompt.questions.isEmpty { await Task.yield() }
        let second = Task { try await world.get("/2") }
        try await Task.sleep(for: .milliseconds(50))
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await wasCancelled.wait()
        await gate.open()
        #expect(world.authenticator.accounts.isEmpty)
    }

    @Test("A prompt that never answers holds no request that needs no prompt, and the next question gets its turn")
    func neverAnswers() async throws {
        let prompt = ScriptedSource { question in
            if question.origin.host.description == "stuck.acme.example" { await TestGate().wait() }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let account = TestProfile.account("ada", domain: nil)
        let world = try AuthenticatorWorld(
            ["/": "jdoe:right", "/ada": "ada:Correct-Horse"],
            accounts: [.init(account, sites: ["ada.acme.example"], allowsUnbound: true)],
            prompt: prompt,
            AuthenticatorOptions(patience: .milliseconds(300))
        )
        let stuck = Task { try await world.get(from: "https://stuck.acme.example") }
        while prompt.questions.isEmpty { await Task.yield() }
        #expect(try await world.get("/ada", from: "https://ada.acme.example") == 200)
        // The patience counts for the reply of this question, too, which a busy machine may bring later.
        var status: Int?
        while status == nil {
            do { status = try await world.get(from: "https://wiki.acme.example") } catch AuthenticatorError.noReply {}
        }
        #expect(status == 200)
        await #expect(throws: AuthenticatorError.noReply) { try await stuck.value }
    }

    @Test("One prompt is visible at a time")
    func oneAtATime() async throws {
        let visible = Mutex(0)
        let prompt = ScriptedSource { _ in
            #expect(
                visible.withLock { visible in
                    visible += 1
                    return visible
                } == 1
            )
            try await Task.sleep(for: .milliseconds(5))
            visible.withLock { $0 -= 1 }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 { group.addTask { try await world.get(from: "https://host\(number).acme.example") } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 20)
    }

    @Test("The application may go on without, cancel, pass on, or reject the space")
    func dispositions() async throws {
        for (reply, asks) in [(CredentialReply.goOnWithout, 2), (.nothing, 2), (.rejectSpace, 1)] {
            let prompt = ScriptedSource { _ in reply }
            let world = try AuthenticatorWorld(prompt: prompt)
            #expect(try await world.get() == 401)
            #expect(try await world.get() == 401)
            #expect(prompt.questions.count == asks)
        }
        let world = try AuthenticatorWorld(prompt: ScriptedSource { _ in .cancel })
        await #expect(throws: AuthenticatorError.cancelled) { try await world.get() }
    }

    @Test("Nobody is asked for a site that may not receive credentials, or for Basic in clear text")
    func notAsked() async throws {
        let source = ScriptedSource("jdoe", "right")
        let world = try AuthenticatorWorld(sources: [source])
        #expect(try await world.get(from: "https://evil.example") == 401)
        #expect(try await world.get(from: "http://proxy.acme.example:3128") == 401)
        #expect(source.questions.isEmpty)
    }

    @Test("A narrower place has a password of its own, and overrides the account there and nowhere else")
    func narrower() async throws {
        let enrolled = Account(name: "enrolled", user: "jdoe", password: SharedSecret(utf8: "right"))
        var options = AuthenticatorOptions()
        options.places = [AccountPlace(name: "repository", sites: ["https://ecm.acme.example/repository/"])]
        let source = ScriptedSource("keeper", "own")
        let world = try AuthenticatorWorld(
            ["/": "jdoe:right", "/repository/": "keeper:own"],
            accounts: [.init(enrolled, sites: ["*.acme.example"], allowsUnbound: true)],
            sources: [source],
            options
        )
        let origin = "https://ecm.acme.example"
        #expect(try await world.get("/start", from: origin) == 200)
        #expect(try await world.get("/repository/1", from: origin) == 200)
        #expect(try await world.get("/start", from: origin) == 200)
        #expect(try await world.get("/repository/2", from: origin) == 200)
        #expect(source.questions.count == 1)
        #expect(world.authenticator.accounts.map(\.name) == ["enrolled", "repository"])
    }

    @Test("Requests for several pages of one place show one prompt")
    func onePlace() async throws {
        let gate = TestGate()
        let prompt = ScriptedSource { _ in
            await gate.wait()
            return .use(SuppliedCredential(user: "keeper", password: SharedSecret(utf8: "own")))
        }
        var options = AuthenticatorOptions()
        options.places = [AccountPlace(name: "repository", sites: ["https://ecm.acme.example/repository/"])]
        let world = try AuthenticatorWorld(["/repository/": "keeper:own"], prompt: prompt, options)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask { try await world.get("/repository/\(number)", from: "https://ecm.acme.example") }
            }
            while prompt.questions.isEmpty { await Task.yield() }
            try await Task.sleep(for: .milliseconds(50))
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 1)
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
        while prompt.questions.isEmpty { await Task.yield() }
        await world.authenticator.signOut()
        await gate.open()
        await replied.wait()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(world.authenticator.accounts.isEmpty)
    }

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
        while !past.authenticator.accounts.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test(
        "After a sign-out the accounts, the stored credentials and the questions are gone, and connections are closed"
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
        while prompt.questions.count < 2 { await Task.yield() }
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

    @Test("A new profile keeps accounts that sources gave, and takes the place of the rest")
    func reload() async throws {
        let source = ScriptedSource("jdoe", "right")
        let world = try AuthenticatorWorld(sources: [source])
        #expect(try await world.get() == 200)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "new"),
            schemes: [.basic],
            accounts: [.init(TestProfile.account("ada"), sites: ["ada.acme.example"])]
        )
        try world.authenticator.reload(CompiledProfile(profile, at: 0))
        #expect(world.authenticator.accounts.map(\.name) == ["ada", "https://wiki.acme.example"])
        #expect(try await world.get() == 200)
        #expect(source.questions.count == 1)
    }

    @Test("updateUserCredentials brings another user, domain and password; without a reply everything stays")
    func update() async throws {
        let account = Account(name: "a", user: "ada", password: SharedSecret(utf8: "old"))
        let source = ScriptedSource("ACME\\jdoe", "right")
        let world = try AuthenticatorWorld(
            ["/": "ACME\\jdoe:right"],
            accounts: [.init(account, sites: ["*.acme.example"], allowsUnbound: true)],
            sources: [source]
        )
        let origin = try Origin(parsing: "https://wiki.acme.example")
        #expect(try await world.authenticator.updateUserCredentials(account: "a", for: origin))
        #expect(try await world.get() == 200)
        #expect(world.authenticator.accounts.map(\.domain) == ["ACME"])
        await #expect(throws: ProfileError.unknownAccount("b")) {
            try await world.authenticator.updateUserCredentials(account: "b", for: origin)
        }
    }

    @Test("Row 69: new certificates take the place of all, and connections are closed")
    func certificates() async throws {
        let counts = ClosingCount()
        let failing = try AuthenticatorWorld(identities: { throw CancellationError() })
        failing.authenticator.onChange { counts.close() }
        await #expect(throws: CancellationError.self) { try await failing.authenticator.fetchNewCertificates() }
        #expect(counts.value == 0)
        let world = try AuthenticatorWorld(identities: { [] })
        world.authenticator.onChange { counts.close() }
        try await world.authenticator.fetchNewCertificates()
        #expect(counts.value == 1)
    }
}
