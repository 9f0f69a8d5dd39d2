/// A kind of key that the audit has no checks for; identifiers are dotted, as in `1.3.101.112`.
public enum UnexaminedKey: Equatable, Sendable {
    /// The algorithm of the key is another one.
    case algorithm(identifier: String)
    /// The point lies on another curve.
    case curve(identifier: String)
}

extension UnexaminedKey: CustomStringConvertible {
    /// The kind of key, with its identifier and, if known, its name.
    public var description: String {
        switch self {
        case .algorithm(let identifier): "keys of the algorithm \(Self.called(identifier))"
        case .curve(let identifier): "points on the curve \(Self.called(identifier))"
        }
    }

    private static func called(_ identifier: String) -> String {
        names[identifier].map { "\($0) (\(identifier))" } ?? identifier
    }

    /// RFC 8410 section 3, RFC 3279 2.3.2, RFC 9881 section 2; RFC 5480 2.1.1.1, RFC 5639 4.1.
    private static let names = [
        "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448",
        "1.2.840.10040.4.1": "DSA", "2.16.840.1.101.3.4.3.17": "ML-DSA-44", "2.16.840.1.101.3.4.3.18": "ML-DSA-65",
        "2.16.840.1.101.3.4.3.19": "ML-DSA-87", "1.2.840.10045.3.1.1": "P-192",
        "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1", "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1",
    ]
}
