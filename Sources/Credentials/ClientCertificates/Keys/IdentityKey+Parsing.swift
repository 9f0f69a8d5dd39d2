internal import Crypto
internal import CryptoExtras
public import Secrets
internal import WireFormat

extension IdentityKey {
    /// Reads the PrivateKeyInfo of PKCS#8 that ``pkcs8`` gives.
    ///
    /// - Complexity: O(*n*); an RSA key is checked, which takes about a millisecond.
    public init(pkcs8 secret: Secrets.SharedSecret) throws(IdentityError.Problem) {
        self = try secret.withBytes { bytes throws(IdentityError.Problem) in try IdentityKey(pkcs8: bytes) }
    }

    /// Reads a PrivateKeyInfo of PKCS#8 (RFC 5208 section 5; RFC 5958 adds the public key).
    ///
    /// ```
    /// SEQUENCE
    ///   INTEGER                      0 or 1
    ///   SEQUENCE { identifier, parameters }
    ///   OCTET STRING                 RSAPrivateKey or ECPrivateKey
    ///   [0], [1]                     attributes, public key: not read
    /// ```
    init(pkcs8 bytes: Span<UInt8>) throws(IdentityError.Problem) {
        var whole = try Self.reader(over: bytes)
        var fields = try whole.enter(BERTag.sequence, in: bytes)
        try whole.finish()
        guard let version = try fields.readSmallInteger(in: bytes), version <= 1 else { throw .unreadableKey }
        var algorithm = try fields.enter(BERTag.sequence, in: bytes)
        let identifier = dottedText(of: try algorithm.readIdentifier(in: bytes))
        var key = try fields.readOctets(in: bytes)
        defer { erase(&key) }
        switch identifier {
        case "1.2.840.113549.1.1.1": self = try Self.rsa(key)
        case "1.2.840.10045.2.1":
            guard algorithm.isNext(BERTag.objectIdentifier, in: bytes) else {
                throw .unsupportedKey("EC without a named curve")
            }
            let curve = dottedText(of: try algorithm.readIdentifier(in: bytes))
            self = try Self.ec(key.span, curve: curve)
        default: throw .unsupportedKey(Self.name(of: identifier))
        }
    }

    /// Reads the RSAPrivateKey of PKCS#1 (RFC 8017 appendix A.1.2).
    init(pkcs1 bytes: Span<UInt8>) throws(IdentityError.Problem) {
        _ = try Self.reader(over: bytes)
        var key = [UInt8](copying: bytes)
        defer { erase(&key) }
        self = try Self.rsa(key)
    }

    /// Reads an ECPrivateKey (RFC 5915 section 3), which names its curve.
    init(sec1 bytes: Span<UInt8>) throws(IdentityError.Problem) { self = try Self.ec(bytes, curve: nil) }

    private static func reader(over bytes: Span<UInt8>) throws(IdentityError.Problem) -> BERReader {
        guard bytes.count <= IdentityLimits.keyBytes else { throw .unreadableKey }
        return BERReader(over: 0..<bytes.count, of: .key)
    }

    private static func name(of identifier: String) -> String {
        switch identifier {
        case "1.3.101.112": "Ed25519"
        case "1.3.101.113": "Ed448"
        case "1.2.840.113549.1.1.10": "RSASSA-PSS"
        case "1.2.840.10040.4.1": "DSA"
        default: identifier
        }
    }

    // MARK: - RSA

