import Foundation
import Testing

@testable import WireFormat

@Suite struct SystemPathTests {
    @Test("Bytes become a text and the same bytes again", arguments: UInt64(1)...20)
    func roundTrip(seed: UInt64) {
        var state = seed
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int(state >> 33) % 12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // Many bytes that begin or continue characters, and those of the scalars that stand for bytes.
                bytes.append(
                    [0x41, 0xC3, 0xA9, 0xF4, 0x8F, 0xBE, 0xBF, 0x80, 0xE9, 0xED, 0xA0, 0x2F][Int(state >> 33) % 12]
                )
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            #expect(SystemPath.bytes(SystemPath.text(bytes)) == bytes)
        }
    }

    @Test func namesInUTF8StayAsTheyAre() {
        #expect(SystemPath.text(Array("/tmp/café-😀".utf8)) == "/tmp/café-😀")
        #expect(SystemPath.isUTF8("/tmp/café-😀"))
        #expect(!SystemPath.isUTF8(SystemPath.text([0x61, 0xE9])))
        // A name with a scalar that stands for a byte is another name than that byte.
        let scalar = Array("\u{10FFE9}".utf8)
        #expect(SystemPath.text(scalar) != SystemPath.text([0xE9]))
        #expect(SystemPath.bytes(SystemPath.text(scalar)) == scalar)
    }

    @Test func aTextWithNULNamesNoFile() {
        let count = unsafe SystemPath.withSystemPath("/dev/null\0.pem") { unsafe strlen($0) }
        #expect(count == 0)
    }
}
