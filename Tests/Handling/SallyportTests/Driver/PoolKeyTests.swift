import Hostnames
import Testing

@testable import ChallengeHandling
@testable import Sallyport

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
}
