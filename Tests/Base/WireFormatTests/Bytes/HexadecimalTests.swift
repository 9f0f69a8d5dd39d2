import Testing
import WireFormat

@Suite struct HexadecimalTests {
    @Test("RFC 4648 section 10: foobar") func publishedVector() throws {
        #expect(Hexadecimal.encode([UInt8]("foobar".utf8).span) == "666f6f626172")
        #expect(try Hexadecimal.decode("666F6F626172") == [UInt8]("foobar".utf8))
    }

    @Test func emptyIsEmpty() throws {
        #expect(Hexadecimal.encode([UInt8]().span) == "")
        #expect(try Hexadecimal.decode("") == [])
    }

    @Test func oddLengthIsRefused() {
        #expect(throws: HexadecimalError.oddLength(digits: 3)) { try Hexadecimal.decode("abc") }
    }

    @Test func strangeDigitIsRefused() {
        #expect(throws: HexadecimalError.invalidDigit(offset: 1)) { try Hexadecimal.decode("0x") }
    }

    @Test("Eight digits at once are what eight digits one by one are", arguments: UInt64(1)...16)
    func eightDigits(seed: UInt64) {
        var state = seed
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: state >> (16 + 8 * $0)) }
            var text = [UInt8](Hexadecimal.encode(bytes.span).utf8)
            if state >> 60 < 8 { text[Int(state >> 57 & 7)] = UInt8(truncatingIfNeeded: state >> 48) }
            if state & 1 << 62 != 0 { text = text.map { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 ? $0 - 32 : $0 } }
            let word = text.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let slow = try? Hexadecimal.decode(String(decoding: text, as: UTF8.self))
            #expect(Hexadecimal.fourBytes(of: word) == slow?.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        }
    }

    @Test("Every character in every place") func everyCharacter() {
        for place in 0..<8 {
            for character in UInt8.min...UInt8.max {
                let word =
                    UInt64(0x3030_3030_3030_3030) & ~(0xFF << UInt64(8 * place)) | UInt64(character)
                    << UInt64(8 * place)
                let value = Hexadecimal.value(of: character).map {
                    UInt32($0) << UInt32(8 * (place / 2) + 4 * (1 - place % 2))
                }
                #expect(Hexadecimal.fourBytes(of: word) == value)
            }
        }
    }
}
