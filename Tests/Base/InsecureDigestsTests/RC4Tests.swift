import InsecureDigests
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct RC4Tests {
    /// RFC 6229 section 2: the keystream at offsets 0 and 16 for keys of 40, 64 and 128 bits.
    static let keystreams = [
        ("0102030405", "b2396305f03dc027ccc3524a0a1118a86982944f18fc82d589c403a47a0d0919"),
        ("0102030405060708", "97ab8a1bf0afb96132f2f67258da15a88263efdb45c4a18684ef87e6b19e5b09"),
        ("0102030405060708090a0b0c0d0e0f10", "9ac7cc9a609d1ef7b2932899cde41b975248c4959014126a6e8a84f11d1a9e1c"),
    ]

    @Test("RFC 6229 section 2", arguments: keystreams)
    func publishedKeystream(key: String, expected: String) throws {
        let key = try Hexadecimal.decode(key)
        let cipher = RC4(key: key.span)
        var bytes = [UInt8](repeating: 0, count: 32)
        cipher.apply(to: &bytes)
        #expect(Hexadecimal.encode(bytes.span) == expected)
    }

    @Test("RFC 6229 section 2, as keys are exchanged") func publishedExchange() throws {
        let (key, expected) = Self.keystreams[2]
        let bytes = try Hexadecimal.decode(key)
        let text = RC4.exchange(Digest16(low: 0, high: 0), key: Digest16(copying: bytes.span))
        #expect(Hexadecimal.encode(text.bytes.span) == expected.prefix(32))
    }

    @Test("Many exchanges at once are as many single ones", arguments: UInt64(1)...20)
    func exchangesAgreeWithTheStream(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int(seed)
        let keys = (0..<count).map { _ in Digest16(low: generator.next(), high: generator.next()) }
        let texts = (0..<count).map { _ in Digest16(low: generator.next(), high: generator.next()) }
        var exchanged = texts
        RC4.exchange(each: &exchanged, keys: keys)
        for index in 0..<count {
            var expected = texts[index].bytes
            keys[index].withBytes { RC4(key: $0).apply(to: &expected) }
            #expect(exchanged[index].bytes == expected)
            #expect(RC4.exchange(texts[index], key: keys[index]).bytes == expected)
        }
    }

    @Test func goesOnWhereItStopped() {
        let key: [UInt8] = Array(1...16)
        let whole = RC4(key: key.span)
        let parts = RC4(key: key.span)
        var expected = [UInt8](repeating: 7, count: 100)
        whole.apply(to: &expected)
        var first = [UInt8](repeating: 7, count: 33)
        var second = [UInt8](repeating: 7, count: 67)
        parts.apply(to: &first)
        parts.apply(to: &second)
        #expect(first + second == expected)
    }

    @Test func twiceIsTheOriginal() {
        let key: [UInt8] = Array(1...16)
        var bytes = [UInt8]("sallyport".utf8)
        let there = RC4(key: key.span)
        there.apply(to: &bytes)
        #expect(bytes != [UInt8]("sallyport".utf8))
        let back = RC4(key: key.span)
        back.apply(to: &bytes)
        #expect(bytes == [UInt8]("sallyport".utf8))
    }

    @Test func emptyKeyIsTheCallersBug() async {
        await #expect(processExitsWith: .failure) {
            let empty: [UInt8] = []
            var bytes: [UInt8] = [0]
            RC4(key: empty.span).apply(to: &bytes)
        }
    }
}
