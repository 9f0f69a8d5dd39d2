internal import NIOSSL

/// A cipher of TLS 1.2 that is not offered unless ``TLSSettings/olderCiphers`` has it. Its raw value is the name of IANA's registry.
///
/// Those with RSA have no forward secrecy: who gets the server's key later can read what was recorded. Those with CBC have no AEAD, and a history
/// of attacks (RFC 7457).
public enum OlderCipher: String, CaseIterable, Sendable {
    /// `ECDHE-ECDSA-AES128-SHA` of OpenSSL.
    case ecdheECDSAWithAES128CBC = "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"
    /// `ECDHE-ECDSA-AES256-SHA` of OpenSSL.
    case ecdheECDSAWithAES256CBC = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"
    /// `ECDHE-RSA-AES128-SHA` of OpenSSL.
    case ecdheRSAWithAES128CBC = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
    /// `ECDHE-RSA-AES256-SHA` of OpenSSL.
    case ecdheRSAWithAES256CBC = "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"
    /// `AES128-GCM-SHA256` of OpenSSL.
    case rsaWithAES128GCM = "TLS_RSA_WITH_AES_128_GCM_SHA256"
    /// `AES256-GCM-SHA384` of OpenSSL.
    case rsaWithAES256GCM = "TLS_RSA_WITH_AES_256_GCM_SHA384"
    /// `AES128-SHA` of OpenSSL.
    case rsaWithAES128CBC = "TLS_RSA_WITH_AES_128_CBC_SHA"
    /// `AES256-SHA` of OpenSSL.
    case rsaWithAES256CBC = "TLS_RSA_WITH_AES_256_CBC_SHA"

    /// The cipher with the name of IANA or of OpenSSL; `nil` if there is none.
    public init?(named name: String) {
        guard let cipher = Self.allCases.first(where: { $0.rawValue == name || $0.nameInOpenSSL == name }) else {
            return nil
        }
        self = cipher
    }

    /// The name that `openssl ciphers` prints.
    public var nameInOpenSSL: String {
        switch self {
        case .ecdheECDSAWithAES128CBC: "ECDHE-ECDSA-AES128-SHA"
        case .ecdheECDSAWithAES256CBC: "ECDHE-ECDSA-AES256-SHA"
        case .ecdheRSAWithAES128CBC: "ECDHE-RSA-AES128-SHA"
        case .ecdheRSAWithAES256CBC: "ECDHE-RSA-AES256-SHA"
        case .rsaWithAES128GCM: "AES128-GCM-SHA256"
        case .rsaWithAES256GCM: "AES256-GCM-SHA384"
        case .rsaWithAES128CBC: "AES128-SHA"
        case .rsaWithAES256CBC: "AES256-SHA"
        }
    }

    private var inNIOSSL: NIOTLSCipher {
        switch self {
        case .ecdheECDSAWithAES128CBC: .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA
        case .ecdheECDSAWithAES256CBC: .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA
        case .ecdheRSAWithAES128CBC: .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
        case .ecdheRSAWithAES256CBC: .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA
        case .rsaWithAES128GCM: .TLS_RSA_WITH_AES_128_GCM_SHA256
        case .rsaWithAES256GCM: .TLS_RSA_WITH_AES_256_GCM_SHA384
        case .rsaWithAES128CBC: .TLS_RSA_WITH_AES_128_CBC_SHA
        case .rsaWithAES256CBC: .TLS_RSA_WITH_AES_256_CBC_SHA
        }
    }

    /// What is offered in TLS 1.2: what RFC 9325 section 4.2 recommends, which BoringSSL has all of, and then these. The order is that of NIOSSL's
    /// default.
    static func offered(with older: [OlderCipher]) -> [NIOTLSCipher] {
        let recommended: [NIOTLSCipher] = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return recommended + allCases.filter(older.contains).map(\.inNIOSSL)
    }
}
