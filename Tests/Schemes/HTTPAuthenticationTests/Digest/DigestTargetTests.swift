import Testing

@testable import HTTPAuthentication

/// Targets inside the quotes of an answer.
@Suite struct DigestTargetTests {
    /// The rule of RFC 9110 section 5.6.4, byte by byte; `nil` for a control character.
    private func naive(_ target: String) -> [UInt8]? {
        var text: [UInt8] = []
        for byte in target.utf8 {
            guard byte == 0x09 || byte >= 0x20, byte != 0x7F else { return nil }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        return text
    }

    private func written(_ target: String) -> [UInt8]? {
        var text: [UInt8] = []
        do { try append(target: target, to: &text, .utf8) } catch { return nil }
        return text
    }

    @Test("Each byte is written by the rule, wherever it stands and whatever stands beside it")
    func everyPlace() {
        for length in [1, 7, 8, 9, 16, 19] {
            for place in 0..<length {
                for byte in UInt8(0)...0x7F {
                    for neighbour in [UInt8(ascii: "/"), UInt8(ascii: "!"), 0x7E] {
                        var bytes = [UInt8](repeating: neighbour, count: length)
                        bytes[place] = byte
                        let target = String(decoding: bytes, as: UTF8.self)
                        let expected = naive(target)
                        if written(target) != expected { Issue.record("\(bytes)") }
                    }
                }
            }
        }
        for target in ["/café", "/wörter/straße/", "/\u{301}", "/a/long/path/to/ü"] {
            #expect(written(target) == naive(target))
        }
    }
}
