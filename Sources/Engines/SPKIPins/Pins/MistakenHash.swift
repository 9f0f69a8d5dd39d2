internal import WireFormat

/// What somebody hashed instead of a key's SubjectPublicKeyInfo; such a pin matches no certificate.
public enum MistakenHash: Equatable, Sendable, CaseIterable {
    /// The DER of the certificate: its fingerprint.
    case certificate
    /// The PEM text of the certificate.
    case certificateText
    /// The PEM text of the key, as `openssl x509 -pubkey` writes it.
    case keyText
    /// The key without its algorithm: the bits inside SubjectPublicKeyInfo, which are RSAPublicKey of PKCS #1 for RSA.
    case keyBits
    /// The PEM text of RSAPublicKey of PKCS #1.
    case keyBitsText
}

extension MistakenHash: CustomStringConvertible {
    /// Completes "the hash of …".
    public var description: String {
        switch self {
        case .certificate: "the whole certificate"
        case .certificateText: "the certificate's PEM text"
        case .keyText: "the key's PEM text"
        case .keyBits: "the key without its algorithm"
        case .keyBitsText: "the PEM text of the key without its algorithm"
        }
    }
}

/// The hashes that somebody may have taken for the pins of given certificates.
package struct MistakenHashes: Sendable {
    /// What a hash is of, and the right pin of that key.
    package struct Origin: Equatable, Sendable {
        package let kind: MistakenHash
        package let pin: Pin
    }

    private var origins: [Pin: Origin] = [:]

    package init() {}

    /// Adds a certificate in DER; one that cannot be read has only its own hashes, and no right pin to name.
    ///
    /// - Complexity: some 20 hashes over the certificate's bytes.
    package mutating func append(certificate: [UInt8]) {
        guard let walk = try? CertificateWalk(of: certificate.span) else { return }
        let info = walk.subjectPublicKeyInfo
        let pin = Pin(hashing: certificate.span.extracting(info.range))
        func add(_ bytes: [UInt8], _ kind: MistakenHash) {
            origins[Pin(hashing: bytes.span)] = Origin(kind: kind, pin: pin)
        }
        func add(text der: [UInt8], _ label: String, _ kind: MistakenHash) {
            for text in Self.texts(of: der, label: label) { add(text, kind) }
        }
        // The first byte of a bit string counts its unused bits.
        let bits = Array(certificate[info.key.dropFirst()])
        add(certificate, .certificate)
        add(text: certificate, "CERTIFICATE", .certificateText)
        add(text: Array(certificate[info.range]), "PUBLIC KEY", .keyText)
        add(bits, .keyBits)
        add(text: bits, "RSA PUBLIC KEY", .keyBitsText)
        origins[pin] = nil
    }

    /// What was hashed instead of the key; `nil` if the pin is not one of these hashes.
    package func origin(of pin: Pin) -> Origin? { origins[pin] }

    /// The forms of a PEM text: with either line end, with and without the last one, and its base64 alone in one line.
    private static func texts(of der: [UInt8], label: String) -> [[UInt8]] {
        let base64 = Base64.encode(der.span)
        let digits = Array(base64.utf8)
        let lines = stride(from: 0, to: digits.count, by: lineLength).map { start in
            String(decoding: digits[start..<min(start + lineLength, digits.count)], as: UTF8.self)
        }
        return ["\n", "\r\n"].flatMap { end in
            let body = lines.joined(separator: end)
            let text = "-----BEGIN \(label)-----\(end)\(body)\(end)-----END \(label)-----"
            return [text, text + end, body, body + end, base64 + end]
        }.map { Array($0.utf8) } + [digits]
    }

    /// Characters of base64 in one line of PEM (RFC 7468 2).
    private static let lineLength = 64
}
