import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct PoolKeyTests {
    @Test("Connections of different accounts, paths, proxies and passwords have different keys") func poolKeys() throws
    {
        let handler = try ChallengeHandler(profile: try TestProfile.make(), at: 0)
        let wiki = try Origin(parsing: "https://wiki.acme.example")
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let build = try Origin(parsing: "https://build.acme.example")
        let key = handler.poolKey(for: wiki, path: "/")
        #expect(key == handler.poolKey(for: wiki, path: "/other"))
        #expect(key != handler.poolKey(for: build, path: "/"))
        #expect(key != handler.poolKey(for: wiki, path: "/", through: proxy))
        var profile = try TestProfile.make()
        profile.accounts[1].sites = ["wiki.acme.example/team"]
        let scoped = try ChallengeHandler(profile: profile, at: 0)
        let ofTeam = scoped.poolKey(for: wiki, path: "/team/a")
        #expect(ofTeam != scoped.poolKey(for: wiki, path: "/"))
        #expect(ofTeam == scoped.poolKey(for: wiki, path: "/team/b"))
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("new"))
        #expect(key != handler.poolKey(for: wiki, path: "/"))
    }

    @Test("A page that may receive nothing shares no connection with pages of an account") func deniedPage() throws {
        var profile = try TestProfile.make()
        profile.sites = try .init(parsing: "wiki.acme.example\n!wiki.acme.example/public", name: "test")
        let handler = try ChallengeHandler(profile: profile, at: 0)
        let wiki = try Origin(parsing: "https://wiki.acme.example")
        let denied = handler.poolKey(for: wiki, path: "/public/a")
        #expect(denied != handler.poolKey(for: wiki, path: "/"))
        #expect(denied == handler.poolKey(for: wiki, path: "/public/b"))
    }

    @Test("Another profile has other keys, also where no account answers: its pins may differ") func profiles() throws {
        let first = try ChallengeHandler(profile: try TestProfile.make(), at: 0)
        let second = try ChallengeHandler(profile: try TestProfile.make(), at: 0, succeeding: first)
        let elsewhere = try Origin(parsing: "https://elsewhere.example")
        #expect(first.poolKey(for: elsewhere, path: "/") == first.poolKey(for: elsewhere, path: "/other"))
        #expect(first.poolKey(for: elsewhere, path: "/") != second.poolKey(for: elsewhere, path: "/"))
    }

    @Test("The account and the password at the proxy count, too, and only on connections through it") func atProxy()
        throws
    {
        let wiki = try Origin(parsing: "https://wiki.acme.example")
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        var profile = try TestProfile.make()
        profile.accounts[0].sites = ["wiki.acme.example"]
        profile.accounts[1].sites = ["http://proxy.acme.example:3128"]
        let handler = try ChallengeHandler(profile: profile, at: 0)
        let (direct, through) = (
            handler.poolKey(for: wiki, path: "/"), handler.poolKey(for: wiki, path: "/", through: proxy)
        )
        try handler.updateUserCredentials(account: "builder", password: TestProfile.secret("new"))
        #expect(direct == handler.poolKey(for: wiki, path: "/"))
        let renewed = handler.poolKey(for: wiki, path: "/", through: proxy)
        #expect(through != renewed)
        #expect(renewed == handler.poolKey(for: wiki, path: "/other", through: proxy))
    }

    @Test("A kept key is the one that would be made anew, whatever path, password, profile or rule has changed")
    func kept() throws {
        let (wiki, proxy) = (
            try Origin(parsing: "https://wiki.acme.example"), try Origin(parsing: "http://proxy.acme.example:3128")
        )
        var scoped = try TestProfile.make()
        scoped.accounts[1].sites = ["wiki.acme.example/team"]
        var closed = try TestProfile.make()
        closed.sites = try .init(parsing: "wiki.acme.example\n!wiki.acme.example/public", name: "test")
        var accented = try TestProfile.make()
        accented.accounts[1].sites = ["wiki.acme.example/caf%C3%A9"]
        let first = try ChallengeHandler(profile: try TestProfile.make(), at: 0)
        let handlers = [
            first, try ChallengeHandler(profile: try TestProfile.make(), at: 0, succeeding: first),
            try ChallengeHandler(profile: scoped, at: 0), try ChallengeHandler(profile: closed, at: 0),
            try ChallengeHandler(profile: accented, at: 0),
        ]
        // The last two are equal as strings, and not for rules, which compare bytes.
        let paths = ["/", "/team/a", "/team/b", "/public/a", "/other", "/caf\u{E9}/a", "/cafe\u{301}/a"]
        for through in [nil, proxy] {
            var kept = KeptPoolKey()
            for round in 0..<3 {
                for handler in handlers {
                    // Each path twice in a row, so that the second may be kept.
                    for path in paths.flatMap({ [$0, $0] }) {
                        let key = kept.key(by: handler, for: wiki, path: path, through: through)
                        #expect(key == handler.poolKey(for: wiki, path: path, through: through), "\(path)")
                    }
                    try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("new \(round)"))
                }
            }
        }
    }

    @Test("Where no rule has a path, a kept key asks for none") func keptWithoutPath() throws {
        let wiki = try Origin(parsing: "https://wiki.acme.example")
        let handler = try ChallengeHandler(profile: try TestProfile.make(), at: 0)
        var (kept, asked) = (KeptPoolKey(), 0)
        func path() -> String {
            asked += 1
            return "/\(asked)"
        }
        for _ in 0..<3 { _ = kept.key(by: handler, for: wiki, path: path(), through: nil) }
        #expect(asked == 1)
    }
}
