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
}
