internal import ChallengeHandling
public import ClientCertificates
public import CredentialStores
internal import Credentials
internal import Hostnames
internal import Secrets
internal import WireFormat

/// A client identity as a record of a credential store: the chain and the key, so that no file and no passphrase must be kept.
///
/// The record has the kind `CredentialKind.identity` and the name of the identity as its user. It belongs to no
/// server, so it is kept under a host of the reserved domain `invalid` (RFC 2606), which never asks for a credential. The secret:
///
/// ```
/// 0  2  layout, 1
/// 2  2  number of certificates, 1 at least
/// 4  4  number of bytes of the key
/// 8     the key: PrivateKeyInfo of PKCS#8
///       for each certificate, the key's own first: 4 bytes with its length, and DER
/// ```
///
/// Integers are little-endian.
public enum StoredIdentity {
    private static let layout: UInt16 = 1
    private static let origin = "https://client-identities.invalid"

    /// Where the records are; `nil` never happens, because the name is one.
    static var space: CredentialSpace? {
        guard let origin = try? Origin(parsing: origin) else { return nil }
        return .host(origin.host, scheme: .https)
    }

    /// The name of the record of an identity.
    public static func name(of identity: String) -> CredentialName? {
        space.map { CredentialName(space: $0, user: identity, kind: .identity) }
    }

    /// The question to a store for one identity, or for all if `identity` is `nil`.
    public static func query(for identity: String? = nil) -> CredentialQuery? {
        guard let origin = try? Origin(parsing: origin) else { return nil }
        return CredentialQuery(origin: origin, user: identity, kind: .identity)
    }

    /// Whether a record of a store is an identity.
    public static func isIdentity(_ name: CredentialName) -> Bool {
        name.kind == .identity && name.space == space
    }

    /// The record of an identity. It expires with the identity's certificate.
    ///
    /// - Parameters:
    ///   - identity: the certificates and the key.
    ///   - created: Unix time in seconds.
    public static func record(of identity: KeyedIdentity, created: Int64) -> StoredCredential? {
        guard let name = name(of: identity.identity.name) else { return nil }
        let chain = identity.identity.certificateChain
        let count = 8 + identity.key.pkcs8.count + chain.reduce(0) { $0 + 4 + $1.count }
        var bytes: [UInt8] = []
        // Room for all of it, so that growing leaves no copy of the key.
        bytes.reserveCapacity(count)
        bytes.append(littleEndian: layout)
        bytes.append(littleEndian: UInt16(chain.count))
        bytes.append(littleEndian: UInt32(identity.key.pkcs8.count))
        identity.key.pkcs8.withBytes { bytes.append(copying: $0) }
        for certificate in chain {
            bytes.append(littleEndian: UInt32(certificate.count))
            bytes += certificate
        }
        let secret = SharedSecret(SecretBytes(consuming: &bytes))
        let (end, overflow) = identity.notAfter.addingReportingOverflow(1)
        return StoredCredential(name: name, secret: secret, created: created, expires: overflow ? nil : end)
    }

    /// The identity of a record.
    ///
    /// - Throws: `IdentityError.Problem`, also if the record has another layout.
    public static func identity(of record: StoredCredential) throws(IdentityError.Problem) -> KeyedIdentity {
        guard isIdentity(record.name) else { throw .unsupported("kind \(record.name.kind.rawValue)") }
        return try record.secret.withBytes { bytes throws(IdentityError.Problem) in
            guard littleEndianUInt16(in: bytes, at: 0) == layout else { throw .unsupported("layout of the record") }
            guard let count = littleEndianUInt16(in: bytes, at: 2),
                (1...IdentityLimits.certificates).contains(Int(count)),
                let keyCount = littleEndianUInt32(in: bytes, at: 4).map(Int.init), keyCount <= bytes.count - 8
            else { throw .malformed(.file) }
            var place = 8 + keyCount
            var chain: [[UInt8]] = []
            for _ in 0..<count {
                guard let length = littleEndianUInt32(in: bytes, at: place).map(Int.init),
                    length <= bytes.count - place - 4
                else { throw .malformed(.file) }
                chain.append([UInt8](copying: bytes.extracting(place + 4..<place + 4 + length)))
                place += 4 + length
            }
            guard place == bytes.count else { throw .malformed(.file) }
            let key = try IdentityKey(pkcs8: SharedSecret(SecretBytes(copying: bytes.extracting(8..<8 + keyCount))))
            return try KeyedIdentity(name: record.name.user, certificates: chain, key: key)
        }
    }
}
