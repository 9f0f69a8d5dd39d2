import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// Parties whose account is found without the rules, because they have accepted it.
@Suite struct KnownPartyTests {
    let wiki: Origin
    let handler: ChallengeHandler

    init() throws {
        wiki = try Origin(parsing: "https://wiki.acme.example")
        handler = try Self.handler { _ in }
    }

    private static func handler(_ change: (inout SecurityProfile) throws -> Void) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.basic])
        for index in profile.accounts.indices { profile.accounts[index].allowsUnbound = true }
        try change(&profile)
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }

    /// Sends one request; a request without a field is challenged. Returns each value that was sent.
    private func values(_ handler: ChallengeHandler, _ target: String) throws -> [String?] {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: target))
        var step = authentication.begin()
        var values: [String?] = []
        while case .send(let sending) = step {
            values.append(sending.authorization?.value)
            step =
                sending.authorization == nil
                ? authentication.received(status: 401, fields: TestProfile.fields("Basic realm=x"))
                : authentication.received(status: 200, fields: [:])
        }
        return values
    }

    private func isKnown(_ handler: ChallengeHandler, _ target: String) -> Bool {
        handler.knownParty(of: OutgoingRequest(origin: wiki, target: target).direct) != nil
    }

    @Test("A party is known after it has accepted an answer, and answered in advance on all paths below")
    func known() throws {
        #expect(!isKnown(handler, "/a"))
        let first = try values(handler, "/a")
        #expect(first.count == 2 && first[0] == nil)
        #expect(isKnown(handler, "/b"))
        #expect(try values(handler, "/b") == [first[1]])
    }

    @Test("A replaced password is never sent again")
    func replacedPassword() throws {
        let old = try #require(try values(handler, "/a").last)
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("New-Horse"))
        #expect(!isKnown(handler, "/a"))
        let after = try values(handler, "/a")
        #expect(after.count == 2 && after[0] == nil && after[1] != nil && after[1] != old)
        #expect(isKnown(handler, "/a"))
    }

    @Test("A host with a rule for a path is looked up for each path: an exception, and an account of its own")
    func rulesForPaths() throws {
        let exception = try Self.handler { profile in
            profile.sites = try SiteList(parsing: "*.acme.example\n!wiki.acme.example/private", name: "test")
        }
        #expect(try values(exception, "/a").count == 2)
        #expect(!isKnown(exception, "/a"))
        #expect(try values(exception, "/b").first != .some(nil))
        #expect(try values(exception, "/private/a") == [nil])

        let own = try Self.handler { profile in
            profile.sites = try SiteList(parsing: "*.acme.example", name: "test")
            profile.accounts[1].sites = ["wiki.acme.example/team"]
        }
        let wide = try #require(try values(own, "/a").last)
        #expect(!isKnown(own, "/a"))
        #expect(try values(own, "/team/a").last != wide)
    }

    @Test("Another port, another scheme and a proxy that reads the request are asked before they get a password")
    func otherParties() throws {
        let handler = try Self.handler { profile in
            let rule = "*://wiki.acme.example:*"
            profile.sites = try SiteList(parsing: rule, name: "test")
            profile.accounts.removeLast()
            profile.accounts[0].sites = [rule]
            profile.accounts[0].allowsCleartext = true
        }
        func isUnasked(_ origin: String, by route: RequestRoute = .direct) throws -> Bool {
            var authentication = handler.authentication(
                of: OutgoingRequest(origin: try Origin(parsing: origin), target: "/a"),
                by: route
            )
            guard case .send(let sending) = authentication.begin() else { return false }
            return sending.authorization != nil
        }
        _ = try values(handler, "/a")
        #expect(try isUnasked("https://wiki.acme.example"))
        #expect(try !isUnasked("https://wiki.acme.example:8443"))
        #expect(try !isUnasked("http://wiki.acme.example:443"))
        let proxy = try Origin(parsing: "http://proxy.example:3128")
        #expect(try !isUnasked("https://wiki.acme.example", by: .forwarded(by: proxy)))
    }

    @Test("Another origin with the same hash is another party")
    func otherOrigin() throws {
        _ = try values(handler, "/a")
        let known = try #require(handler.knownParty(of: OutgoingRequest(origin: wiki, target: "/a").direct))
        let other = OutgoingRequest(origin: try Origin(parsing: "https://other.acme.example"), target: "/a").direct
        handler.parties.remember(known, of: other)
        #expect(handler.knownParty(of: other) == nil)
    }
}
