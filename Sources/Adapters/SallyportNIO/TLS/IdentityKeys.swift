internal import ClientCertificates
internal import Credentials
internal import NIOSSL
internal import SPKIPins
internal import Secrets
internal import Synchronization
internal import WireFormat

/// The client identities in the form that NIOSSL presents.
final class IdentityKeys: Sendable {
    private typealias Prepared = (identity: ClientIdentity, override: NIOSSLContextConfigurationOverride)

    private let keys: [String: NIOSSLPrivateKeySource]
    private let signing: [String: any SigningKey]
    private let ring: IdentityRing
    // By name; a profile that replaces an identity replaces its entry.
    private let prepared = Mutex<[String: Prepared]>([:])

    /// - Throws: ``TLSError/twoKeys(identity:)``.
    init(
        _ keys: [String: NIOSSLPrivateKeySource],
        signing: [String: any SigningKey] = [:],
        _ ring: IdentityRing = IdentityRing()
    ) throws(TLSError) {
        if let name = signing.keys.sorted().first(where: { keys[$0] != nil }) { throw .twoKeys(identity: name) }
        self.keys = keys
        self.signing = signing
        self.ring = ring
    }

    /// Keys of a client that presents no certificate.
    init() { (keys, signing, ring) = ([:], [:], IdentityRing()) }

    /// Prepares the identities that have a key, so that a wrong pair is an error before the first connection.
    func prepare(_ identities: [ClientIdentity]) throws(TLSError) {
        for identity in identities where hasKey(identity) { _ = try override(for: identity) }
    }

    /// The algorithms of the identity's key, if it signs elsewhere.
    ///
    /// BoringSSL prefers algorithms by a list of its own, and such a key may not have all that fit its public key.
    func algorithms(of identity: ClientIdentity) -> [SigningAlgorithm]? { signing[identity.name]?.algorithms }

    /// The chain and key of `identity`.
    func override(for identity: ClientIdentity) throws(TLSError) -> NIOSSLContextConfigurationOverride {
        if let known = prepared.withLock({ $0[identity.name] }), known.identity == identity { return known.override }
        var override = NIOSSLContextConfigurationOverride()
        do {
            override.certificateChain = try identity.certificateChain.map {
                .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
            }
        } catch {
            throw .unusableIdentity(identity.name)
        }
        if let key = signing[identity.name] {
            // NIOSSL cannot compare a key that it does not hold, so a wrong pair would be an alert of the server.
            guard Self.is(key, of: identity.certificateChain[0]) else { throw .unusableIdentity(identity.name) }
            override.privateKey = .privateKey(NIOSSLPrivateKey(customPrivateKey: ExternalKey(key, of: identity.name)))
        } else if let key = try heldKey(of: identity) {
            override.privateKey = key
            // NIOSSL does not say in a handshake that the two do not match, so this context is made to ask.
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates([])
            configuration.certificateChain = override.certificateChain ?? []
            configuration.privateKey = key
            do { _ = try NIOSSLContext(configuration: configuration) } catch { throw .unusableIdentity(identity.name) }
        } else {
            throw .missingKey(identity: identity.name)
        }
        let entry = (identity, override)
        prepared.withLock { $0[identity.name] = entry }
        return override
    }

    private static func `is`(_ key: any SigningKey, of certificate: [UInt8]) -> Bool {
        guard !key.algorithms.isEmpty, let walk = try? CertificateWalk(of: certificate.span) else { return false }
        return certificate[walk.subjectPublicKeyInfo.range].elementsEqual(key.publicKeyInfo)
    }

    private func hasKey(_ identity: ClientIdentity) -> Bool {
        keys[identity.name] != nil || signing[identity.name] != nil || ring.key(of: identity) != nil
    }

    /// The key of `identity` that the TLS library holds; `nil` if there is none.
    private func heldKey(of identity: ClientIdentity) throws(TLSError) -> NIOSSLPrivateKeySource? {
        if let key = keys[identity.name] { return key }
        guard let key = ring.key(of: identity) else { return nil }
        var bytes = key.pkcs8.withBytes { [UInt8](copying: $0) }
        defer { erase(&bytes) }
        guard let read = try? NIOSSLPrivateKey(bytes: bytes, format: .der) else {
            throw .unusableIdentity(identity.name)
        }
        return .privateKey(read)
    }
}
