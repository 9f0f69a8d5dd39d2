import Hostnames
import Sallyport
import Testing

@Suite struct ChallengedRequestTests {
    @Test(
        "RFC 9112 section 3.2: the path of each form of target",
        arguments: [
            ("/a/b?c=d", "/a/b"), ("/", "/"), ("/a?", "/a"), ("http://wiki.acme.example/a/b?c", "/a/b"),
            ("http://wiki.acme.example", "/"), ("wiki.acme.example:443", "wiki.acme.example:443"), ("*", "*"),
            ("/http://x/y", "/http://x/y"),
        ]
    )
    func path(target: String, path: String) throws {
        #expect(try TestProfile.request("https://wiki.acme.example", target).path == path)
    }

    @Test(
        "The target of a URL is what the URL says, byte for byte",
        arguments: [
            ("https://wiki.acme.example/a%2Fb%20c?d=%3F#e", "/a%2Fb%20c?d=%3F"), ("https://wiki.acme.example", "/"),
            ("https://wiki.acme.example?q=/x", "/?q=/x"), ("https://wiki.acme.example/a/../b//c/.", "/a/../b//c/."),
            ("HTTPS://WIKI.acme.example:443/%7ea", "/%7ea"), ("https://wiki.acme.example#f", "/"),
        ]
    )
    func target(url: String, target: String) throws {
        let request = try ChallengedRequest(url: url, method: "GET")
        #expect(request.target == target)
        #expect(request.origin == (try Origin(parsing: "https://wiki.acme.example")))
        #expect(try OutgoingRequest(url: url).target == target)
    }
}
