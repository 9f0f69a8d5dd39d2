/// A private key that signs assertions of a client in place of its secret (RFC 7523 section 2.2).
public enum AssertionKey: Sendable {
    /// ECDSA on P-256.
    case es256(ES256Key)
    /// RSA.
    case rsa(RSATokenKey)

    /// The name of its algorithm (RFC 7518 section 3.1).
    var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rsa(let key): key.algorithm.rawValue
        }
    }

    /// The compact form of a signed token.
    func sign(header: String, payload: String) -> String {
        switch self {
        case .es256(let key): key.sign(header: header, payload: payload)
        case .rsa(let key): key.sign(header: header, payload: payload)
        }
    }
}
