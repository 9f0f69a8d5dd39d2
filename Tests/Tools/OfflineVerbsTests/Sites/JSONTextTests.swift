import Foundation
import Testing

@testable import OfflineVerbs

@Suite struct JSONTextTests {
    @Test("Foundation reads the written text back", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) throws {
        for bytes in [[byte], [0x61, byte, 0x62], [0xc3, byte], [byte, byte]] {
            var text = Array("\"".utf8)
            text.appendJSONText([0x21] + bytes + [0x21], 1..<(1 + bytes.count))
            text.append(UInt8(ascii: "\""))
            let read = try JSONDecoder().decode(String.self, from: Data(text))
            #expect(read == String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("One byte that needs escaping is found at every position", arguments: [0, 1, 14, 15, 16, 31, 32, 63, 64, 65])
    func everyPlace(place: Int) throws {
        for byte in [UInt8(0x1f), 0x22, 0x5c, 0x7f] {
            var bytes = [UInt8](repeating: 0x20, count: 66)
            bytes[place] = byte
            var text: [UInt8] = []
            text.appendJSONText(bytes, 0..<bytes.count)
            #expect(text.count > bytes.count)
        }
        var text: [UInt8] = []
        text.appendJSONText([UInt8](repeating: 0x7e, count: place), 0..<place)
        #expect(text == [UInt8](repeating: 0x7e, count: place))
    }
}
