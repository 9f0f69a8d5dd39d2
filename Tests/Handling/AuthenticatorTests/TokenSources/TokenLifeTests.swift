import Hostnames
import LiveServers
import Sallyport
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// When a token is replaced, by the clock.
@Suite(.inTurn) struct TokenLifeTests {
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
}
