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
            "", "/", ":443", ":8443/", ":0/", ":/", ":", ":08443/", ":00", ":99999", ":80x", "/a/b", "/a?b#c", "?q",
            "#f", "/\\", "?\\",
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

    @Test("Long names are plain where the slow way takes them, and nowhere else", arguments: UInt64(1)...16)
    func longNames(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (found, refused) = (0, 0)
        for _ in 0..<2000 {
            var name = ""
            let longest = [1, 3, 20, 62, 64][Int.random(in: 0..<5, using: &random)]
            let length = Int.random(in: 60...256, using: &random)
            while name.utf8.count < length {
                let label = Int.random(in: 1...longest, using: &random)
                name +=
                    String(repeating: ["a", "b", "c", "z"][Int.random(in: 0..<4, using: &random)], count: label) + "."
            }
            var bytes = Array(name.utf8.prefix(length))
            for _ in 0..<Int.random(in: 0...1, using: &random) {
                bytes[Int.random(in: 0..<length, using: &random)] =
                    Array(".-_A1".utf8)[Int.random(in: 0..<5, using: &random)]
            }
            let url = Array("https://".utf8) + bytes + Array(["", "/", ":8443/a/path?query"][length % 3].utf8)
            // What the slow way takes as it stands; it also drops a dot at the end, takes hyphens and reads addresses.
            let taken = location(url).map {
                $0.origin.host.description == String(decoding: bytes, as: UTF8.self).lowercased()
            }
            let hasDigit = (bytes.split(separator: UInt8(ascii: ".")).last?.first ?? 0) == UInt8(ascii: "1")
            if taken == true, !hasDigit, !String(decoding: bytes, as: UTF8.self).contains("--") {
                found += 1
                #expect(plain(url) != nil, "\(String(decoding: url, as: UTF8.self))")
            } else {
                refused += 1
            }
            #expect(agrees(url), "\(String(decoding: url, as: UTF8.self))")
        }
        #expect(found > 200 && refused > 200)
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
            "https://" + String(repeating: "a.", count: 126) + "a/path",
        ] { #expect(plain(Array(url.utf8)) != nil, "\(url)") }
    }
}
