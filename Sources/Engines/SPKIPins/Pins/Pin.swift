internal import WireFormat

/// The SHA-256 of a public key as its certificate has it (RFC 7469 2.4): exactly 32 bytes.
///
/// The bytes that are hashed are the DER of SubjectPublicKeyInfo as they stand in the certificate, never an encoding made
/// again, so a key of any algorithm has a pin. Pins are public, so comparing them need not take constant time.
public struct Pin: Hashable, Sendable {
    /// How many bytes a pin has.
    package static let byteCount = 32

    // The digest, eight bytes to a word, least significant first.
    package let word0: UInt64
    let word1: UInt64
    let word2: UInt64
    let word3: UInt64

    /// Makes a pin of the 32 bytes of a SHA-256 digest, or `nil` of any other number of bytes.
    package init?(digest: Span<UInt8>) {
        guard digest.count == Self.byteCount,
            let word0 = littleEndianUInt64(in: digest, at: 0), let word1 = littleEndianUInt64(in: digest, at: 8),
            let word2 = littleEndianUInt64(in: digest, at: 16), let word3 = littleEndianUInt64(in: digest, at: 24)
        else { return nil }
        self.init(word0, word1, word2, word3)
    }

    /// Makes a pin of a digest's four words, least significant byte first.
    init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// The pin of the key in `certificate`: one certificate in DER and nothing else.
    ///
    /// The certificate is not validated. A decision needs a `ValidatedChain`.
    ///
    /// - Complexity: one hash over the key's bytes; nothing is copied.
    public init(ofCertificate certificate: Span<UInt8>) throws(CertificateError) {
        let walk = try CertificateWalk(of: certificate)
        self.init(hashing: certificate.extracting(walk.subjectPublicKeyInfo.range))
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in [word0, word1, word2, word3] { bytes.append(littleEndian: word) }
        assert(bytes.count == Self.byteCount)
        return bytes
    }

    /// Whether this pin precedes `other` in a total order, by which compiled sets are sorted.
    func precedes(_ other: Pin) -> Bool {
        if word0 != other.word0 { return word0 < other.word0 }
        if word1 != other.word1 { return word1 < other.word1 }
        if word2 != other.word2 { return word2 < other.word2 }
        return word3 < other.word3
    }

    /// 32 zeros: marks a free slot, or a pin that is not computed yet.
    static let zero = Pin(0, 0, 0, 0)

    var isZero: Bool { word0 | word1 | word2 | word3 == 0 }
}

extension Pin: CustomStringConvertible {
    /// `sha256/` and the base64 of the 32 bytes.
    public var description: String { "sha256/" + Base64.encode(bytes.span) }
}
