/// The encryptions of PKCS#12 files that OpenSSL writes.
enum Encryption: String, CaseIterable, Sendable {
    case aes256, aes192, aes128, tripleDESWithPBES2, tripleDES, twoKeyTripleDES, rc2WithKey40, rc2WithKey128, none

    var options: [String] {
        switch self {
        case .aes256: []
        case .aes192: both("AES-192-CBC")
        case .aes128: both("AES-128-CBC")
        case .tripleDESWithPBES2: both("DES-EDE3-CBC")
        case .tripleDES: both("PBE-SHA1-3DES")
        case .twoKeyTripleDES: both("PBE-SHA1-2DES")
        // What -legacy writes by itself: the key with Triple DES, the certificates with RC2-40.
        case .rc2WithKey40: ["-legacy"]
        case .rc2WithKey128: ["-legacy"] + both("PBE-SHA1-RC2-128")
        case .none: both("NONE")
        }
    }

    private func both(_ name: String) -> [String] { ["-keypbe", name, "-certpbe", name] }
}
