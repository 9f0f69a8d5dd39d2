import CredentialStores
import HTTPAuthentication
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

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
            let count = Effort.rounds(1_000, thorough: 10_000)
            for number in 0..<count { group.addTask { try await world.get(authenticator, "/\(number)") } }
            try await eventually("all requests wait") { authenticator.tokenCalls.waiterCount == count }
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
        let refusals = try await withThrowingTaskGroup(of: Bool.self) { group in
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
            try await eventually("1,000 requests wait") {
                authenticator.tokenCalls.waiterCount == 1_000
            }
            await gate.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
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
        try await eventually("the service is asked") { world.tokenRequests > 0 }
        for request in requests {
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
        }
        // The service has spent r0. Its successor reaches the store although all callers have left.
        await gate.open()
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 1)
        #expect(try await TokenWorld.storedRefreshToken(store) == "r1")
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
}
