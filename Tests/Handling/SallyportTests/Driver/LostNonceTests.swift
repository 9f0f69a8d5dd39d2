import HTTPAuthentication
import HTTPTypes
import Hostnames
import Testing

@testable import ChallengeHandling
@testable import Sallyport

/// Parties that ask with another nonce and do not say `stale`: they lost the nonce of an answer in advance, as Twisted does after a
/// restart or behind one name, or they refuse the password and send a new nonce with each challenge, as lighttpd does.
@Suite struct LostNonceTests {
    /// A party that takes answers to its own nonces only, and counts wrong passwords.
    final class Server {
        let name: String
        let party: ChallengedParty
        var knowsPassword = true
        /// A target that the account may not see.
        var forbidden: String?
        /// What follows the challenge's parameters, and the fields of a success.
        var more = ""
        var success = HTTPFields()
        /// What follows them in a challenge to an answer.
        var moreToAnswers = ""
        /// Whether each nonce is taken once.
        var takesNoncesOnce = false
        private var used: Set<Substring> = []
        /// Whether each challenge has a nonce of its own.
        var sendsNewNonces = true
        private(set) var badLogOns = 0
        private(set) var unknownNonces = 0
        private var challenges = 0

        init(_ name: String, _ party: ChallengedParty = .origin) { (self.name, self.party) = (name, party) }

        func response(to answer: String?, _ target: String) -> (status: Int, fields: HTTPFields) {
            let asksAgain = answer == nil ? "" : moreToAnswers
            if let answer {
                let nonce = answer[(answer.firstRange(of: "nonce=\"")?.upperBound ?? answer.endIndex)...].prefix {
                    $0 != "\""
                }
                if !answer.contains("nonce=\"\(name)-") || takesNoncesOnce && used.contains(nonce) {
                    unknownNonces += 1
                } else if !knowsPassword {
                    badLogOns += 1
                } else if target != forbidden {
                    used.insert(nonce)
                    return (200, success)
                }
            }
            if sendsNewNonces { challenges += 1 }
            let challenge =
                #"Digest realm="x", nonce="\#(name)-\#(challenges)", qop="auth", algorithm=SHA-256"# + more + asksAgain
            let field: HTTPField.Name = party == .proxy ? .proxyAuthenticate : .wwwAuthenticate
            return (party.status, TestProfile.fields(challenge, name: field))
        }
    }

    private let clock = ManualClock()
    private let profile: SecurityProfile

    init() throws {
        var profile = try TestProfile.make(schemes: [.digest])
        profile.accounts[0].allowsCleartext = true
        self.profile = profile
    }

