import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct LayeredSitesTests {
    private func layers(_ texts: (name: String, text: String, mayWiden: Bool)...) throws -> LayeredSites {
        let layers = try texts.map { layer in
            let list = try SiteList(parsing: layer.text, name: layer.name)
            return LayeredSites.Layer(name: layer.name, sites: SiteTrie(compiling: list), mayWiden: layer.mayWiden)
        }
        return try #require(LayeredSites(layers))
    }

    private let organisation = "*.host.example\n!login.host.example"
    private let team = "!hr.host.example\nwiki.host.example/public\n!mail.host.example/admin"
    private let user = "other.example\nlogin.host.example"

    @Test("Later lists take away and never give") func narrowing() throws {
        let sites = try layers(("org", organisation, false), ("team", team, false), ("user", user, false))
        func text(_ url: String) -> String { sites.description(of: sites.verdict(forURL: url)) }
        #expect(text("https://www.host.example/") == "allowed by line 1 of org")
        #expect(text("https://hr.host.example/") == "denied: the exception in line 1 of team")
        #expect(text("https://wiki.host.example/public/x") == "allowed by line 1 of org")
        #expect(text("https://wiki.host.example/private") == "denied: line 2 of team is for another path")
        // An exception about a path says nothing about the others.
        #expect(text("https://mail.host.example/inbox") == "allowed by line 1 of org")
        #expect(text("https://mail.host.example/admin") == "denied: the exception in line 3 of team")
        #expect(
            text("https://other.example/")
                == "denied: no rule allows this host; line 1 of user would allow it, but may only narrow"
        )
        #expect(
            text("https://login.host.example/")
                == "denied: the exception in line 2 of org; line 2 of user would allow it, but may only narrow"
        )
        #expect(text("https://elsewhere.example/") == "denied: no rule allows this host")
        #expect(sites.verdict(forURL: "nonsense").answer == .invalid(.origin(.missingScheme(offset: 8))))
    }

    @Test("A list that may widen gives, also what was taken away") func widening() throws {
        let sites = try layers(("org", organisation, false), ("team", team, false), ("user", user, true))
        #expect(sites.verdict(forURL: "https://other.example/").layer == 2)
        #expect(sites.verdict(forURL: "https://login.host.example/").answer.isAllowed)
        #expect(!sites.verdict(forURL: "https://hr.host.example/").answer.isAllowed)
        let last = try layers(
            ("org", "a.example", false),
            ("user", "*.a.example", true),
            ("root", "!x.a.example", false)
        )
        #expect(last.verdict(forURL: "https://y.a.example/").layer == 1)
        #expect(last.verdict(forURL: "https://x.a.example/").layer == 2)
    }

    @Test("No layer at all denies, and there are at most sixteen") func bounds() throws {
        let none = try #require(LayeredSites([]))
        #expect(
            none.verdict(forURL: "https://a.example/")
                == LayeredVerdict(answer: .denied(.noRule), layer: nil, unheard: nil)
        )
        let list = SiteTrie(compiling: try SiteList(parsing: "a.example", name: "x"))
        let layer = LayeredSites.Layer(name: "x", sites: list)
        #expect(LayeredSites(Array(repeating: layer, count: LayeredSites.maximumCount)) != nil)
        #expect(LayeredSites(Array(repeating: layer, count: LayeredSites.maximumCount + 1)) == nil)
    }

    @Test("An explanation has a part for each layer") func explanation() throws {
        let sites = try layers(("org", organisation, false), ("team", team, false))
        let location = try URLLocation(parsing: "https://hr.host.example/")
        let parts = sites.explain(location.origin, path: location.path)
        #expect(parts.map(\.layer) == ["org", "team"])
        #expect(parts.map(\.explanation.verdict.isAllowed) == [true, false])
    }

    @Test(
        "Layers agree with the naive matcher, and narrowing ones never widen",
        arguments: Effort.seeds(16, thorough: 64)
    )
    func agreesWithNaiveMatcher(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        var naive: [(sites: NaiveSites, mayWiden: Bool)] = []
        var layers: [LayeredSites.Layer] = []
        for index in 0..<3 {
            var rules: [NaiveRule] = []
            var text = "#! allow-public-suffix"
            for line in 0..<8 {
                var (rule, spelling) = generator.rule()
                rule.line = line + 2
                rules.append(rule)
                text += "\n" + spelling
            }
            let mayWiden = seed % 2 == 0 && generator.flip(0.5)
            naive.append((NaiveSites(rules: rules), mayWiden))
            let list = try SiteList(parsing: text, name: "\(index)")
            layers.append(.init(name: "\(index)", sites: SiteTrie(compiling: list), mayWiden: mayWiden))
        }
        let sites = try #require(LayeredSites(layers))
        for _ in 0..<200 {
            let (request, host) = generator.request()
            let url = "\(request.scheme)://\(host):\(request.port)"
            let origin = try Origin(parsing: url)
            var isAllowed = false
            for (index, layer) in naive.enumerated() {
                let answer = layer.sites.answer(request)
                let words = answer.split(separator: " ")
                if words[0] == "allowed" {
                    isAllowed = isAllowed || index == 0 || layer.mayWiden
                } else if words.count == 2, let line = Int(words[1]),
                    words[0] == "exception" || !layer.sites.rules[line - 2].isException
                {
                    isAllowed = false
                }
            }
            let verdict = sites.verdict(for: origin, path: request.path)
            #expect(verdict.answer.isAllowed == isAllowed, "\(url)\(request.path)")
            if verdict.answer.isAllowed, !naive.contains(where: \.mayWiden) {
                #expect(layers[0].sites.verdict(for: origin, path: request.path).isAllowed)
            }
        }
    }
}
