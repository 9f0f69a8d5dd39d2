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
}
