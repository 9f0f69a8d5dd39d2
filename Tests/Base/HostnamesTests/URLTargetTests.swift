import TestSupport
import Testing

@testable import Hostnames

@Suite struct URLTargetTests {
    @Test(
        "The target is what follows the authority, byte for byte and without a fragment",
        arguments: [
            ("https://host.example", "https://host.example", "/"),
            ("https://host.example/", "https://host.example", "/"),
            ("https://host.example?a=/b", "https://host.example", "/?a=/b"),
            ("https://host.example#a/b?c", "https://host.example", "/"),
            ("HTTP://Host.Example:8080/a/B?c#d", "http://host.example:8080", "/a/B?c"),
            ("https://host.example/a/../%2e%2e/b?", "https://host.example", "/a/../%2e%2e/b?"),
            ("https://host.example//a//?//", "https://host.example", "//a//?//"),
            ("https://[::1]:8443/a@b:c", "https://[::1]:8443", "/a@b:c"),
            ("https://h/a?b\\c", "https://h", "/a?b\\c"), ("https://h/\u{FC}", "https://h", "/\u{FC}"),
        ]
    )
    func parts(url: String, origin: String, target: String) throws {
        let parsed = try URLTarget(parsing: url)
        #expect(parsed.origin == (try Origin(parsing: origin)))
        #expect(parsed.target == target)
        #expect(try URLTarget(parsing: ("<" + url).dropFirst()) == parsed)
    }

    @Test(
        "What a location refuses is refused, for the same reason",
        arguments: [
            "/path", "ftp://h/", "https://", "https://u@h/", "https://h/a b", "https://h/\u{7F}", "https://h\\x/",
            "https://h/a\\b", "https://h:0x1/", "https://h:99999/", "https://[::1/", "https://h/#a b",
        ]
    )
    func refusals(url: String) {
        let expected = #expect(throws: URLLocationError.self) { try URLLocation(parsing: url) }
        let error = #expect(throws: URLLocationError.self) { try URLTarget(parsing: url) }
        #expect(error == expected)
    }

    @Test("A text that is used again is the one that would have been written", arguments: 1...UInt64(20))
    func reuse(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let origins = [
            "http://h", "https://h", "https://h:80", "https://h.example:8443", "http://10.0.0.1", "https://[::1]:1",
        ]
        let targets = ["/", "/a", "/a?b", "*", "", "/\u{FC}"]
        for _ in 0..<2_000 {
            let origin = try Origin(parsing: try #require(origins.randomElement(using: &random)))
            let target = try #require(targets.randomElement(using: &random))
            let written = origin.text(before: target)
            #expect(origin.text(before: target, reusing: written) == written)
            // Another spelling, another end, another origin, or no URL at all.
            var bytes = Array(written.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] ^= 0x20
                case 1: bytes.insert(UInt8.random(in: 0x21...0x7E, using: &random), at: place)
                case 2: bytes.removeSubrange(place...)
                default: bytes.append(UInt8(ascii: "/"))
                }
                if bytes.isEmpty { bytes = [0x2F] }
            }
            let other = String(decoding: bytes, as: UTF8.self)
            #expect(origin.text(before: target, reusing: other) == written)
        }
    }
}