    private static let rsaAlgorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    private static func rsa(_ pkcs1: [UInt8]) throws(IdentityError.Problem) -> IdentityKey {
        // The primes follow the modulus; a length that does not fit is noticed here and not by swift-crypto, which would try
        // another format.
        let span = pkcs1.span
        var whole = try reader(over: span)
        var fields = try whole.enter(BERTag.sequence, in: span)
        try whole.finish()
        guard try fields.readSmallInteger(in: span) == 0 else { throw .unsupportedKey("RSA with more than two primes") }
        let modulus = try fields.read(BERTag.integer, in: span).contents
        guard modulus.count <= 8192 / 8 + 1 else { throw .unsupportedKey("RSA of more than 8192 bits") }
        guard modulus.count >= 2048 / 8 else { throw .unsupportedKey("RSA of less than 2048 bits") }
        guard let key = try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: pkcs1) else { throw .unreadableKey }
        guard key.keySizeInBits >= 2048 else { throw .unsupportedKey("RSA of less than 2048 bits") }
        return IdentityKey(
            .rsa(bits: key.keySizeInBits),
            pkcs8: DERElements.element(
                BERTag.sequence,
                of: [[BERTag.integer, 1, 0], rsaAlgorithm, DERElements.element(BERTag.octetString, pkcs1)]
            ),
            publicKeyInfo: [UInt8](key.publicKey.derRepresentation)
        )
    }

    // MARK: - EC

    private static func ec(
        _ bytes: Span<UInt8>,
        curve named: String?
    ) throws(IdentityError.Problem) -> IdentityKey {
        var whole = try reader(over: bytes)
        var fields = try whole.enter(BERTag.sequence, in: bytes)
        try whole.finish()
        guard try fields.readSmallInteger(in: bytes) == 1 else { throw .unreadableKey }
        var scalar = try fields.readOctets(in: bytes)
        defer { erase(&scalar) }
        var curve = named
        if fields.isNext(BERTag.context0, in: bytes) {
            var parameters = try fields.enter(BERTag.context0, in: bytes)
            guard parameters.isNext(BERTag.objectIdentifier, in: bytes) else {
                throw .unsupportedKey("EC without a named curve")
            }
            let inside = dottedText(of: try parameters.readIdentifier(in: bytes))
            guard named == nil || named == inside else { throw .unreadableKey }
            curve = inside
        }
        guard let curve else { throw .unsupportedKey("EC without a named curve") }
        // The scalar of some writers has no leading zeros.
        func padded(to count: Int) throws(IdentityError.Problem) -> [UInt8] {
            guard scalar.count <= count else { throw .unreadableKey }
            return [UInt8](repeating: 0, count: count - scalar.count) + scalar
        }
        switch curve {
        case "1.2.840.10045.3.1.7":
            var raw = try padded(to: 32)
            defer { erase(&raw) }
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: raw) else { throw .unreadableKey }
            return make(.p256, raw, x963: [UInt8](key.publicKey.x963Representation))
        case "1.3.132.0.34":
            var raw = try padded(to: 48)
            defer { erase(&raw) }
            guard let key = try? P384.Signing.PrivateKey(rawRepresentation: raw) else { throw .unreadableKey }
            return make(.p384, raw, x963: [UInt8](key.publicKey.x963Representation))
        case "1.3.132.0.35":
            var raw = try padded(to: 66)
            defer { erase(&raw) }
            guard let key = try? P521.Signing.PrivateKey(rawRepresentation: raw) else { throw .unreadableKey }
            return make(.p521, raw, x963: [UInt8](key.publicKey.x963Representation))
        default: throw .unsupportedKey("EC on \(curve)")
        }
    }

    /// The AlgorithmIdentifier of a curve (RFC 5480 section 2.1.1).
    private static func algorithm(_ kind: Kind) -> [UInt8] {
        let curve: [UInt8] =
            switch kind {
            case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
            case .p521: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
            default: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            }
        return DERElements.element(
            BERTag.sequence,
            of: [[0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], curve]
        )
    }

    private static func make(_ kind: Kind, _ raw: [UInt8], x963: [UInt8]) -> IdentityKey {
        let bits = DERElements.element(BERTag.bitString, [0] + x963)
        let key = DERElements.element(
            BERTag.sequence,
            of: [
                [BERTag.integer, 1, 1], DERElements.element(BERTag.octetString, raw),
                DERElements.element(BERTag.context1, bits),
            ]
        )
        return IdentityKey(
            kind,
            pkcs8: DERElements.element(
                BERTag.sequence,
                of: [[BERTag.integer, 1, 0], algorithm(kind), DERElements.element(BERTag.octetString, key)]
            ),
            publicKeyInfo: DERElements.element(BERTag.sequence, of: [algorithm(kind), bits])
        )
    }
}
