internal import InsecureDigests
internal import Secrets

/// A value of the `algorithm` parameter (RFC 7616 section 3.3).
struct DigestAlgorithm: Equatable, Sendable {
    let hash: DigestHash
    /// The `-sess` form: A1 contains nonce and cnonce, so it is valid for one session.
    let isSession: Bool
    /// The name as the challenge spells it, because the answer repeats it.
    let name: String

    /// Reads the parameter; `nil` for names that are not supported. Without the parameter the algorithm is MD5.
    init?(parameter: String?) {
        name = parameter ?? "MD5"
        switch name.lowercased() {
        case "md5": (hash, isSession) = (.md5, false)
        case "md5-sess": (hash, isSession) = (.md5, true)
        case "sha-256": (hash, isSession) = (.sha256, false)
        case "sha-256-sess": (hash, isSession) = (.sha256, true)
        case "sha-512-256": (hash, isSession) = (.sha512t256, false)
        case "sha-512-256-sess": (hash, isSession) = (.sha512t256, true)
        default: return nil
        }
    }

    var strength: DigestRules.Strength {
        switch hash {
        case .md5: .md5
        case .sha256, .sha512t256: .sha2
        }
    }
}

/// The hash functions of RFC 7616, with results in lower-case hexadecimal digits.
package enum DigestHash: Sendable {
    case md5, sha256, sha512t256

    /// The hash of an algorithm that servers of this package offer, without the `-sess` form; `nil` for other names.
    package init?(offeredName name: String) {
        guard let algorithm = DigestAlgorithm(parameter: name), !algorithm.isSession else { return nil }
        self = algorithm.hash
    }

    /// The number of digits of a result.
    var digitCount: Int {
        switch self {
        case .md5: 32
        case .sha256, .sha512t256: 64
        }
    }

    /// Overwrites the ``digitCount`` bytes at `offset` of `text` with the digits of H(message).
    ///
    /// The digest and the copies of the message are erased; the digits are the caller's.
    ///
    /// - Complexity: O(*n*); no allocation if `text` has one owner.
    func writeDigits(of message: Span<UInt8>, to text: inout [UInt8], at offset: Int) {
        switch self {
        case .md5:
            var digest = MD5.hash(message)
            digest.withBytes { Self.write($0, to: &text, at: offset) }
            digest.erase()
        case .sha256:
            var digest = SecretDigest(sha256Of: message)
            digest.withBytes { Self.write($0, to: &text, at: offset) }
            digest.erase()
        case .sha512t256:
            var digest = SecretDigest(sha512t256Of: message)
            digest.withBytes { Self.write($0, to: &text, at: offset) }
            digest.erase()
        }
    }

    /// The same, for the buffers of one value: a span of one of them would keep the other from being written.
    func writeDigits(of message: [UInt8], to text: inout [UInt8], at offset: Int) {
        writeDigits(of: message.span, to: &text, at: offset)
    }

    /// The digits of H(message).
    package func digits(of message: Span<UInt8>) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: digitCount)
        writeDigits(of: message, to: &text, at: 0)
        return text
    }

    /// Overwrites two bytes of `text` for each byte, from `offset` on. In place, because digits of H(A1) are secret.
    private static func write(_ bytes: Span<UInt8>, to text: inout [UInt8], at offset: Int) {
        var digits = text.mutableSpan
        var place = offset
        for index in bytes.indices {
            digits[place] = hexadecimalDigit(bytes[index] >> 4)
            digits[place + 1] = hexadecimalDigit(bytes[index] & 15)
            place += 2
        }
    }
}

/// The lower-case digit of a value below 16, without a branch.
@inline(__always)
func hexadecimalDigit(_ value: UInt8) -> UInt8 { value &+ 0x30 &+ (value > 9 ? 0x27 : 0) }

extension Challenge {
    /// The strength of the algorithm of a Digest challenge; `nil` for an algorithm that is not supported.
    package var digestStrength: DigestRules.Strength? { DigestAlgorithm(parameter: self["algorithm"])?.strength }
}
