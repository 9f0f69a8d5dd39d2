import SPKIPins
import Testing
import WireFormat

@Suite struct DERReaderTests {
    private func readOne(_ bytes: [UInt8]) throws(CertificateError) -> DERElement {
        var reader = DERReader(over: 0..<bytes.count)
        let element = try reader.readElement(in: bytes.span)
        try reader.finish()
        return element
    }

    @Test("X.690 8.1.3: the short form below 128, the long form from 128 on")
    func lengthForms() throws {
        let null = try readOne([0x05, 0x00])
        #expect(null.tag == 0x05)
        #expect(null.range == 0..<2)
        #expect(null.contents == 2..<2)
        #expect(try readOne([0x04, 0x7F] + [UInt8](repeating: 0, count: 127)).contents == 2..<129)
        // X.690 8.1.3.5 gives 201 as the example: 81 C9.
        #expect(try readOne([0x04, 0x81, 0xC9] + [UInt8](repeating: 0, count: 201)).contents == 3..<204)
        #expect(try readOne([0x04, 0x82, 0x01, 0x00] + [UInt8](repeating: 0, count: 256)).contents == 4..<260)
        let large = [UInt8](repeating: 0, count: 0x1_0000)
        #expect(try readOne([0x04, 0x83, 1, 0, 0] + large).contents == 5..<0x1_0005)
    }

    @Test func walksElementsInOrder() throws {
        let bytes: [UInt8] = [0x02, 0x01, 0x05, 0x05, 0x00, 0x30, 0x02, 0x05, 0x00]
        var reader = DERReader(over: 0..<bytes.count)
        #expect(try reader.readElement(DERTag.integer, in: bytes.span).range == 0..<3)
        #expect(try reader.readElement(ifTag: DERTag.sequence, in: bytes.span) == nil)
        #expect(try reader.readElement(in: bytes.span).range == 3..<5)
        #expect(try reader.readElement(ifTag: DERTag.sequence, in: bytes.span)?.contents == 7..<9)
        #expect(reader.isAtEnd)
    }

    @Test(
        "S5: each malformed header has its error",
        arguments: [
            ([], .truncated(offset: 0, needed: 2, available: 0)),
            ([0x30], .truncated(offset: 0, needed: 2, available: 1)),
            ([0x30, 0x80, 0x00, 0x00], .indefiniteLength(offset: 1)),
            ([0x04, 0x81, 0x7F] + [UInt8](repeating: 0, count: 127), .nonMinimalLength(offset: 1)),
            ([0x04, 0x82, 0x00, 0xC9] + [UInt8](repeating: 0, count: 201), .nonMinimalLength(offset: 1)),
            ([0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0x00], .nonMinimalLength(offset: 1)),
            ([0x04, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], .oversizedLength(offset: 1, lengthBytes: 5)),
            ([0x04, 0xFF], .oversizedLength(offset: 1, lengthBytes: 127)),
            ([0x04, 0x82, 0x01], .truncated(offset: 1, needed: 3, available: 2)),
            ([0x04, 0x05, 0x00], .truncated(offset: 0, needed: 7, available: 3)),
            ([0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated(offset: 0, needed: 0xFFFF_FFFF + 6, available: 6)),
            ([0x1F, 0x81, 0x01, 0x00], .multiByteTag(offset: 0)),
            ([0xBF, 0x00], .multiByteTag(offset: 0)),
            ([0x05, 0x00, 0x00], .trailingBytes(offset: 2, count: 1)),
        ] as [([UInt8], CertificateError)]
    )
    func malformed(bytes: [UInt8], error: CertificateError) {
        #expect(throws: error) { try readOne(bytes) }
    }

    @Test("An inner element may not reach past the one around it, even where bytes follow")
    func staysInsideItsRange() {
        let bytes: [UInt8] = [0x30, 0x03, 0x04, 0x02, 0xAA, 0xBB]
        #expect(throws: CertificateError.truncated(offset: 2, needed: 4, available: 3)) {
            var reader = DERReader(over: 2..<5)
            _ = try reader.readElement(in: bytes.span)
        }
    }

    @Test func wrongTagIsNamed() {
        #expect(throws: CertificateError.unexpectedTag(offset: 0, expected: 0x30, found: 0x31)) {
            let bytes: [UInt8] = [0x31, 0x00]
            var reader = DERReader(over: 0..<2)
            _ = try reader.readElement(DERTag.sequence, in: bytes.span)
        }
    }
}
