import SPKIPins
import TestSupport

/// A certificate that says who issued what, for checks that believe it.
struct NamedCertificate {
    var key: String
    var issuer: String
    var isAuthority = false
    /// The key identifiers: of the own key and of the issuer's.
    var identifiers: (own: UInt8, issuer: UInt8)?
    var notBefore = "260101000000Z"
    var notAfter = "270101000000Z"

    var bytes: [UInt8] {
        var certificate = HandmadeCertificate()
        certificate[.keyBits] = der(0x03, [0] + [UInt8](key.utf8))
        // A key may change and keep its name: what follows a '#' is the key's alone.
        certificate[.subject] = Self.name(String(key.prefix { $0 != "#" }))
        certificate[.issuer] = Self.name(issuer)
        certificate[.notBefore] = der(0x17, [UInt8](notBefore.utf8))
        certificate[.notAfter] = der(0x17, [UInt8](notAfter.utf8))
        var extensions: [[UInt8]] = []
        if isAuthority {
            let constraints = der(0x04, der(0x30, der(0x01, [0xFF])))
            extensions.append(der(0x30, der(0x06, [0x55, 0x1D, 0x13]), der(0x01, [0xFF]), constraints))
        }
        if let identifiers {
            let own = der(0x04, der(0x04, [identifiers.own]))
            extensions.append(der(0x30, der(0x06, [0x55, 0x1D, 0x0E]), own))
            let issuer = der(0x04, der(0x30, der(0x80, [identifiers.issuer])))
            extensions.append(der(0x30, der(0x06, [0x55, 0x1D, 0x23]), issuer))
        }
        if !extensions.isEmpty { certificate[.afterKey] = der(0xA3, der(0x30, extensions.flatMap(\.self))) }
        return certificate.bytes
    }

    private static func name(_ text: String) -> [UInt8] {
        der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0C, [UInt8](text.utf8)))))
    }

    /// The pin of the key that certificates call so.
    static func pin(_ key: String) -> Pin {
        var certificate = HandmadeCertificate()
        certificate[.keyBits] = der(0x03, [0] + [UInt8](key.utf8))
        let info = certificate.subjectPublicKeyInfo
        return Pin(hashing: info.span)
    }
}
