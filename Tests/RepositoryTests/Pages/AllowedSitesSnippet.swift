import AllowedSites

/// The snippet of AllowedSites.md.
enum AllowedSitesSnippet {
    static func sites() throws -> SiteTrie {
        let list = try SiteList(
            parsing: """
                *.host.example          # every sub-domain, over https on port 443
                host.example/app        # the wildcard does not include host.example itself
                !*.guest.host.example   # an exception: these hosts are denied
                http://10.0.0.0/8:8080  # plain http must be written explicitly
                """,
            name: "sites.txt"
        )
        let trie = SiteTrie(compiling: list)
        print(trie.verdict(forURL: "https://www.host.example/").isAllowed)  // true, by line 1
        print(trie.explain(url: "https://a.guest.host.example/"))  // each rule that was compared, and the verdict
        return trie
    }
}
