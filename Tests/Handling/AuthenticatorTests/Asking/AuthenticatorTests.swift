import Credentials
import LiveServers
import Sallyport
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Whom an authenticator asks, how often, and what its answers do.
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

    @Test("The application may go on without, cancel, pass on, or reject the space", .row(50))
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

    @Test("A narrower place has a password of its own, and overrides the account there and nowhere else", .row(26))
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

    @Test("A new profile keeps accounts that sources gave, and takes the place of the rest")
    func reload() async throws {
        let source = ScriptedSource("jdoe", "right")
        let world = try AuthenticatorWorld(sources: [source])
        #expect(try await world.get() == 200)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "new"),
            schemes: [.basic],
            accounts: [
                .init(
                    Account(name: "ada", user: "ada", password: SharedSecret(utf8: "Correct-Horse")),
                    sites: ["ada.acme.example"]
                )
            ]
        )
        try world.authenticator.reload(CompiledProfile(profile, at: 0))
        #expect(world.authenticator.accounts.map(\.name) == ["ada", "https://wiki.acme.example"])
        #expect(try await world.get() == 200)
        #expect(source.questions.count == 1)
    }

    @Test("updateUserCredentials brings another user, domain and password; without a reply everything stays", .row(30))
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

    @Test("Row 69: new certificates take the place of all, and then connections are closed", .row(69))
    func certificates() async throws {
        let authority = try TestAuthority("Acme")
        func identity(_ name: String) throws -> SecurityProfile.Assignment<ClientIdentity> {
            let chain = [try authority.client(name).der]
            return .init(ClientIdentity(name: name, certificateChain: chain), sites: ["*.acme.example"])
        }
        let (old, renewed) = (try [identity("laptop"), identity("card")], try identity("laptop"))
        try #require(old[0].value != renewed.value)
        let wiki = try Origin(parsing: "https://wiki.acme.example")
        for isFailing in [true, false] {
            let profile = SecurityProfile(
                sites: try SiteList(parsing: "*.acme.example", name: "test"),
                schemes: [],
                identities: old
            )
            let authenticator = try Authenticator(
                CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: nil)),
                identities: {
                    if isFailing { throw CancellationError() }
                    return [renewed]
                }
            )
            /// What a connection that opens now presents.
            @Sendable func presented() -> IdentityDecision {
                authenticator.current.handler.identity(for: wiki, authorities: [])
            }
            let atClosing = Mutex<[IdentityDecision]>([])
            authenticator.onChange {
                atClosing.withLock { $0.append(presented()) }
                return true
            }
            if isFailing {
                await #expect(throws: CancellationError.self) { try await authenticator.fetchNewCertificates() }
                #expect(authenticator.current.handler.compiled.profile.identities.map(\.value) == old.map(\.value))
                #expect(atClosing.withLock { $0.isEmpty })
            } else {
                try await authenticator.fetchNewCertificates()
                #expect(presented() == .present(renewed.value))
                #expect(atClosing.withLock { $0 } == [.present(renewed.value)])
            }
        }
    }
}
