/// A form of keys or identities that is known and not read. Each has a command that writes another one.
public enum OtherForm: String, Equatable, Sendable, CaseIterable {
    /// A key store of Java: JKS or JCEKS.
    case javaKeyStore
    /// A private key as OpenSSH writes it (PROTOCOL.key).
    case openSSH
    /// A private key of PuTTY.
    case putty
    /// PEM that OpenSSL encrypted with its own fields, `Proc-Type: 4,ENCRYPTED`. Its key derivation is one round of MD5.
    case encryptedByFields
    /// PKCS#12 in place of the certificates or the key of a pair.
    case pkcs12
    /// A public key alone.
    case publicKey
    /// A request for a certificate (PKCS#10).
    case certificateRequest

    /// The labels of blocks of PEM.
    static let labels: [(labels: [String], form: OtherForm)] = [
        (["OPENSSH PRIVATE KEY"], .openSSH), (["PUBLIC KEY", "RSA PUBLIC KEY"], .publicKey),
        (["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"], .certificateRequest), (["PKCS12"], .pkcs12),
    ]

    /// The form of a private key in a block of PEM with this label.
    init?(label: String) {
        guard let found = Self.labels.first(where: { $0.labels.contains(label) }) else { return nil }
        self = found.form
    }
}

extension OtherForm: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .javaKeyStore:
            "this is a key store of Java: write it as PKCS#12 with 'keytool -importkeystore -srckeystore FILE -destkeystore identity.p12 "
                + "-deststoretype PKCS12', and give identity.p12"
        case .openSSH:
            "this is a key of OpenSSH: copy the file, and write the copy as PEM with 'ssh-keygen -p -m PKCS8 -f COPY'"
        case .putty: "this is a key of PuTTY: write it as PEM with 'puttygen FILE -O private-openssh -o key.pem'"
        case .encryptedByFields:
            "this key is encrypted in OpenSSL's old form ('Proc-Type: 4,ENCRYPTED'), whose key derivation is one round of MD5: write it anew "
                + "with 'openssl pkcs8 -topk8 -in FILE -out key.pem'"
        case .pkcs12:
            "this is PKCS#12, which has the certificates and the key: give it alone, without another file for the key"
        case .publicKey: "this is a public key: give the private key that was made with it"
        case .certificateRequest:
            "this is a request for a certificate: give the certificate that the authority made of it"
        }
    }
}
