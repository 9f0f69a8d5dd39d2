internal import SPKIPins

/// The data of a TLSA record: three numbers and the association data (RFC 6698 2.2), or the same bytes in the form of
/// unknown types, `\# LENGTH DIGITS` (RFC 3597 5).
struct TLSAAssociation {
    let usage: UInt8
    let selector: UInt8
    let matching: UInt8
    private let digits: String

    /// The three numbers, for messages.
    var kind: String { "\(usage) \(selector) \(matching)" }

    /// Where a chain has the key, or `nil` if the record is not the SHA-256 of a key.
    var position: PinPosition? {
        guard selector == 1, matching == 1 else { return nil }
        return switch usage {
        case 1, 3: .leaf
        case 0, 2: .issuer
        default: nil
        }
    }

    init(_ words: ArraySlice<String>, at place: String) throws(PinFormatError) {
        if words.first == "\\#" {
            self = try Self(bytes: words.dropFirst(), at: place)
            return
        }
        guard words.count >= 4 else {
            throw .malformed(place: place, problem: "expected owner, TLSA, three numbers and hexadecimal digits")
        }
        let numbers = Array(words.prefix(3))
        usage = try Self.number(numbers[0], Self.usages, at: place)
        selector = try Self.number(numbers[1], Self.selectors, at: place)
        matching = try Self.number(numbers[2], Self.matchingTypes, at: place)
        digits = words.dropFirst(3).joined()
    }

    private init(bytes words: ArraySlice<String>, at place: String) throws(PinFormatError) {
        let digits = Array(words.dropFirst().joined().utf8)
        guard let length = words.first, Self.isDecimal(length), let count = Int(length), count > 3,
            digits.count % 2 == 0, digits.count / 2 == count,
            let usage = Self.byte(digits[0..<2]), let selector = Self.byte(digits[2..<4]),
            let matching = Self.byte(digits[4..<6])
        else {
            throw .malformed(
                place: place,
                problem: "expected \\#, the number of bytes, and two hexadecimal digits for each of them (RFC 3597 5)"
            )
        }
        (self.usage, self.selector, self.matching) = (usage, selector, matching)
        self.digits = String(decoding: digits[6...], as: UTF8.self)
    }

    func pin(at place: String) throws(PinFormatError) -> Pin {
        do throws(PinError) {
            return try Pin(hexadecimal: digits)
        } catch {
            throw .invalidPin(place: "\(place): TLSA \(kind)", reason: error)
        }
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        // The integer's reader takes a sign.
        guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func isDecimal(_ word: String) -> Bool { word.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    private static func number(
        _ word: String,
        _ names: [String: UInt8],
        at place: String
    ) throws(PinFormatError) -> UInt8 {
        if let number = names[word.uppercased()] { return number }
        guard isDecimal(word), let number = UInt8(word) else {
            throw .malformed(
                place: place,
                problem: "usage, selector and matching type are numbers up to 255, or the acronyms of RFC 7218"
            )
        }
        return number
    }

    // RFC 7218 2.
    private static let usages: [String: UInt8] = [
        "PKIX-TA": 0, "PKIX-EE": 1, "DANE-TA": 2, "DANE-EE": 3, "PRIVCERT": 255,
    ]
    private static let selectors: [String: UInt8] = ["CERT": 0, "SPKI": 1, "PRIVSEL": 255]
    private static let matchingTypes: [String: UInt8] = ["FULL": 0, "SHA2-256": 1, "SHA2-512": 2, "PRIVMATCH": 255]
}
