import TestSupport
import Testing
import WireFormat

@Suite struct ByteSearchTests {
    /// Few values, so that the wanted byte, its neighbours and repetitions are common.
    @Test("The first byte is that of a search byte by byte", arguments: 0..<20 as Range<UInt64>) func agreement(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let values: [UInt8] = [0x00, 0x01, 0x0A, 0x0B, 0x3F, 0x40, 0x7F, 0x80, 0xFF]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<count).map { _ in values.randomElement(using: &generator) ?? 0 }
            let end = Int.random(in: 0...count, using: &generator)
            let start = Int.random(in: 0...end, using: &generator)
            let byte = values.randomElement(using: &generator) ?? 0
            let expected = (start..<end).first { bytes[$0] == byte }
            #expect(
                bytes.span.firstIndex(of: byte, from: start, to: end) == expected,
                "\(bytes) \(byte) \(start) \(end)"
            )
            let expectedFromStart = bytes.indices.first { bytes[$0] == byte }
            #expect(bytes.span.firstIndex(of: byte) == expectedFromStart, "\(bytes) \(byte)")
        }
    }
}
