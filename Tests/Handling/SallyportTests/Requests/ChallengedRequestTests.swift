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
}
