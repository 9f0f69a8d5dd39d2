import Foundation
import Testing
import WireFormat

@Suite struct Base64Tests {
    /// RFC 4648 section 10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("RFC 4648 section 10", arguments: vectors)
    func publishedVectors(plain: String, encoded: String) throws {
        #expect(Base64.encode([UInt8](plain.utf8).span) == encoded)
        #expect(try Base64.decode(encoded) == [UInt8](plain.utf8))
    }

    @Test("Every length comes back", arguments: 0...64)
    func roundTrip(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ length) }
        #expect(try Base64.decode(Base64.encode(bytes.span)) == bytes)
        #expect(Base64.encode(bytes.span) == Data(bytes).base64EncodedString())
    }

    @Test("Every digit in every place") func allDigits() {
        let bytes = (0..<3 * 4_096).map { UInt8(truncatingIfNeeded: ($0 / 3) >> (8 - 8 * ($0 % 3 / 2)) &+ $0 % 3 * 85) }
        #expect(Base64.encode(bytes.span) == Data(bytes).base64EncodedString())
    }

    @Test func missingPaddingIsRefused() {
        #expect(throws: Base64Error.invalidLength(characters: 2)) { try Base64.decode("Zg") }
    }

    @Test func whiteSpaceIsRefused() {
        #expect(throws: Base64Error.invalidCharacter(offset: 2)) { try Base64.decode("Zm 9") }
    }

    @Test func paddingInTheMiddleIsRefused() {
        #expect(throws: Base64Error.invalidCharacter(offset: 2)) { try Base64.decode("Zg==Zg==") }
        #expect(throws: Base64Error.invalidCharacter(offset: 1)) { try Base64.decode("Z===") }
    }

    @Test func strayBitsAreRefused() {
        #expect(throws: Base64Error.nonCanonicalEnding) { try Base64.decode("Zh==") }
        #expect(throws: Base64Error.nonCanonicalEnding) { try Base64.decode("Zm9=") }
    }

    @Test("A foreign character in any place is found", arguments: 0..<20)
    func foreignCharacter(place: Int) {
        var text = [UInt8](repeating: UInt8(ascii: "A"), count: 20)
        for character in UInt8.min...UInt8.max {
            text[place] = character
            let isDigit = Data(base64Encoded: Data(text)) != nil && character != UInt8(ascii: "=")
            let isPadding = character == UInt8(ascii: "=") && place == 19
            let decoded = try? Base64.decode(text.span)
            #expect((decoded != nil) == (isDigit || isPadding), "\(character)")
            if isDigit { #expect(decoded == Data(base64Encoded: Data(text)).map { [UInt8]($0) }) }
            if decoded == nil {
                #expect(throws: Base64Error.invalidCharacter(offset: place)) { try Base64.decode(text.span) }
            }
        }
    }

    @Test("Decoding in place writes there and nowhere else", arguments: 0...40)
    func inPlace(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 5) }
        let text = [UInt8](Base64.encode(bytes.span).utf8)
        var room = [UInt8](repeating: 0xEE, count: 7 + text.count / 4 * 3 + 9)
        #expect(try Base64.decode(text.span, into: &room, at: 7) == length)
        #expect([UInt8](room[7..<7 + length]) == bytes)
        #expect(room[..<7].allSatisfy { $0 == 0xEE } && room.suffix(9).allSatisfy { $0 == 0xEE })
    }
}
