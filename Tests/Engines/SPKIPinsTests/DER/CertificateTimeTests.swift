import Foundation
import SPKIPins
import TestSupport
import Testing

@Suite struct CertificateTimeTests {
    private func seconds(_ text: String, tag: UInt8) throws(CertificateError) -> Int64 {
        let bytes = der(tag, [UInt8](text.utf8))
        var reader = DERReader(over: 0..<bytes.count)
        return try unixSeconds(ofTime: reader.readElement(in: bytes.span), in: bytes.span)
    }

    @Test(
        "RFC 5280 4.1.2.5.1: two digits are 1950 to 2049 (values by date -u +%s)",
        arguments: [
            ("500101000000Z", -631_152_000), ("700101000000Z", 0), ("000229235959Z", 951_868_799),
            ("491231235959Z", 2_524_607_999), ("991231235959Z", 946_684_799),
        ] as [(String, Int64)]
    )
    func utcTime(text: String, expected: Int64) throws {
        #expect(try seconds(text, tag: 0x17) == expected)
    }

    @Test(
        "RFC 5280 4.1.2.5.2: four digits (values by date -u +%s)",
        arguments: [
            ("20500101000000Z", 2_524_608_000), ("99991231235959Z", 253_402_300_799),
            ("00000101000000Z", -62_167_219_200),
            ("19700101000000Z", 0), ("00000229000000Z", -62_162_121_600),
        ] as [(String, Int64)]
    )
    func generalizedTime(text: String, expected: Int64) throws {
        #expect(try seconds(text, tag: 0x18) == expected)
    }

    @Test("Random seconds of 1600 to 9999 agree with Foundation's calendar", arguments: UInt64(1)...16)
    func agreesWithFoundation(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let format = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        for _ in 0..<50 {
            let expected = Int64.random(in: -11_676_096_000...253_402_300_799, using: &generator)
            let text = Date(timeIntervalSince1970: TimeInterval(expected)).formatted(format).filter { $0 != "T" }
            #expect(try seconds(text, tag: 0x18) == expected, "\(text)")
        }
    }

    @Test(
        "What is no date of RFC 5280 is an error",
        arguments: [
            "", "Z", "2601010000Z", "260101000000", "260101000000z", "260101000000+0000", "260101000000.5Z",
            "261301000000Z",
            "260001000000Z", "260100000000Z", "260230000000Z", "250229000000Z", "260431000000Z", "260101240000Z",
            "260101006000Z", "260101000060Z", "26010100000aZ", "20260101000000Z", " 60101000000Z", "2601010000:0Z",
        ]
    )
    func malformedUTCTime(text: String) {
        #expect(throws: CertificateError.invalidTime(offset: 0)) { try seconds(text, tag: 0x17) }
    }

    @Test(arguments: ["260101000000Z", "19000229000000Z", "21000229000000Z", "20260101000000.1Z", "2026010100000-Z"])
    func malformedGeneralizedTime(text: String) {
        #expect(throws: CertificateError.invalidTime(offset: 0)) { try seconds(text, tag: 0x18) }
    }
}
