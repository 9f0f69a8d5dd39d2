import TestSupport
import Testing

@testable import AllowedSites

@Suite struct PackedNameTests {
    /// One byte at a time, as the type's drawing says.
    private func naive(_ name: [UInt8]) -> (words: [UInt64], dots: UInt64) {
        var words: [UInt64] = [0, 0, 0, 0]
        var dots: UInt64 = 0
        for (index, byte) in name.reversed().enumerated() {
            let bits = UInt64(byte & 0x1f | byte >> 1 & 0x20)
            for bit in 0..<6 where bits >> UInt64(bit) & 1 == 1 {
                let place = 2 + index * 6 + bit
                words[place / 64] |= 1 << UInt64(place % 64)
            }
            if byte == UInt8(ascii: ".") { dots |= 1 << UInt64(index) }
        }
        return (words, dots)
    }

    private func words(_ name: PackedName) -> [UInt64] {
        [name.words.low, name.words.middle, name.words.high, name.words.top]
    }

    @Test("Names of every length are packed as drawn, in either way", arguments: UInt64(1)...64)
    func agreesWithNaivePacking(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_......".utf8)
        for length in 1...PackedName.maximumLength {
            let name = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            let expected = naive(name)
            // Memory of just this size, so that AddressSanitizer sees every byte that is read beside the name.
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
            defer { unsafe copy.deallocate() }
            unsafe copy.copyBytes(from: name)
            let lent = UnsafeRawBufferPointer(copy)
            let bytes = unsafe Span<UInt8>(_unsafeBytes: lent)
            for packed in [PackedName(bytes), PackedName(portable: bytes)] {
                guard let packed else {
                    Issue.record("no name of \(length) bytes")
                    return
                }
                #expect(words(packed) == expected.words, "\(String(decoding: name, as: UTF8.self))")
                #expect(packed.dots == expected.dots, "\(String(decoding: name, as: UTF8.self))")
            }
        }
    }

    @Test func masksKeepTheEndOfAName() {
        for length in 0...PackedName.maximumLength {
            #expect(NameWords.suffixMask(length) == .mask(bits: length * 6 + 2))
        }
        for length in 0...32 { #expect(NameWords.keyMask(length) == .mask(bits: length * 8)) }
    }
}
