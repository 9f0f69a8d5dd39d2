import AllowedSites
import Credentials
import HTTPTypes
import Hostnames
import NIOHTTP1
import Sallyport
import Secrets
import Testing

@testable import SallyportClient

/// Where a redirect may lead. What goes along is in `ClientTests`.
@Suite struct RedirectFollowerTests {
    private func target(of location: String, from url: String) throws -> String? {
        var follower = RedirectFollower(try ClientRequest(url: url), limit: 8)
        guard try follower.follow(.found, ["Location": location]) else { return nil }
        return "\(follower.request.origin)\(follower.request.target)"
    }

    @Test("Bytes of a location that are not UTF-8 are percent-encoded, as curl 7.88 does (%e9); lost ones are an error")
    func bytes() throws {
        var follower = RedirectFollower(try ClientRequest(url: "http://a.example/"), limit: 8)
        let bytes = Array("/caf".utf8) + [0xE9] + Array("?x=".utf8) + [0xFC]
        let fields = HTTPFields([HTTPField(name: .location, value: bytes)])
        #expect(try follower.follow(.found, ["Location": "/caf\u{FFFD}?x=\u{FFFD}"], fields))
        #expect(follower.request.target == "/caf%E9?x=%FC")
        // A host with such bytes is not a valid name.
        let name = Array("http://caf".utf8) + [0xE9] + Array(".example/".utf8)
        let host = HTTPFields([HTTPField(name: .location, value: name)])
        #expect(throws: ClientError.self) { try follower.follow(.found, ["Location": "x"], host) }
        let lost = ClientError.badRedirect(
            reason: "the location has bytes that are not UTF-8: ask the server's operator to percent-encode them"
        )
        #expect(throws: lost) { try target(of: "/caf\u{FFFD}", from: "http://a.example/") }
        #expect(try target(of: "/caf\u{E9}", from: "http://a.example/") == "http://a.example/caf%C3%A9")
    }

    @Test("A token that a server repeats in its location does not go where it leads") func placedToken() throws {
        let account = Account(name: "key", user: "key", credential: .token(SharedSecret(utf8: "k3y/1")))
        let placement = TokenPlacement(.query("key"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "a.example", name: "test"),
            schemes: [.basic],
            accounts: [.init(account, sites: ["a.example"], placement: placement)]
        )
        let handler = try ChallengeHandler(profile: profile, at: 0)
        for location in ["https://b.example/?x=1&key=k3y%2F1", "https://a.example/?key=k3y/1&x=1"] {
            var follower = RedirectFollower(try ClientRequest(url: "https://a.example/"), limit: 8)
            #expect(try follower.follow(.found, ["Location": location], of: handler))
            #expect(follower.request.target == "/?x=1")
        }
    }

    @Test("From https a redirect leads to https alone (RFC 9110 section 15.4), from http to both")
    func schemes() throws {
        #expect(throws: ClientError.self) { try target(of: "http://a.example/", from: "https://a.example/") }
        #expect(throws: ClientError.self) { try target(of: "http://b.example/", from: "https://a.example/") }
        #expect(try target(of: "https://b.example/x", from: "https://a.example/") == "https://b.example/x")
        #expect(try target(of: "//b.example/x", from: "https://a.example/") == "https://b.example/x")
        #expect(try target(of: "http://b.example/x", from: "http://a.example/") == "http://b.example/x")
        #expect(try target(of: "https://a.example/x", from: "http://a.example/") == "https://a.example/x")
    }
}
