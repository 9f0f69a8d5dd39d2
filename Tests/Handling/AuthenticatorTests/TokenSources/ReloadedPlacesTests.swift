import AllowedSites
import CredentialSources
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Places that another profile brings while the application runs.
@Suite(.inTurn) struct ReloadedPlacesTests {
    /// Has one token.
    private struct FixedSource: TokenSource {
        let token: String
        var gate: TestGate?

        func token(for question: TokenQuestion) async throws -> AccessToken? {
            await gate?.wait()
            return AccessToken(SharedSecret(utf8: token), expiry: 5_000)
        }

        func signOut() async throws -> Bool { false }
    }

    private static func place(_ name: String, _ site: String, _ token: String) -> AccountPlace {
        var place = AccountPlace(name: name, sites: [site])
        place.tokens = FixedSource(token: token)
        return place
    }

    private let world = TokenWorld()

    private func takes(_ tokens: String...) {
        world.state.withLock { state in for token in tokens { state.access[token] = 5_000 } }
    }

    private var sent: [String] { world.state.withLock { $0.seen.compactMap(\.self) } }

    @Test(
        "The next request asks the source of the new place; a place that is gone asks none"
    )
    func replaced() async throws {
        takes("one", "two")
        let authenticator = try world.authenticator(FixedSource(token: "one"))
        #expect(try await world.get(authenticator) == 200)
        #expect(authenticator.accounts.map(\.name) == ["tracker"])
        try authenticator.reload(
            TokenWorld.profile(),
            places: [Self.place("tracker", "https://api.acme.example", "two")]
        )
        #expect(authenticator.accounts.isEmpty)
        #expect(try await world.get(authenticator) == 200)
        #expect(sent == ["Bearer one", "Bearer two"])
        // The old place had it, too.
        #expect(try await world.get(authenticator, from: "https://other.acme.example") == 401)
        try authenticator.reload(TokenWorld.profile(), places: [])
        #expect(try await world.get(authenticator) == 401)
        #expect(sent.count == 2 && authenticator.accounts.isEmpty)
        // Without places those in use stay.
        try authenticator.reload(TokenWorld.profile(), places: [Self.place("new", "https://api.acme.example", "one")])
        #expect(try await world.get(authenticator) == 200)
        try authenticator.reload(TokenWorld.profile())
        #expect(try await world.get(authenticator) == 200)
    }

    @Test("A token that comes after its place was replaced is not used") func late() async throws {
        takes("one", "two")
        let gate = TestGate()
        let authenticator = try world.authenticator(FixedSource(token: "one", gate: gate))
        async let status = world.get(authenticator)
        try await eventually("the source is asked") { await gate.waiting > 0 }
        try authenticator.reload(
            TokenWorld.profile(),
            places: [Self.place("tracker", "https://api.acme.example", "two")]
        )
        await gate.open()
        #expect(try await status == 401)
        #expect(try await world.get(authenticator) == 200)
        #expect(Set(sent) == ["Bearer two"])
    }

    @Test("Bad places change nothing") func bad() async throws {
        takes("one")
        let authenticator = try world.authenticator(FixedSource(token: "one"))
        #expect(try await world.get(authenticator) == 200)
        #expect(throws: ProfileError.self) {
            try authenticator.reload(TokenWorld.profile(), places: [AccountPlace(name: "x", sites: ["**"])])
        }
        #expect(try await world.get(authenticator) == 200)
        #expect(sent == ["Bearer one", "Bearer one"])
    }

    @Test("A profile that clashes with an account from elsewhere changes nothing") func clash() async throws {
        takes("one")
        let authenticator = try world.authenticator(FixedSource(token: "one"))
        let typed = SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "p"), keep: .session)
        try authenticator.use(typed, at: AccountPlace(name: "typed", sites: ["https://x.acme.example"]))
        let account = Account(name: "mine", user: "a", password: SharedSecret(utf8: "q"))
        let profile = try CompiledProfile(
            SecurityProfile(
                sites: try SiteList(parsing: "*.acme.example", name: "test"),
                schemes: [.basic],
                accounts: [.init(account, sites: ["https://x.acme.example"])]
            ),
            at: 0
        )
        try authenticator.state.withLock {
            let place = AccountPlace(name: "typed", sites: ["https://x.acme.example"])
            let question = CredentialQuestion(origin: try Origin(parsing: "https://x.acme.example"))
            $0.supplied["typed"] = .init(
                credential: typed,
                question: question,
                place: place,
                space: .origin(question.origin),
                source: .prompt,
                record: nil
            )
        }
        #expect(throws: ProfileError.self) { try authenticator.reload(profile, places: []) }
        #expect(try await world.get(authenticator) == 200)
        #expect(sent == ["Bearer one"])
    }
}
