import TestSupport
import Testing

@testable import Hostnames

@Suite struct PlainURLTests {
    private func plain(_ bytes: [UInt8]) -> PlainURL? {
        // Memory of just this size, so that AddressSanitizer sees every byte that is read beside the URL.
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { unsafe copy.deallocate() }
        _ = unsafe copy.initialize(from: bytes)
        return unsafe PlainURL(UnsafeBufferPointer(copy))
    }

    private func location(_ bytes: [UInt8]) -> URLLocation? {
        let span = bytes.span
        return try? URLLocation(parsing: span)
    }

    /// Whether the parts, if there are any, are those that the slow way finds, one byte after another.
    private func agrees(_ bytes: [UInt8]) -> Bool {
        guard let plain = plain(bytes) else { return true }
        guard let location = location(bytes) else { return false }
        let path = String(decoding: bytes[plain.path], as: UTF8.self)
        return plain.scheme == location.origin.scheme && plain.port == location.origin.port
            && location.origin.host.form
                == .name(Array(String(decoding: bytes[plain.host], as: UTF8.self).lowercased().utf8))
            && location.path == (path.isEmpty ? "/" : path)
    }

    @Test("What is plain is what the slow way finds", arguments: UInt64(1)...64) func agreesWithLocation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", "Bc", "x-y", "_", "0", "1.2", "example", "host.example", "com", ".", "..", "-", "--", "xn--", "0x1f",
            "1", "[::1]", "@", "%41", "\u{e9}", " ", "\t", "\\", "\u{7f}", "\0",
            "a-label-of-exactly-thirty-one-by.", String(repeating: "l", count: 15), String(repeating: "m", count: 63),
        ]
        let tails = [
            "", "/", ":443", ":8443/", ":0/", ":/", ":99999", ":80x", "/a/b", "/a?b#c", "?q", "#f", "/\\", "?\\",
            "/\u{e9}", "/a b",
            "/%2e%2e/x", "/a/long/path/with/more/than/sixteen/bytes?and=a&query=too", "/\u{7f}", "/sixteen-bytes-15\n",
        ]
        var found = 0
        for _ in 0..<10_000 {
            let schemes = ["https://", "http://", "HTTPS://", "Http://", "https:/", "ftp://"]
            let scheme = Int.random(in: 0..<24, using: &random)
            var text = scheme < schemes.count ? schemes[scheme] : schemes[0]
            let isUsual = Bool.random(using: &random)
            for _ in 0...Int.random(in: 0...4, using: &random) {
                text += pieces[Int.random(in: 0..<(isUsual ? 9 : pieces.count), using: &random)]
                if Bool.random(using: &random) { text += "." }
            }
            if Bool.random(using: &random) { text += ".example" }
            text += tails[Int.random(in: 0..<tails.count, using: &random)]
            var bytes = Array(text.utf8)
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if plain(bytes) != nil { found += 1 }
            #expect(agrees(bytes), "\(String(decoding: bytes, as: UTF8.self))")
        }
        // Otherwise this shows nothing.
        #expect(found > 500)
    }

    @Test("Every byte in every place of a URL is judged alike") func everyByte() {
        let url = Array("https://www.host-a.example:8443/path/of/some/length?query=1#part".utf8)
        for place in url.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = url
                changed[place] = byte
                #expect(agrees(changed), "byte \(byte) at \(place)")
            }
            #expect(agrees(Array(url[..<place])))
        }
    }

    @Test("The usual shapes are plain") func usual() {
        for url in [
            "https://host.example", "https://www.host.example/", "HTTP://Host.Example:8080/a?b", "https://intranet/x",
            "https://sixteen.bytes.ab", "https://a_b.c-d.example#f", "https://" + String(repeating: "a", count: 63),
        ] { #expect(plain(Array(url.utf8)) != nil, "\(url)") }
    }
}
