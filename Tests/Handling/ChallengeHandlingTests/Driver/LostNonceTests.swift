import HTTPAuthentication
import Sallyport
import Testing

@testable import ChallengeHandling

/// Parties that ask with another nonce and do not say `stale`: they lost the nonce of an answer in advance, as Twisted does after a
/// restart or behind one name, or they refuse the password and send a new nonce with each challenge, as lighttpd does.
@Suite struct LostNonceTests {
    @Test(
        "Two servers behind one name: each request succeeds, and after two lost nonces none goes in advance",
        arguments: [ChallengedParty.origin, .proxy],
        [0, 300]
    )
    func twoServers(party: ChallengedParty, pause: Int) throws {
        let (world, servers) = (try NonceWorld(), [NonceServer("one", party), NonceServer("two", party)])
        for index in 0..<40 {
            let (sends, outcome) = try world.run(servers[index % 2], "/\(index)")
            #expect(outcome == .accepted && sends == 2, "\(index): \(sends) \(outcome as Any)")
            world.clock.advance(by: .milliseconds(pause))
        }
        let lost = servers.map(\.unknownNonces).reduce(0, +)
        #expect(pause == 0 ? lost == DigestLimits.lostNonces : lost == 0, "\(lost)")
    }

    @Test("A server that was restarted is answered anew, and then in advance again") func restarted() throws {
        let world = try NonceWorld()
        _ = try world.run(NonceServer("before"), "/a")
        #expect(try world.run(NonceServer("before"), "/b").sends == 1)
        let after = NonceServer("after")
        #expect(try world.run(after, "/c") == (2, .accepted))
        #expect(try world.run(after, "/d") == (1, .accepted))
        #expect(after.unknownNonces == 1)
    }

