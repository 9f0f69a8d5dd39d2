import Testing
import WireFormat

@Suite struct ByteOrderTests {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]

    @Test func readsLeastSignificantFirst() {
        #expect(littleEndianUInt16(in: bytes.span, at: 1) == 0x0302)
        #expect(littleEndianUInt32(in: bytes.span, at: 1) == 0x0504_0302)
        #expect(littleEndianUInt64(in: bytes.span, at: 1) == 0x0908_0706_0504_0302)
    }

    @Test("Past the end, before the start and at the edge of Int", arguments: [-1, 8, 9, 10, Int.max, Int.min])
    func outsideIsNil(offset: Int) {
        #expect(littleEndianUInt16(in: bytes.span, at: offset) == nil)
        #expect(littleEndianUInt32(in: bytes.span, at: offset) == nil)
        #expect(littleEndianUInt64(in: bytes.span, at: offset) == nil)
    }

    @Test func writesLeastSignificantFirst() {
        var written: [UInt8] = []
        written.append(littleEndian: UInt16(0x0201))
        written.append(littleEndian: UInt32(0x0605_0403))
        written.append(littleEndian: UInt64(0x0e0d_0c0b_0a09_0807))
        #expect(written == Array(1...14))
    }
}
