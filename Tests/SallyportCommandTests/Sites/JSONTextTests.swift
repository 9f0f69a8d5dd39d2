import Foundation
import Testing

@testable import SallyportCommand

@Suite struct JSONTextTests {
    @Test("What is written is what Foundation reads", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) throws {
        for bytes in [[byte], [0x61, byte, 0x62], [0xc3, byte], [byte, byte]] {
            var text = Array("\"".utf8)
            text.appendJSONText([0x21] + bytes + [0x21], 1..<(1 + bytes.count))
            text.append(UInt8(ascii: "\""))
            let read = try JSONDecoder().decode(String.self, from: Data(text))
            #expect(read == String(decoding: bytes, as: UTF8.self))
        }
    }
}
