import CredentialStores
import HTTPAuthentication
import Hostnames
import LiveServers
import Secrets
import Synchronization
import TestSupport
import Testing
import Tokens

@testable import ChallengeHandling
@testable import Sallyport

/// Requests to a programming interface whose tokens come from a source.
@Suite(.inTurn) struct TokenRequestsTests {
    @Test("A challenge for tokens brings one; later requests send it") func challenged() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source())
        #expect(try await world.get(authenticator, "/a") == 200)
        #expect(try await world.get(authenticator, "/b") == 200)
        #expect(world.tokenRequests == 1)
        // The repetition waits for its challenge too: the place sends no token in advance.
        #expect(world.state.withLock { $0.seen } == [nil, nil, "Bearer a1", "Bearer a1"])
    }

    @Test("In advance: no request goes out without a token") func first() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.state.withLock { $0.seen } == ["Bearer a1"])
    }

    @Test("Requests whose token was revoked cause one refresh, however many")
    func coalesced() async throws {
        let gate = TestGate()
        let world = TokenWorld(gate: gate, refresh: "r0")
        let source = try world.source(.refreshToken)
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0")), refresh: SharedSecret(utf8: "r0"))
        )
        world.state.withLock { $0.access["a0"] = .max }
        let authenticator = try world.authenticator(source, first: true)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 0)
        world.revokeAccess()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<Effort.rounds(1_000, thorough: 10_000) {
                group.addTask { try await world.get(authenticator, "/\(number)") }
            }
            while world.tokenRequests == 0 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(100))
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(world.tokenRequests == 1)
        #expect(world.state.withLock { $0.refresh } == ["r1"])
    }

    @Test("A late 401 for an old token sends the new one, and gets no other") func late() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source())
        #expect(try await world.get(authenticator) == 200)
        world.revokeAccess()
        let (arrived, gate) = (TestGate(), TestGate())
        let slow = Task {
            try await world.get(authenticator) {
                await arrived.open()
                await gate.wait()
            }
        }
        await arrived.wait()
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
        await gate.open()
        #expect(try await slow.value == 200)
        #expect(world.tokenRequests == 2)
    }

    @Test("A token is replaced a minute before its end, and not earlier") func margin() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator) == 200)
        world.passes(3_600 - 61)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 1)
        world.passes(1)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
        // No request has met the interface with a token that it refused.
        #expect(world.state.withLock { $0.seen } == ["Bearer a1", "Bearer a1", "Bearer a2"])
    }

    @Test("A token that lives less than the margin is replaced in the middle of its life") func shortLife() async throws
    {
        let world = TokenWorld()
        world.state.withLock { $0.lifetime = 20 }
        let authenticator = try world.authenticator(world.source())
        for _ in 0..<3 { #expect(try await world.get(authenticator) == 200) }
        world.passes(9)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 1)
        world.passes(1)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
    }

    @Test("A refresh that fails leaves no old token in use, and the next request tries again") func failing()
        async throws
    {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator) == 200)
        world.passes(3_590)
        world.state.withLock { $0.failure = TokenWorld.Lost() }
        await #expect(throws: TokenWorld.Lost.self) { try await world.get(authenticator) }
        #expect(authenticator.accounts.isEmpty)
        #expect(world.state.withLock { $0.seen.count } == 1)
        world.state.withLock { $0.failure = nil }
        #expect(try await world.get(authenticator) == 200)
        #expect(world.state.withLock { $0.seen.last } == "Bearer a2")
    }

    @Test("1,000 requests share a refresh that fails") func failingTogether() async throws {
        let gate = TestGate()
        let world = TokenWorld(gate: gate)
        world.state.withLock { $0.refusal = "invalid_client" }
        let authenticator = try world.authenticator(world.source(), first: true)
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    do {
                        _ = try await world.get(authenticator, "/\(number)")
                        return false
                    } catch TokenServiceError.refused(let refusal) {
                        return refusal.code == .invalidClient
                    } catch {
                        return false
                    }
                }
            }
            while authenticator.tokenCalls.waiterCount(for: .init(place: "tracker", era: 0)) < 1_000 {
                await Task.yield()
            }
            await gate.open()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals == 1_000)
        #expect(world.tokenRequests == 1)
        #expect(world.state.withLock { $0.seen.isEmpty })
    }

    @Test("A cancelled request leaves the refresh to the others; the last one leaves it to the source")
    func cancelled() async throws {
        let gate = TestGate()
        let world = TokenWorld(gate: gate, refresh: "r0")
        let store = MemoryCredentialStore()
        let source = try world.source(.refreshToken, store: store)
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let authenticator = try world.authenticator(source, first: true)
        let requests = (0..<3).map { number in Task { try await world.get(authenticator, "/\(number)") } }
        while world.tokenRequests == 0 { await Task.yield() }
        for request in requests {
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
        }
        // The service has spent r0. Its successor reaches the store although all callers have left.
        await gate.open()
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 1)
        #expect(try await storedRefreshToken(store) == "r1")
    }

    @Test("A token that the server never takes is not replaced by one after the other") func neverTaken() async throws {
        let world = TokenWorld()
        world.state.withLock { $0.lifetime = 3_600 }
        let authenticator = try world.authenticator(world.source(), first: true)
        _ = try await authenticator.prepare(OutgoingRequest(origin: Origin(parsing: "https://api.acme.example")))
        world.revokeAccess()
        for path in ["/a", "/b", "/c"] { #expect(try await world.get(authenticator, path) == 401) }
        #expect(world.tokenRequests == 1)
        world.passes(60)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
    }

    @Test("A first page that is closed to the account closes no other page, and is asked each time")
    func closedFirst() async throws {
        let world = TokenWorld()
        world.state.withLock { $0.forbidden = ["/write"] }
        let authenticator = try world.authenticator(world.source(), first: true)
        for _ in 0..<3 {
            #expect(try await world.get(authenticator, "/write") == 401)
            #expect(try await world.get(authenticator, "/items") == 200)
        }
        #expect(world.tokenRequests == 1)
        #expect(world.state.withLock { $0.seen.allSatisfy { $0 == "Bearer a1" } })
        // The permission is given: the next request finds out.
        world.state.withLock { $0.forbidden = [] }
        #expect(try await world.get(authenticator, "/write") == 200)
        #expect(world.tokenRequests == 1)
    }

    @Test(
        "A page that refuses an accepted token gets one other, and all pages after it none",
        arguments: [true, false]
    )
    func closedLater(first: Bool) async throws {
        let world = TokenWorld()
        world.state.withLock { $0.forbidden = Set((0..<100).map { "/write/\($0)" }) }
        let authenticator = try world.authenticator(world.source(), first: first)
        #expect(try await world.get(authenticator, "/items") == 200)
        for number in 0..<100 {
            #expect(try await world.get(authenticator, "/write/\(number)") == 401)
            #expect(try await world.get(authenticator, "/items") == 200)
        }
        #expect(world.tokenRequests == 2)
        // A token that is taken back is found by its second refusal.
        world.revokeAccess()
        #expect(try await world.get(authenticator, "/items") == 401)
        #expect(try await world.get(authenticator, "/items") == 200)
        #expect(world.tokenRequests == 3)
        // It has helped, so that the next one is got at the first refusal again.
        world.revokeAccess()
        #expect(try await world.get(authenticator, "/items") == 200)
        #expect(world.tokenRequests == 4)
    }

    @Test("1,000 requests at once to open and closed pages: two tokens, and each open page opens")
    func closedTogether() async throws {
        let world = TokenWorld()
        world.state.withLock { $0.forbidden = Set((0..<10).map { "/write/\($0)" }) }
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator, "/items") == 200)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                let path = number.isMultiple(of: 2) ? "/items/\(number)" : "/write/\(number / 2 % 10)"
                let status = number.isMultiple(of: 2) ? 200 : 401
                group.addTask { try await world.get(authenticator, path) == status }
            }
            for try await isRight in group { #expect(isRight) }
        }
        // Pages that meet the first token only after its successor came may bring one more.
        #expect((2...12).contains(world.tokenRequests), "\(world.tokenRequests)")
        let requests = world.tokenRequests
        for number in 0..<10 { #expect(try await world.get(authenticator, "/write/\(number)") == 401) }
        #expect(try await world.get(authenticator, "/items") == 200)
        #expect(world.tokenRequests <= requests + 1)
    }

    @Test("Many closed pages, two after each open one: few tokens are got in vain") func closedInPairs() async throws {
        let world = TokenWorld()
        world.state.withLock { $0.forbidden = Set((0..<100).map { "/write/\($0)" }) }
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator, "/items") == 200)
        for number in stride(from: 0, to: 100, by: 2) {
            #expect(try await world.get(authenticator, "/write/\(number)") == 401)
            #expect(try await world.get(authenticator, "/write/\(number + 1)") == 401)
            #expect(try await world.get(authenticator, "/items") == 200)
        }
        #expect(world.tokenRequests <= 4, "\(world.tokenRequests)")
        // An older token is found by its second refusal.
        world.passes(60)
        world.revokeAccess()
        #expect(try await world.get(authenticator, "/items") == 401)
        #expect(try await world.get(authenticator, "/items") == 200)
    }

    @Test("A clock that is put back keeps no token that is refused, and no page closed") func clockPutBack()
        async throws
    {
        let world = TokenWorld()
        world.state.withLock { $0.now = 90_000 }
        let authenticator = try world.authenticator(world.source(), first: true)
        _ = try await authenticator.prepare(OutgoingRequest(origin: Origin(parsing: "https://api.acme.example")))
        world.state.withLock { $0.now = 1_000 }
        world.revokeAccess()
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
    }

    @Test("A token that a request gets while a sign-out waits for another account ends with the sign-out")
    func duringSignOut() async throws {
        /// Its sign-out sends a request of the other account.
        final class Slow: TokenSource {
            let during: @Sendable () async throws -> Void
            init(_ during: @escaping @Sendable () async throws -> Void) { self.during = during }
            func token(for question: TokenQuestion) async throws -> AccessToken? { nil }
            func signOut() async throws -> Bool {
                try await during()
                return true
            }
        }
        let world = TokenWorld(refresh: "r0")
        let source = try world.source(.refreshToken)
        final class Seen: Sendable {
            let authenticator = Mutex<Authenticator?>(nil)
            let statuses = Mutex<[Int]>([])
        }
        let seen = Seen()
        var first = AccountPlace(name: "first", sites: ["https://first.acme.example"])
        first.tokens = Slow {
            let authenticator = try #require(seen.authenticator.withLock { $0 })
            let status = try await world.get(authenticator)
            seen.statuses.withLock { $0.append(status) }
        }
        let signedIn = try world.authenticator(source, first: true) { [first] in $0.places.insert(first, at: 0) }
        seen.authenticator.withLock { $0 = signedIn }
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let report = await signedIn.signOut()
        #expect(report.failures.isEmpty && report.accounts == ["tracker"])
        #expect(seen.statuses.withLock { $0 } == [200])
        #expect(signedIn.accounts.isEmpty)
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(signedIn) }
    }

    @Test("Not over plain http, unless both the place and the source allow clear text") func cleartext() async throws {
        for (place, source, status) in [(false, false, 401), (true, true, 401), (true, false, 200)] {
            let world = TokenWorld()
            let authenticator = try world.authenticator(
                world.source(requiresTLS: source),
                first: true,
                cleartext: place
            )
            #expect(try await world.get(authenticator, from: "http://old.acme.example") == status)
            #expect(world.state.withLock { $0.seen.contains { $0 != nil } } == (status == 200))
            if !place { #expect(world.tokenRequests == 0) }
        }
    }

    @Test("canHandle knows that a source brings tokens, and no passwords") func canHandle() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source())
        func canHandle(_ origin: String, _ schemes: AuthenticationScheme...) throws -> Bool {
            let kind = ProtectionSpace.Kind.http(schemes: schemes, party: .origin)
            return authenticator.canHandle(ProtectionSpace(origin: try Origin(parsing: origin), kind: kind))
        }
        for hasToken in [false, true] {
            if hasToken { #expect(try await world.get(authenticator) == 200) }
            #expect(try canHandle("https://api.acme.example", .bearer))
            #expect(try canHandle("https://api.acme.example", .basic, .bearer))
            #expect(try !canHandle("https://api.acme.example", .basic))
            #expect(try !canHandle("https://acme.example.evil.example", .bearer))
            // The place allows no clear text.
            #expect(try !canHandle("http://old.acme.example", .bearer))
        }
        let certificate = ProtectionSpace(
            origin: try Origin(parsing: "https://api.acme.example"),
            kind: .clientCertificate
        )
        #expect(!authenticator.canHandle(certificate))
    }

    @Test("No other site gets the token, or brings one") func otherSites() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator, from: "https://acme.example.evil.example") == 401)
        #expect(world.tokenRequests == 0)
        #expect(world.state.withLock { $0.seen } == [nil])
    }

    @Test("A token that needs a proof, has ended or cannot be sent is an error that does not show it")
    func unusable() async throws {
        struct Fixed: TokenSource {
            let fixed: AccessToken
            func token(for question: TokenQuestion) async throws -> AccessToken? { fixed }
        }
        for token in [
            AccessToken(SharedSecret(utf8: "s3cr3t"), kind: .dpop),
            AccessToken(SharedSecret(utf8: "s3cr3t"), expiry: 1_000),
            AccessToken(SharedSecret(utf8: "s3cr3t x")),
        ] {
            let world = TokenWorld()
            let authenticator = try world.authenticator(Fixed(fixed: token), first: true)
            do {
                _ = try await world.get(authenticator)
                Issue.record("\(token) was used")
            } catch AuthenticatorError.unusableToken(let account, let defect) {
                #expect(account == "tracker" && !defect.contains("s3cr3t"))
            }
            #expect(world.state.withLock { $0.seen.isEmpty })
        }
    }

    @Test("A reload keeps the token") func reloaded() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator) == 200)
        try authenticator.reload(TokenWorld.profile())
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 1)
    }

    @Test("A sign-out takes the refresh token back at the service, then clears the store", arguments: [false, true])
    func signOut(fails: Bool) async throws {
        let world = TokenWorld(refresh: "r0")
        let store = MemoryCredentialStore()
        let source = try world.source(.refreshToken, store: store)
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let authenticator = try world.authenticator(source, first: true, store: store)
        #expect(try await world.get(authenticator) == 200)
        if fails { world.state.withLock { $0.failure = TokenWorld.Lost() } }
        let report = await authenticator.signOut()
        #expect(
            world.state.withLock { $0.revocations } == ["token=r1&token_type_hint=refresh_token&client_id=sallyport"]
        )
        #expect(report.revokedTokens == (fails ? [] : ["tracker"]) && report.failures.count == (fails ? 1 : 0))
        #expect(authenticator.accounts.isEmpty)
        #expect(try await storedRefreshToken(store) == nil)
        world.state.withLock { $0.failure = nil }
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(authenticator) }
        #expect(world.tokenRequests == 1)
    }

    private func storedRefreshToken(_ store: MemoryCredentialStore) async throws -> String? {
        let query = CredentialQuery(origin: try Origin(parsing: "https://login.acme.example"), kind: .refreshToken)
        return try await store.credentials(for: query, at: 0).first.map { TokenWorld.text($0.secret) }
    }
}
