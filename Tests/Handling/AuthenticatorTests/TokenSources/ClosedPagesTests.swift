import Hostnames
import LiveServers
import Sallyport
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Pages that refuse a token which is right elsewhere, and tokens that nothing takes.
@Suite(.inTurn) struct ClosedPagesTests {
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
}
