/// A DER element with the shortest length (X.690 10.1).
package func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap(\.self)
    var bytes = [tag]
    switch contents.count {
    case ..<0x80: bytes.append(UInt8(contents.count))
    case ..<0x100: bytes += [0x81, UInt8(contents.count)]
    default: bytes += [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
    }
    return bytes + contents
}

/// The parts of a certificate, each of which a test may replace; `bytes` puts them together.
package struct HandmadeCertificate {
    package enum Part: String {
        case version, serial, innerAlgorithm, issuer, notBefore, notAfter, validityExtra, subject
        case keyAlgorithm, keyBits, keyExtra, afterKey, outerAlgorithm, signature, afterSignature
    }

    private var parts: [Part: [UInt8]] = [
        .version: der(0xA0, der(0x02, [2])),
        .serial: der(0x02, [1]),
        .innerAlgorithm: der(0x30, der(0x06, [0x2B, 0x65, 0x70])),
        .issuer: der(0x30),
        .notBefore: der(0x17, [UInt8]("260101000000Z".utf8)),
        .notAfter: der(0x17, [UInt8]("270101000000Z".utf8)),
        .subject: der(0x30),
        .keyAlgorithm: der(0x30, der(0x06, [0x2B, 0x65, 0x70])),
        .keyBits: der(0x03, [0, 1, 2, 3, 4]),
        .outerAlgorithm: der(0x30, der(0x06, [0x2B, 0x65, 0x70])),
        .signature: der(0x03, [0, 9, 9]),
    ]

    /// A certificate of version 3 whose Ed25519 key is invalid, valid for the year 2026.
    package init() {}

    package subscript(part: Part) -> [UInt8] {
        get { parts[part] ?? [] }
        set { parts[part] = newValue }
    }

    package var subjectPublicKeyInfo: [UInt8] { der(0x30, self[.keyAlgorithm], self[.keyBits], self[.keyExtra]) }

    package var toBeSigned: [UInt8] {
        let validity = der(0x30, self[.notBefore], self[.notAfter], self[.validityExtra])
        return der(
            0x30,
            self[.version],
            self[.serial],
            self[.innerAlgorithm],
            self[.issuer],
            validity,
            self[.subject],
            subjectPublicKeyInfo,
            self[.afterKey]
        )
    }

    package var bytes: [UInt8] {
        der(0x30, toBeSigned, self[.outerAlgorithm], self[.signature], self[.afterSignature])
    }
}
