internal import Secrets
internal import WireFormat

/// The private key in a text of PEM (RFC 7468). Certificates have a reader of their own, which checks the boundaries of all
/// blocks and counts lines.
package enum PEMKey {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// Reads the private keys of `text`.
    static func readAll(
        in text: Span<UInt8>,
        passphrase: SharedSecret?,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> [NamedKey] {
        var found: [NamedKey] = []
        var label: String?
        // Twice the base64 of the longest key; reserved, so that no copy of the beginning is left behind.
        let mostDigits = 2 * IdentityLimits.keyBytes
        var digits: [UInt8] = []
        digits.reserveCapacity(mostDigits)
        defer { erase(&digits) }
        var offset = 0
        while let line = nextLine(in: text, &offset) {
            if let open = label {
                if starts(line, with: end, in: text) {
                    label = nil
                    guard open.hasSuffix("PRIVATE KEY") else { continue }
                    guard found.count < IdentityLimits.keys else { throw .tooManyKeys }
                    found.append(NamedKey(key: try key(open, digits.span, passphrase, &budget), name: nil))
                    overwriteAndEmpty(&digits)
                } else if open.hasSuffix("PRIVATE KEY") {
                    guard digits.count + line.count <= mostDigits else { throw .unreadableKey }
                    for index in line { digits.append(text[index]) }
                }
            } else if starts(line, with: begin, in: text) {
                let name = line.dropFirst(begin.count).dropLast(dashes.count)
                label = String(decoding: name.map { text[$0] }, as: UTF8.self)
            }
        }
        return found
    }

    /// The bytes of the first block with one of these labels; `nil` without one. The caller erases them.
    package static func block(labelled labels: [String], in text: Span<UInt8>) throws(IdentityError.Problem) -> [UInt8]?
    {
        var digits: [UInt8] = []
        defer { erase(&digits) }
        var isInside = false
        var hasEnded = false
        var offset = 0
        while !hasEnded, let line = nextLine(in: text, &offset) {
            if isInside {
                hasEnded = starts(line, with: end, in: text)
                if !hasEnded { for index in line { digits.append(text[index]) } }
            } else if starts(line, with: begin, in: text) {
                let name = line.dropFirst(begin.count).dropLast(dashes.count)
                isInside = labels.contains(String(decoding: name.map { text[$0] }, as: UTF8.self))
                // So that no copy of the beginning is left behind.
                if isInside { digits.reserveCapacity(text.count - offset) }
            }
        }
        guard hasEnded else { return nil }
        do throws(Base64Error) {
            return try Base64.decode(digits.span)
        } catch {
            throw .malformed(.block)
        }
    }

    /// Whether `text` has the first line of a block with one of these labels.
    package static func hasBlock(labelled labels: [String], in text: Span<UInt8>) -> Bool {
        var offset = 0
        while let line = nextLine(in: text, &offset) {
            guard starts(line, with: begin, in: text) else { continue }
            let name = line.dropFirst(begin.count).dropLast(dashes.count)
            if labels.contains(String(decoding: name.map { text[$0] }, as: UTF8.self)) { return true }
        }
        return false
    }

    private static func key(
        _ label: String,
        _ digits: Span<UInt8>,
        _ passphrase: SharedSecret?,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> IdentityKey {
        // The old form of OpenSSL begins with fields; its key derivation is one round of MD5.
        for index in digits.indices where digits[index] == UInt8(ascii: ":") {
            throw .otherForm(.encryptedByFields)
        }
        var bytes = [UInt8](repeating: 0, count: (digits.count + 3) / 4 * 3)
        defer { erase(&bytes) }
        let count: Int
        do throws(Base64Error) {
            count = try Base64.decode(digits, into: &bytes, at: 0)
        } catch {
            throw .malformed(.block)
        }
        let der = bytes.span.extracting(0..<count)
        switch label {
        case "PRIVATE KEY": return try DERKey.pkcs8.key(in: der, passphrase: passphrase, &budget)
        case "RSA PRIVATE KEY": return try DERKey.pkcs1.key(in: der, passphrase: passphrase, &budget)
        case "EC PRIVATE KEY": return try DERKey.sec1.key(in: der, passphrase: passphrase, &budget)
        case "ENCRYPTED PRIVATE KEY": return try DERKey.encrypted.key(in: der, passphrase: passphrase, &budget)
        default: throw OtherForm(label: label).map { .otherForm($0) } ?? .unsupportedKey(label)
        }
    }

    private static func overwriteAndEmpty(_ bytes: inout [UInt8]) {
        let capacity = bytes.capacity
        erase(&bytes)
        bytes.reserveCapacity(capacity)
    }

    /// The next line without its ending and without blanks at its end.
    private static func nextLine(in text: Span<UInt8>, _ offset: inout Int) -> Range<Int>? {
        guard offset < text.count else { return nil }
        let start = offset
        while offset < text.count, text[offset] != UInt8(ascii: "\n") { offset += 1 }
        var end = offset
        offset += 1
        while end > start, [UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t")].contains(text[end - 1]) {
            end -= 1
        }
        return start..<end
    }

    private static func starts(_ line: Range<Int>, with prefix: [UInt8], in text: Span<UInt8>) -> Bool {
        guard line.count >= prefix.count + dashes.count else { return false }
        return prefix.indices.allSatisfy { text[line.lowerBound + $0] == prefix[$0] }
    }
}
