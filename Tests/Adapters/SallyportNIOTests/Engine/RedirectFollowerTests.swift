import Hostnames
import NIOHTTP1
import Testing

@testable import SallyportNIO

/// Where a redirect may lead. What goes along is in `ClientTests`.
@Suite struct RedirectFollowerTests {
    private func target(of location: String, from url: String) throws -> String? {
        var follower = RedirectFollower(try ClientRequest(url: url), limit: 8)
        guard try follower.follow(.found, ["Location": location]) else { return nil }
        return "\(follower.request.origin)\(follower.request.target)"
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
