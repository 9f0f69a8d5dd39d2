internal import InsecureDigests
internal import Secrets
internal import WireFormat

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
    package var digitCount: Int {
        switch self {
        case .md5: 32
        case .sha256, .sha512t256: 64
        }
    }

    /// Overwrites the ``digitCount`` bytes at `offset` of `text` with the digits of H(message), which are not secret themselves.
    ///
    /// The digest and the copies of the message are erased. The digits are written by vectors, and a vector can stay behind on the stack.
    ///
    /// - Complexity: O(*n*); no allocation if `text` has one owner.
    func writeDigits(of message: Span<UInt8>, to text: inout [UInt8], at offset: Int) {
        withDigest(of: message) { Self.write($0, to: &text, at: offset) }
    }

    /// The same, for the buffers of one value: a span of one of them would keep the other from being written.
    func writeDigits(of message: [UInt8], to text: inout [UInt8], at offset: Int) {
        writeDigits(of: message.span, to: &text, at: offset)
    }

    /// The digits of H(message), which are not secret themselves.
    package func digits(of message: Span<UInt8>) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: digitCount)
        writeDigits(of: message, to: &text, at: 0)
        return text
    }

    /// The digits of H(message) where they are as good as a password, as those of H(A1).
    ///
    /// They are written byte by byte, so that the result, which the caller erases, is the one place where they lie together.
    package func secretDigits(of message: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        // Room for all from the start: an array that grows leaves a copy of its contents behind.
        text.reserveCapacity(digitCount)
        withDigest(of: message) { Hexadecimal.append($0, to: &text) }
        return text
    }

    /// Gives H(message) to `body`, and erases it.
    @inline(__always)
    private func withDigest(of message: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        switch self {
        case .md5:
            var digest = MD5.hash(message)
            digest.withBytes { body($0) }
            digest.erase()
        case .sha256:
            var digest = SecretDigest(sha256Of: message)
            digest.withBytes { body($0) }
            digest.erase()
        case .sha512t256:
            var digest = SecretDigest(sha512t256Of: message)
            digest.withBytes { body($0) }
            digest.erase()
        }
    }

    /// Overwrites two bytes of `text` for each byte, from `offset` on.
    ///
    /// Sixteen bytes at once; each of the hashes has 16 or 32. By bytes it took four times as many instructions.
    private static func write(_ bytes: Span<UInt8>, to text: inout [UInt8], at offset: Int) {
        precondition(bytes.count.isMultiple(of: 16), "a hash has whole vectors of bytes")
        var span = text.mutableSpan
        var digits = unsafe span.mutableBytes
        var index = 0
        while index < bytes.count {
            let vector = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let pairs = hexadecimalDigits(of: vector)
            digits.storeBytes(of: pairs, toByteOffset: offset &+ 2 &* index, as: SIMD32<UInt8>.self)
            index &+= 16
        }
    }
}

/// The eight lower-case digits of `value`, as they lie in memory.
@inline(__always)
func hexadecimalDigits(of value: UInt32) -> UInt64 {
    let bytes = unsafe unsafeBitCast(SIMD2(UInt64(value.bigEndian), 0), to: SIMD16<UInt8>.self)
    return unsafe unsafeBitCast(hexadecimalDigits(of: bytes).lowHalf, to: SIMD2<UInt64>.self)[0]
}

/// The lower-case digits of sixteen bytes, two for each.
@inline(__always)
private func hexadecimalDigits(of bytes: SIMD16<UInt8>) -> SIMD32<UInt8> {
    var pairs = SIMD32<UInt8>()
    pairs.evenHalf = hexadecimalDigits(ofValues: bytes &>> 4)
    pairs.oddHalf = hexadecimalDigits(ofValues: bytes & 15)
    return pairs
}

/// The lower-case digits of values below 16.
@inline(__always)
private func hexadecimalDigits(ofValues values: SIMD16<UInt8>) -> SIMD16<UInt8> {
    // A comparison of vectors would be a loop, as would be any step with more than 16 bytes; ten and more are found by a carry.
    let isLetter = 0 &- ((values &+ 6) &>> 4)
    return values &+ 0x30 &+ (isLetter & 0x27)
}

extension Challenge {
    /// The strength of the algorithm of a Digest challenge; `nil` for an algorithm that is not supported.
    package var digestStrength: DigestRules.Strength? { DigestAlgorithm(parameter: self["algorithm"])?.strength }
}