    private func handler(oneAtATime: Bool = false) throws -> ChallengeHandler {
        var profile = profile
        profile.lockout.isOneAtATime = oneAtATime
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock)
    }

    private func authentication(
        _ handler: ChallengeHandler,
        _ server: Server,
        _ target: String,
        _ body: OutgoingRequest.Body = .none
    ) throws -> RequestAuthentication {
        guard server.party == .proxy else {
            let origin = try Origin(parsing: "https://wiki.acme.example")
            return handler.authentication(of: OutgoingRequest(origin: origin, target: target, body: body))
        }
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let origin = try Origin(parsing: "http://www.other.example")
        let request = OutgoingRequest(origin: origin, target: target, body: body)
        return handler.authentication(of: request, by: .forwarded(by: proxy))
    }

    private func answer(_ sending: RequestSending) -> String? { sending.fields.first?.value }

    /// Sends one request, whose messages all reach the same server, as on one connection.
    ///
    /// - Parameter sendsBody: whether a body that can be sent once leaves before the response.
    private func run(
        _ handler: ChallengeHandler,
        _ server: Server,
        _ target: String = "/a",
        _ body: OutgoingRequest.Body = .none,
        sendsBody: Bool = true
    ) throws -> (sends: Int, outcome: RequestOutcome?) {
        var authentication = try authentication(handler, server, target, body)
        var step = authentication.begin()
        var sends = 0
        while case .send(let sending) = step {
            sends += 1
            let (status, fields) = server.response(to: answer(sending), target)
            step = authentication.received(status: status, fields: fields, bodyWasSent: sendsBody || status == 200)
        }
        guard case .deliver(let outcome) = step else { return (sends, nil) }
        return (sends, outcome)
    }

    private static func refused(by party: ChallengedParty = .origin) -> RequestOutcome {
        .withheld(.credentialsRefused(account: "jdoe"), by: party)
    }

    @Test(
        "Two servers behind one name: each request succeeds, and after two lost nonces none goes in advance",
        arguments: [ChallengedParty.origin, .proxy],
        [0, 300]
    )
    func twoServers(party: ChallengedParty, pause: Int) throws {
        let (handler, servers) = (try handler(), [Server("one", party), Server("two", party)])
        for index in 0..<40 {
            let (sends, outcome) = try run(handler, servers[index % 2], "/\(index)")
            #expect(outcome == .accepted && sends == 2, "\(index): \(sends) \(outcome as Any)")
            clock.advance(by: .milliseconds(pause))
        }
        let lost = servers.map(\.unknownNonces).reduce(0, +)
        #expect(pause == 0 ? lost == DigestLimits.lostNonces : lost == 0, "\(lost)")
    }

    @Test("A server that was restarted is answered anew, and then in advance again") func restarted() throws {
        let handler = try handler()
        _ = try run(handler, Server("before"), "/a")
        #expect(try run(handler, Server("before"), "/b").sends == 1)
        let after = Server("after")
        #expect(try run(handler, after, "/c") == (2, .accepted))
        #expect(try run(handler, after, "/d") == (1, .accepted))
        #expect(after.unknownNonces == 1)
    }

    @Test("A password that changed in a quiet time is sent twice, with a challenge before each") func changed() throws {
        let (handler, server) = (try handler(), Server("one"))
        for target in ["/a", "/b"] { #expect(try run(handler, server, target).outcome == .accepted) }
        server.knowsPassword = false
        clock.advance(by: .milliseconds(200))
        #expect(try run(handler, server, "/c") == (2, Self.refused()))
        for target in ["/d", "/e", "/f"] { #expect(try run(handler, server, target).outcome != .accepted) }
        #expect(server.badLogOns == 2)
    }

    @Test(
        "A password that changes under 64 requests costs one bad log-on more than were under way, and one after that",
        arguments: [false, true]
    )
    func changedUnderLoad(oneAtATime: Bool) throws {
        let (handler, server) = (try handler(oneAtATime: oneAtATime), Server("one"))
        for target in ["/a", "/b"] { #expect(try run(handler, server, target).outcome == .accepted) }
        server.knowsPassword = false
        let load = try RequestLoad(64) { number in try authentication(handler, server, "/\(number)") }
        load.run { sending, number in server.response(to: answer(sending), "/\(number)") }
        #expect(load.outcomes.count == 64 && load.outcomes.allSatisfy { $0 != .accepted })
        #expect(server.badLogOns == (oneAtATime ? 2 : 64 + 1), "\(server.badLogOns)")
        for target in ["/x", "/y", "/z"] { #expect(try run(handler, server, target).outcome != .accepted) }
        #expect(server.badLogOns <= (oneAtATime ? 2 : 64 + 2), "\(server.badLogOns)")
    }

    @Test("Of 64 requests under way while the server restarts each succeeds") func restartedUnderLoad() throws {
        let (handler, server) = (try handler(), Server("before"))
        _ = try run(handler, server, "/a")
        let after = Server("after")
        let load = try RequestLoad(64) { number in try authentication(handler, server, "/\(number)") }
        load.run { sending, number in after.response(to: answer(sending), "/\(number)") }
        #expect(load.outcomes == [RequestOutcome](repeating: .accepted, count: 64))
        #expect(after.unknownNonces == 64)
        #expect(try run(handler, after, "/b") == (1, .accepted))
    }

    @Test("A page that is forbidden is withheld, and the others are not") func forbidden() throws {
        let (handler, server) = (try handler(), Server("one"))
        server.forbidden = "/docs/secret"
        for target in ["/docs/a", "/docs/b"] { #expect(try run(handler, server, target).outcome == .accepted) }
        #expect(try run(handler, server, "/docs/secret") == (2, Self.refused()))
        for target in ["/docs/c", "/docs/d", "/e"] { #expect(try run(handler, server, target).outcome == .accepted) }
        guard case .withheld(.pathWithheld, by: .origin)? = try run(handler, server, "/docs/secret").outcome else {
            Issue.record("the page is not withheld")
            return
        }
    }

    @Test(
        "A party that says whether nonces are stale refuses with a new nonce, too",
        arguments: [", stale=false", ", stale=FALSE", "information"]
    )
    func namesStale(how: String) throws {
        let (handler, server) = (try handler(), Server("one"))
        if how == "information" {
            server.success = TestProfile.fields("qop=auth", name: try #require(HTTPField.Name("Authentication-Info")))
        } else {
            server.more = how
        }
        _ = try run(handler, server, "/a")
        clock.advance(by: .milliseconds(300))
        #expect(try run(handler, server, "/b").sends == 1)
        server.knowsPassword = false
        #expect(try run(handler, server, "/c") == (1, Self.refused()))
    }

    @Test(
        "A request that waited without its connection asks again: the next one may lead to another server",
        arguments: [ChallengedParty.origin, .proxy],
        [false, true]
    )
    func asksAgain(party: ChallengedParty, namesStale: Bool) throws {
        let (handler, servers) = (try handler(), [Server("one", party), Server("two", party)])
        if namesStale { for server in servers { server.more = ", stale=false" } }
        var first = try authentication(handler, servers[0], "/a")
        guard case .send = first.begin() else { throw Unexpected() }
        var asked = servers[0].response(to: nil, "/a")
        guard case .send = first.received(status: asked.status, fields: asked.fields) else { throw Unexpected() }
        var second = try authentication(handler, servers[0], "/b")
        guard case .send = second.begin() else { throw Unexpected() }
        asked = servers[0].response(to: nil, "/b")
        guard case .wait = second.received(status: asked.status, fields: asked.fields) else { throw Unexpected() }
        guard case .deliver(.accepted) = first.received(status: 200, fields: [:]) else { throw Unexpected() }
        // The next connection leads to the other server.
        var step = second.resume(keepsConnection: false)
        var sends = 0
        while case .send(let sending) = step {
            sends += 1
            if sends == 1 { #expect(sending.fields.isEmpty == !namesStale) }
            if namesStale { #expect(answer(sending)?.contains("nonce=\"one-") == true) }
            let (status, fields) = servers[namesStale ? 0 : 1].response(to: answer(sending), "/b")
            step = second.received(status: status, fields: fields)
        }
        guard case .deliver(.accepted) = step else { throw Unexpected() }
        #expect(sends == (namesStale ? 1 : 2))
        #expect(servers.allSatisfy { $0.unknownNonces == 0 && $0.badLogOns == 0 })
    }

    private struct Unexpected: Error {}

    @Test(
        "A party that takes each nonce once is answered anew, also if it calls no nonce stale",
        arguments: [ChallengedParty.origin, .proxy],
        ["", ", stale=false", #", stale="false""#]
    )
    func takesNoncesOnce(party: ChallengedParty, more: String) throws {
        let (handler, server) = (try handler(), Server("one", party))
        (server.takesNoncesOnce, server.moreToAnswers) = (true, more)
        for index in 0..<12 {
            #expect(try run(handler, server, "/\(index)").outcome == .accepted, "\(index)")
            if index % 3 == 2 { clock.advance(by: .milliseconds(300)) }
        }
        #expect(server.unknownNonces <= DigestLimits.lostNonces)
        #expect(try run(handler, server, "/body", .once, sendsBody: false).outcome == .accepted)
    }

    @Test("A password that changed costs two bad log-ons where a new nonce comes with `stale=false`, too")
    func changedWithDenial() throws {
        let (handler, server) = (try handler(), Server("one"))
        server.moreToAnswers = ", stale=false"
        for target in ["/a", "/b"] { #expect(try run(handler, server, target).outcome == .accepted) }
        server.knowsPassword = false
        clock.advance(by: .milliseconds(200))
        for target in ["/c", "/d", "/e", "/f"] { #expect(try run(handler, server, target).outcome != .accepted) }
        #expect(server.badLogOns == 2)
    }

    @Test(
        "A body that can be sent once: kept back it goes with the new nonce, and one that has left ends its request alone",
        arguments: [ChallengedParty.origin, .proxy],
        [false, true]
    )
    func bodyOnce(party: ChallengedParty, sendsBody: Bool) throws {
        let (handler, server) = (try handler(), Server("one", party))
        server.takesNoncesOnce = true
        #expect(try run(handler, server, "/a").outcome == .accepted)
        let (sends, outcome) = try run(handler, server, "/b", .once, sendsBody: sendsBody)
        #expect(sends == (sendsBody ? 1 : 2))
        #expect(outcome == (sendsBody ? .withheld(.bodySpent, by: party) : .accepted))
        #expect(try run(handler, server, "/b").outcome == .accepted)
        // After a quiet time the party is asked before the body leaves, as it is before the first answer.
        clock.advance(by: .milliseconds(300))
        #expect(try run(handler, server, "/c", .once, sendsBody: false) == (2, .accepted))
        #expect(server.badLogOns == 0)
    }

    @Test("The same nonce without `stale` refuses the answer") func sameNonce() throws {
        let (handler, server) = (try handler(), Server("one"))
        server.sendsNewNonces = false
        _ = try run(handler, server, "/a")
        server.knowsPassword = false
        #expect(try run(handler, server, "/b") == (1, Self.refused()))
    }
}
