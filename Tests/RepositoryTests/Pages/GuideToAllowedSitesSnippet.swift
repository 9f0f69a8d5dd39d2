import AllowedSites

/// The snippet of GuideToAllowedSites.md.
enum GuideToAllowedSitesSnippet {
    static func sites() throws -> SiteTrie {
        let list = try SiteList(
            parsing: """
                *.acme.example                    # every host below it, over https
                !quarantine.acme.example          # but not this one
                http://proxy.acme.example:3128    # plain http needs a rule of its own
                """,
            name: "team"
        )
        let trie = SiteTrie(compiling: list)
        print(trie.verdict(forURL: "https://wiki.acme.example/").isAllowed)  // true
        print(trie.verdict(forURL: "https://evilacme.example/").isAllowed)  // false
        print(trie.explain(url: "https://quarantine.acme.example/"))  // the walk, in words
        return trie
    }
}
