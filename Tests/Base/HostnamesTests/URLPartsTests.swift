import Testing

@testable import Hostnames

@Suite struct URLPartsTests {
    @Test(
        "Where the parts stand",
        arguments: [
            ("https://www.host.example:8443/a/b?c#d", "www.host.example", "8443", "/a/b"),
            ("HTTP://Host", "Host", "80", ""), ("hTtPs://Host", "Host", "443", ""), ("http://h", "h", "80", ""),
            ("http://", "", "80", ""), ("https://", "", "443", ""), ("hTtP://h/", "h", "80", "/"),
            ("https://h?q/x", "h", "443", ""), ("https://h#f", "h", "443", ""),
            ("https://[2001:db8::1]/x", "[2001:db8::1]", "443", "/x"), ("http://[::1]:81", "[::1]", "81", ""),
            ("https://h/?\\", "h", "443", "/"),
        ]
    )
    func parts(url: String, host: String, port: String, path: String) throws {
        let bytes = [UInt8](url.utf8)
        let span = bytes.span
        let parts = try URLParts(authorityOf: span)
        #expect(String(decoding: bytes[parts.host], as: UTF8.self) == host)
        let number = try parts.port(in: span)
        #expect(String(number) == port)
        let range = try parts.path(in: span)
        #expect(String(decoding: bytes[range], as: UTF8.self) == path)
    }

    @Test("No other eight bytes pass for a scheme", arguments: 0..<8)
    func otherSchemes(place: Int) throws {
        for (text, count) in [("https://", 8), ("http://x", 7)] where place < count {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array(text.utf8)
                let isSame = place < 5 && place < count - 3 ? byte | 0x20 == bytes[place] : byte == bytes[place]
                bytes[place] = byte
                bytes += Array("host.example".utf8)
                let span = bytes.span
                #expect(((try? URLParts(authorityOf: span)) != nil) == isSame, "\(bytes)")
            }
        }
    }

    @Test("White space and controls are found at every position", arguments: UInt8.min...UInt8.max)
    func controls(byte: UInt8) {
        let isForbidden = byte <= 0x20 || byte == 0x7f
        for length in 1...20 {
            for offset in 0..<length {
                // What stands around must not hide it: the neighbours of both bounds, and bytes with the high bit.
                for around in [0x21, 0x7e, 0x80, 0xa0, 0xff] as [UInt8] {
                    var bytes = [UInt8](repeating: around, count: length)
                    bytes[offset] = byte
                    let span = bytes.span
                    var found: URLLocationError?
                    do throws(URLLocationError) {
                        try URLParts.check(span)
                    } catch {
                        found = error
                    }
                    #expect(found == (isForbidden ? .forbiddenByte(byte, offset: offset) : nil))
                }
            }
        }
    }
}
