internal import SPKIPins
internal import SwiftASN1

/// What the certificate library cannot read, because it does not verify signatures of that algorithm.
///
/// It verifies RSA PKCS #1 with keys of 2,048 bits or more, ECDSA with the curves P-256, P-384 and P-521, and Ed25519.
enum UnjudgedAlgorithm {
    private static let judgedSignatures: Set = [
        "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.3.4", "1.2.840.113549.1.1.5",
        "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13", "1.3.101.112",
    ]
    private static let judgedCurves: Set = ["1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"]
    /// Bits of the moduli that the library takes.
    private static let judgedModuli = 2048...8192

    /// Names that people search for; RFC 8410, RFC 9881, RFC 5639, SEC 2, RFC 5758, RFC 3279.
    private static let names = [
        "1.2.840.113549.1.1.2": "MD2 with RSA", "1.2.840.113549.1.1.4": "MD5 with RSA",
        "1.2.840.113549.1.1.10": "RSASSA-PSS", "1.2.840.113549.1.1.14": "SHA-224 with RSA",
        "1.2.840.10040.4.1": "DSA", "1.2.840.10040.4.3": "DSA with SHA-1", "2.16.840.1.101.3.4.3.2": "DSA with SHA-256",
        "1.2.840.10045.4.1": "ECDSA with SHA-1", "1.2.840.10045.4.3.1": "ECDSA with SHA-224",
        "2.16.840.1.101.3.4.3.10": "ECDSA with SHA3-256", "1.2.156.10197.1.501": "SM2 with SM3",
        "1.3.101.113": "Ed448", "2.16.840.1.101.3.4.3.17": "ML-DSA-44", "2.16.840.1.101.3.4.3.18": "ML-DSA-65",
        "2.16.840.1.101.3.4.3.19": "ML-DSA-87", "1.3.132.0.10": "secp256k1", "1.3.132.0.33": "P-224",
        "1.2.840.10045.3.1.1": "P-192", "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1",
        "1.3.36.3.3.2.8.1.1.8": "brainpoolP256t1", "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.12": "brainpoolP384t1", "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
        "1.3.36.3.3.2.8.1.1.14": "brainpoolP512t1",
    ]

    /// The algorithm because of which a certificate cannot be judged: how its issuer signed it, or what its own key signs with.
    ///
    /// - Returns: `nil` for a certificate of other algorithms, or one that is malformed.
    static func name(in certificate: [UInt8]) -> String? {
        guard let walk = try? CertificateWalk(of: certificate.span) else { return nil }
        let signature = identifiers(certificate[walk.signatureAlgorithm])
        guard let signed = signature.first else { return nil }
        guard judgedSignatures.contains(signed) else { return named(signed) }
        let key = identifiers(certificate[walk.subjectPublicKeyInfo.algorithm])
        switch key.first {
        case "1.2.840.10045.2.1":
            guard key.count > 1 else { return "ECDSA with a curve that is not named" }
            return judgedCurves.contains(key[1]) ? nil : "ECDSA with \(named(key[1]))"
        case "1.2.840.113549.1.1.1":
            let bits = (try? CertificateDetails.Key(ofCertificate: certificate.span))?.bits
            return bits.flatMap { judgedModuli.contains($0) ? nil : "RSA with a key of \($0) bits" }
        case "1.3.101.112", nil: return nil
        case let other?: return named(other)
        }
    }

    /// Why no path was found, if one leads through a certificate that cannot be judged.
    ///
    /// - Parameters:
    ///   - certificates: the leaf first, and all that may be on the path.
    /// - Complexity: O(*n*²) in the certificates, of which there are ``mostCertificates`` at most.
    static func name(onPathOf certificates: [[UInt8]]) -> String? {
        let walks = certificates.prefix(mostCertificates).compactMap { der in
            (try? CertificateWalk(of: der.span)).map {
                (der: der, subject: Array(der[$0.subject]), issuer: Array(der[$0.issuer]))
            }
        }
        guard let leaf = walks.first else { return nil }
        var reached: Set = [leaf.issuer]
        var grew = true
        while grew {
            grew = false
            for walk in walks.dropFirst() where reached.contains(walk.subject) {
                if let name = name(in: walk.der) { return name }
                grew = reached.insert(walk.issuer).inserted || grew
            }
        }
        return nil
    }

    /// More than a chain and the roots of one recording have.
    private static let mostCertificates = 1024

    /// The object identifiers that the contents of an AlgorithmIdentifier begin with: the algorithm, and a curve.
    private static func identifiers(_ contents: ArraySlice<UInt8>) -> [String] {
        var (rest, found) = (contents, [String]())
        while found.count < 2, let tag = rest.first, tag == 0x06, let length = rest.dropFirst().first, length < 0x80,
            rest.count >= 2 + Int(length), let one = try? ASN1ObjectIdentifier(derEncoded: rest.prefix(2 + Int(length)))
        {
            found.append("\(one)")
            rest = rest.dropFirst(2 + Int(length))
        }
        return found
    }

    private static func named(_ identifier: String) -> String {
        names[identifier].map { "\($0) (\(identifier))" } ?? identifier
    }
}
