internal import SPKIPins

/// The numbers of a public key, if the audit knows its algorithm.
///
/// ```
/// SEQUENCE
///   SEQUENCE                        AlgorithmIdentifier
///     OBJECT IDENTIFIER             rsaEncryption, id-RSASSA-PSS, id-RSAES-OAEP, id-ecPublicKey, or another
///     …                             parameters: of an elliptic curve its name (RFC 5480 2.1.1), else not looked at
///   BIT STRING, no bit unused
///     SEQUENCE { INTEGER, INTEGER } modulus, public exponent (RFC 8017 A.1.1)
///     or 00 | 02 x | 03 x | 04 x y  a point (SEC 1 2.3.3)
/// ```
package enum PublicKeyMaterial: Equatable, Sendable {
    case rsa(RSAPublicKey)
    case ellipticCurve(EllipticCurvePublicKey)
    /// A key of another algorithm or on another curve: it has a pin, but the audit has no checks for it.
    case other(UnexaminedKey)

    /// The most bytes of a modulus or an exponent; 16 384 bits, as much as any library will use.
    package static let mostIntegerBytes = 2048

    /// Reads the DER of one SubjectPublicKeyInfo and nothing else.
    ///
    /// - Complexity: O(*n*); bounded by `mostIntegerBytes`.
    package init(of subjectPublicKeyInfo: Span<UInt8>) throws(PublicKeyError) {
        let frame: KeyFrame
        var curve: String?
        do throws(CertificateError) {
            frame = try KeyFrame(of: subjectPublicKeyInfo)
            if frame.algorithm == .ellipticCurve { curve = try frame.curveIdentifier(in: subjectPublicKeyInfo) }
        } catch {
            throw .malformed(error)
        }
        switch frame.algorithm {
        case .rsa: self = .rsa(try RSAPublicKey(reading: frame.key, in: subjectPublicKeyInfo))
        case .ellipticCurve:
            guard let curve else { throw .unnamedCurve(offset: frame.parameters.lowerBound) }
            guard let known = NamedCurve(identifier: curve) else {
                self = .other(.curve(identifier: curve))
                return
            }
            let key = try EllipticCurvePublicKey(on: known, reading: frame.key, in: subjectPublicKeyInfo)
            self = .ellipticCurve(key)
        case .other(let identifier): self = .other(.algorithm(identifier: identifier))
        }
    }
}
