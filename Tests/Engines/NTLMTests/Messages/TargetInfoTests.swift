import NTLM
import Testing
import WireFormat

@Suite struct TargetInfoTests {
    private func parsed(_ hexadecimal: String) throws -> TargetInfo {
        let bytes = try Hexadecimal.decode(hexadecimal)
        return try TargetInfo(reading: bytes)
    }

    private func written(_ info: TargetInfo) throws -> String {
        var bytes: [UInt8] = []
        try info.append(to: &bytes)
        #expect(bytes.count == info.byteCount)
        return Hexadecimal.encode(bytes.span)
    }

    @Test("Order, unknown and repeated attributes are kept")
    func keepsEverything() throws {
        let text = "2000030001020307000800112233445566778802000200410020000000" + "00000000"
        let info = try parsed(text)
        #expect(info.pairs.map(\.id.rawValue) == [0x20, 7, 2, 0x20])
        #expect(try info.timestamp() == FileTime(rawValue: 0x8877_6655_4433_2211))
        #expect(try written(info) == text)
    }

    @Test func whatFollowsTheEndIsNotRead() throws {
        #expect(try parsed("0200020041000000000005000900").pairs.count == 1)
    }

    @Test func setReplacesInPlaceAndOnce() throws {
        var info = try parsed("060004000100000002000200410006000400020000000600040000000000" + "00000000")
        info.set(.flags, to: [9, 0, 0, 0])
        #expect(try written(info) == "060004000900000002000200410000000000")
        info.set(.targetName, to: [])
        #expect(try written(info) == "060004000900000002000200410009000000" + "00000000")
    }

    @Test(
        "Damaged lists",
        arguments: [
            ("", MessageError.avPairsUnterminated), ("02000200", .avPairTruncated(offset: 0, needed: 6, available: 4)),
            ("020002004100", .avPairsUnterminated),
            ("0200020041000000", .avPairTruncated(offset: 6, needed: 4, available: 2)),
            ("02", .avPairsUnterminated), ("0200ffff4100", .avPairTruncated(offset: 0, needed: 65_539, available: 6)),
            ("00000100aa", .avPairLength(id: 0, expected: 0, found: 1)),
        ]
    )
    func damaged(text: String, error: MessageError) {
        #expect(throws: error) { try parsed(text) }
    }

    @Test func fixedSizesAreChecked() throws {
        let short = try parsed("0700070011223344556677" + "0600020000000000" + "0000")
        #expect(throws: MessageError.avPairLength(id: 7, expected: 8, found: 7)) { try short.timestamp() }
        #expect(throws: MessageError.avPairLength(id: 6, expected: 4, found: 2)) { try short.flags() }
        #expect(try TargetInfo().timestamp() == nil)
        #expect(try TargetInfo().flags() == [])
    }
}