    @Test("A password that changed in a quiet time is sent twice, with a challenge before each") func changed() throws {
        let (world, server) = (try NonceWorld(), NonceServer("one"))
        for target in ["/a", "/b"] { #expect(try world.run(server, target).outcome == .accepted) }
        server.knowsPassword = false
        world.clock.advance(by: .milliseconds(200))
        #expect(try world.run(server, "/c") == (2, NonceWorld.refused()))
        for target in ["/d", "/e", "/f"] { #expect(try world.run(server, target).outcome != .accepted) }
        #expect(server.badLogOns == 2)
    }

    @Test(
        "A password that changes under 64 requests costs one bad log-on more than were under way, and one after that",
        arguments: [false, true]
    )
    func changedUnderLoad(oneAtATime: Bool) throws {
        let (world, server) = (try NonceWorld(oneAtATime: oneAtATime), NonceServer("one"))
        for target in ["/a", "/b"] { #expect(try world.run(server, target).outcome == .accepted) }
        server.knowsPassword = false
        let outcomes = try world.runAtOnce(64, server)
        #expect(outcomes.count == 64 && outcomes.allSatisfy { $0 != .accepted })
        #expect(server.badLogOns == (oneAtATime ? 2 : 64 + 1), "\(server.badLogOns)")
        for target in ["/x", "/y", "/z"] { #expect(try world.run(server, target).outcome != .accepted) }
        #expect(server.badLogOns <= (oneAtATime ? 2 : 64 + 2), "\(server.badLogOns)")
    }

    @Test("Of 64 requests under way while the server restarts each succeeds") func restartedUnderLoad() throws {
        let world = try NonceWorld()
        _ = try world.run(NonceServer("before"), "/a")
        let after = NonceServer("after")
        #expect(try world.runAtOnce(64, after) == [RequestOutcome](repeating: .accepted, count: 64))
        #expect(after.unknownNonces == 64)
        #expect(try world.run(after, "/b") == (1, .accepted))
    }

    @Test("A page that is forbidden is withheld, and the others are not") func forbidden() throws {
        let (world, server) = (try NonceWorld(), NonceServer("one"))
        server.forbidden = "/docs/secret"
        for target in ["/docs/a", "/docs/b"] { #expect(try world.run(server, target).outcome == .accepted) }
        #expect(try world.run(server, "/docs/secret") == (2, NonceWorld.refused()))
        for target in ["/docs/c", "/docs/d", "/e"] { #expect(try world.run(server, target).outcome == .accepted) }
        guard case .withheld(.pathWithheld, by: .origin)? = try world.run(server, "/docs/secret").outcome else {
            Issue.record("the page is not withheld")
            return
        }
    }

    @Test(
        "A request that waited without its connection sends no old nonce to another server, which would refuse it like a wrong password",
        arguments: [ChallengedParty.origin, .proxy],
        ["", ", stale=false"]
    )
    func asksAgain(party: ChallengedParty, more: String) throws {
        for (isOther, isQuiet) in [(false, false), (false, true), (true, false), (true, true)] {
            let (world, servers) = (try NonceWorld(), [NonceServer("one", party), NonceServer("two", party)])
            for server in servers { server.more = more }
            var first = try asked(world, servers[0], "/a")
            guard case .send = first.step else { throw Unexpected() }
            var second = try asked(world, servers[0], "/b")
            guard case .wait = second.step else { throw Unexpected() }
            guard case .deliver(.accepted) = first.authentication.received(status: 200, fields: [:]) else {
                throw Unexpected()
            }
            if isQuiet { world.passQuietTime() }
            var step = second.authentication.resume(keepsConnection: false)
            let server = servers[isOther ? 1 : 0]
            var sends = 0
            while case .send(let sending) = step {
                sends += 1
                // After the first request's success the second one is answered in advance. Another nonce then refuses nothing.
                if sends == 1 { #expect(sending.fields.isEmpty == isQuiet) }
                let (status, fields) = server.response(to: NonceWorld.answer(sending), "/b")
                step = second.authentication.received(status: status, fields: fields)
            }
            guard case .deliver(.accepted) = step else { throw Unexpected() }
            #expect(sends == (isOther || isQuiet ? 2 : 1))
            #expect(server.unknownNonces == (isOther && !isQuiet ? 1 : 0))
        }
    }

    /// A request that `server` has challenged.
    private func asked(_ world: NonceWorld, _ server: NonceServer, _ target: String) throws -> Asked {
        var authentication = try world.authentication(server, target)
        guard case .send = authentication.begin() else { throw Unexpected() }
        let (status, fields) = server.response(to: nil, target)
        let step = authentication.received(status: status, fields: fields)
        return Asked(authentication: authentication, step: step)
    }

    private struct Asked: ~Copyable {
        var authentication: RequestAuthentication
        let step: RequestStep
    }

    private struct Unexpected: Error {}

    @Test(
        "A body that can be sent once: kept back it goes with the new nonce, and one that has left ends its request alone",
        arguments: [ChallengedParty.origin, .proxy],
        [false, true]
    )
    func bodyOnce(party: ChallengedParty, sendsBody: Bool) throws {
        let (world, server) = (try NonceWorld(), NonceServer("one", party))
        server.uses = 1
        #expect(try world.run(server, "/a").outcome == .accepted)
        let (sends, outcome) = try world.run(server, "/b", .once, sendsBody: sendsBody)
        #expect(sends == (sendsBody ? 1 : 2))
        #expect(outcome == (sendsBody ? .withheld(.bodySpent, by: party) : .accepted))
        #expect(try world.run(server, "/b").outcome == .accepted)
        // After a quiet time the party is asked before the body leaves, as it is before the first answer.
        world.clock.advance(by: .milliseconds(300))
        #expect(try world.run(server, "/c", .once, sendsBody: false) == (2, .accepted))
        #expect(server.badLogOns == 0)
    }

    @Test("Two requests that make each other's nonces stale begin anew without an answer, and get through")
    func staleInTurns() throws {
        let (world, server) = (try NonceWorld(), NonceServer("one"))
        (server.uses, server.knowsClients, server.moreToLost, server.sendsNextNonces) = (1, true, ", stale=true", true)
        #expect(try world.run(server, "/a").outcome == .accepted)
        var requests = [try Started(world, server, "/b"), try Started(world, server, "/c")]
        // The first one's success brings the nonce of the third one, which the second one makes stale.
        requests[0].goOn()
        requests[0] = try Started(world, server, "/d")
        for _ in 0..<RequestLimits.sends {
            requests[1].goOn()
            requests[0].goOn()
        }
        for request in requests {
            guard case .deliver(.accepted) = request.step else {
                Issue.record("\(request.step)")
                continue
            }
            // Two answers in advance, the question and its answer.
            #expect(request.sends <= 4 && request.isAsked)
        }
    }

    /// A request whose messages go to one server, one by one. A class, because the authentication cannot be copied.
    private final class Started {
        private var authentication: RequestAuthentication
        private let server: NonceServer
        private let target: String
        private(set) var step: RequestStep
        private(set) var sends = 0
        private(set) var isAsked = false

        init(_ world: NonceWorld, _ server: NonceServer, _ target: String) throws {
            authentication = try world.authentication(server, target)
            (self.server, self.target) = (server, target)
            step = authentication.begin()
        }

        /// Sends the message that is due, if there is one.
        func goOn() {
            guard case .send(let sending) = step else { return }
            sends += 1
            if sending.fields.isEmpty { isAsked = true }
            let (status, fields) = server.response(to: NonceWorld.answer(sending), target)
            step = authentication.received(status: status, fields: fields)
        }
    }

    @Test("The same nonce without `stale` refuses the answer") func sameNonce() throws {
        let (world, server) = (try NonceWorld(), NonceServer("one"))
        server.sendsNewNonces = false
        _ = try world.run(server, "/a")
        server.knowsPassword = false
        #expect(try world.run(server, "/b") == (1, NonceWorld.refused()))
    }
}
