import AllowedSites

let list = try SiteList(parsing: "*.acme.example", name: "team")
let trie = SiteTrie(compiling: list)
for url in ["https://wiki.acme.example/", "https://evilacme.example/"] {
    print(url, trie.verdict(forURL: url))
}
