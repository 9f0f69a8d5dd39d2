public import ClientCertificates
public import Credentials
public import NIOCore
public import NIOSSL
public import SPKIPins

/// How connections use TLS.
public struct TLSSettings: Sendable {
    /// The authorities that may vouch for servers.
    public enum Roots: Sendable {
        /// The roots of the system. On Linux: the file that `SSL_CERT_FILE` names, or else `/etc/ssl/certs/ca-certificates.crt` or
        /// `/etc/pki/tls/certs/ca-bundle.crt`. Without a readable one each server is ``InvalidServer/noSystemRoots(reason:)``.
        ///
        /// On Apple's systems: the file that `SSL_CERT_FILE` names, or else the trust of the system, which evaluates each server with its
        /// roots, the trust settings of the user and the administrator, and its rules. The path that it trusts must fulfil the rules of
        /// ``TLSConnector`` as well.
        case system
        /// These certificates only, in DER.
        case certificates([[UInt8]])
        /// The roots of the system and these certificates in DER, such as the authority of a company.
        case systemAnd([[UInt8]])

        /// The certificates beside those of the system.
        var certificates: [[UInt8]] {
            switch self {
            case .system: []
            case .certificates(let certificates), .systemAnd(let certificates): certificates
            }
        }
    }

    /// The authorities that may vouch for servers.
    public var roots: Roots = .system
    /// The keys of identities that were read from files, and that may be renewed while connections are made.
    public var identities = IdentityRing()
    /// Other private keys of the profile's client identities, by the identity's name; they come before the ring.
    ///
    /// Use keys in memory: NIOSSL reads a file during each handshake. `NIOSSLPKCS12Bundle` ends the process if a `.p12` file
    /// has no key or no certificate, so check such files before.
    public var identityKeys: [String: NIOSSLPrivateKeySource] = [:]
    /// The keys that sign elsewhere, such as on a smart card, by the identity's name. A name must not have a key in both.
    public var signingKeys: [String: any SigningKey] = [:]
    /// The weakest keys that certificates may have.
    public var keyFloor = KeyFloor()
    /// The lists of revoked certificates that servers are checked with. Replace them with ``RevocationLists/replace(by:)`` before they end.
    public var revocationLists = RevocationLists()
    /// The oldest version of TLS that is spoken.
    public var minimumVersion: TLSVersion = .tlsv12
    /// The ciphers of TLS 1.2 that are offered besides ECDHE with AES-GCM or ChaCha20-Poly1305, for a server that has no other. Each is weaker, so
    /// name those of one server only, in the settings of its connector. TLS 1.3 has no such ciphers.
    public var olderCiphers: [OlderCipher] = []
    /// Receives a report when no pin of the profile matches a valid chain, also for entries that only report; `nil` for none.
    ///
    /// It is called on the task that verifies the server, so it must not wait. `PinReporter` of `SallyportClient` sends the reports to a URL.
    public var onPinFailure: (@Sendable (PinReport) -> Void)?
    /// How long a handshake may take, the verification of the server included.
    public var handshakeLimit: TimeAmount = .seconds(10)

    /// The roots of the system, keys of 2,048 bits for RSA and 256 for curves, TLS 1.2 with ECDHE and AEAD ciphers, TLS 1.3, and no
    /// keys of our own.
    public init() {}
}
