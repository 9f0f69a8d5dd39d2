internal import Secrets
internal import WireFormat

/// Reads an NT hash without a `String`, and without an offset in an error, because both would reveal the secret.
package enum HashDigits {
    /// The 16 bytes of 32 hexadecimal digits, which the caller erases; `nil` for another text.
    package static func bytes(_ digits: Span<UInt8>) -> [UInt8]? {
        guard digits.count == 2 * NTHash.byteCount else { return nil }
        var hash: [UInt8] = []
        hash.reserveCapacity(NTHash.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Hexadecimal.value(of: digits[index]), let low = Hexadecimal.value(of: digits[index + 1])
            else {
                erase(&hash)
                return nil
            }
            hash.append(high << 4 | low)
        }
        return hash
    }
}
