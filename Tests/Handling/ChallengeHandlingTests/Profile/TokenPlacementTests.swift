import Credentials
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// Where the token of an account may go, and what a profile that says otherwise is told.
@Suite struct TokenPlacementTests {
    private static func account(_ name: String = "key", _ token: String = "k3y/of+maps") -> Account {
        Account(name: name, user: name, credential: .token(TestProfile.secret(token)))
    }

    private func compile(_ assignments: AccountAssignment...) throws {
        var profile = try TestProfile.make()
        profile.accounts += assignments
        _ = try CompiledProfile(profile, at: 0)
    }

    private func defect(_ placement: TokenPlacement, _ account: Account = Self.account()) throws -> TokenPlacement
        .Defect?
    {
        var profile = try TestProfile.make()
        profile.accounts.append(.init(account, sites: ["*.acme.example"], placement: placement))
        do throws(ProfileError) {
            _ = try CompiledProfile(profile, at: 0)
            return nil
        } catch {
            guard case .invalidPlacement(account.name, let defect) = error else { throw error }
            return defect
        }
    }

    @Test(
        "A field with a meaning of its own is refused, in any case of its letters",
        arguments: [
            "Host", "cookie", "AUTHORIZATION", "Content-Length", "transfer-encoding", "Connection", "Referer", "Origin",
            "Proxy-Connection", "Sec-Fetch-Site",
        ]
    )
    func reserved(name: String) throws { #expect(try defect(.init(.field(name))) == .reservedField(name)) }

    @Test(
        "A field whose name is no token of RFC 9110 is refused",
        arguments: ["", "X Key", "X-Key:", "X-Key\r\nHost", "X-Schlüssel", ":path", String(repeating: "x", count: 129)]
    )
    func malformed(name: String) throws { #expect(try defect(.init(.field(name))) == .malformedField(name)) }

    @Test("Fields of well-known interfaces are taken", arguments: TokenPlacement.knownFields + ["Proxy-Authorization"])
    func known(name: String) throws { #expect(try defect(.init(.field(name))) == nil) }

    @Test(
        "A parameter that would be another one, or another part of the URL, is refused",
        arguments: ["", "a&b", "a=b", "a#b", "a%20b", "a b", "a?b", "a/b", "ä", String(repeating: "x", count: 129)]
    )
    func malformedParameter(name: String) throws {
        #expect(try defect(.init(.query(name))) == .malformedParameter(name))
    }

    @Test(
        "A Referer is an https URL in ASCII",
        arguments: [
            ("https://app.acme.example", true), ("https://app.acme.example/a?b", true),
            ("http://app.acme.example", false),
            ("https://jdoe@app.acme.example", false), ("https://app.acme.example/#a", false),
            ("app.acme.example", false),
            ("https://app.acme.example/\r\nHost: a", false), ("", false),
        ]
    )
    func referer(text: String, isGood: Bool) throws {
        let found = try defect(TokenPlacement(.field("X-API-Key"), referer: text))
        #expect(found == (isGood ? nil : .malformedReferer))
    }

    @Test("Only a token is placed, and one that a field can hold") func tokens() throws {
        #expect(try defect(.init(.field("X-API-Key")), TestProfile.account("key")) == .noToken)
        #expect(try defect(.init(.field("X-API-Key")), Self.account("key", "a b")) == .unsendableToken)
    }

    @Test("One token for one place; an account that answers may have the same place, and is not touched") func places()
        throws
    {
        let placement = TokenPlacement(.field("X-API-Key"))
        let rules = ["*.acme.example"]
        try compile(.init(Self.account(), sites: rules, placement: placement))
        let twice = ProfileError.ruleAssignedTwice(rule: "*.acme.example", first: "key", second: "other")
        #expect(throws: twice) {
            try compile(
                .init(Self.account(), sites: rules, placement: placement),
                .init(Self.account("other"), sites: rules, placement: .init(.query("key")))
            )
        }
        #expect(throws: ProfileError.assignmentWithoutSites(name: "key")) {
            try compile(.init(Self.account(), sites: [], placement: placement))
        }
    }

    @Test(
        "A parameter goes behind those of the request, takes the place of one with its name, and is escaped as RFC 3986 says",
        arguments: [
            ("/a", "/a?key=k3y%2Fof%2Bmaps"), ("/a?", "/a?key=k3y%2Fof%2Bmaps"),
            ("/a?b=c", "/a?b=c&key=k3y%2Fof%2Bmaps"),
            ("/a?key=old&b=c&key", "/a?b=c&key=k3y%2Fof%2Bmaps"), ("/a?keys=1&", "/a?keys=1&key=k3y%2Fof%2Bmaps"),
            ("http://a.example/?b", "http://a.example/?b&key=k3y%2Fof%2Bmaps"), ("*", "*"),
        ]
    )
    func targets(target: String, sent: String) throws {
        let token = try PlacedToken(TestProfile.secret("k3y/of+maps"), .init(.query("key")), of: "key")
        #expect(token.target(target) == sent && token.target(sent) == sent && token.fields.isEmpty)
        #expect(token.withoutToken("/there?key=k3y%2Fof%2Bmaps&b=c") == "/there?b=c")
        #expect(token.withoutToken("/there?key=k3y/of+maps") == "/there")
        #expect(token.withoutToken("/there?key=other") == "/there?key=other")
    }

    @Test("No description shows a token, and a text that repeats it has a mark in its place") func hidden() throws {
        let token = try PlacedToken(TestProfile.secret("k3y/of+maps"), .init(.query("key")), of: "key")
        var dumped = "\(token)"
        dump(token, to: &dumped)
        #expect(!dumped.contains("k3y"))
        let text = token.hidden(in: "/?key=k3y%2Fof%2Bmaps, k3y/of+maps", by: "<redacted>")
        #expect(text == "/?key=<redacted>, <redacted>")
    }
}
