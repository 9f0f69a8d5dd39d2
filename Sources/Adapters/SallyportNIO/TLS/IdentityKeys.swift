internal import Credentials
internal import NIOSSL
internal import Synchronization

/// The client identities in the form that NIOSSL presents.
final class IdentityKeys: Sendable {
    private typealias Prepared = (identity: ClientIdentity, override: NIOSSLContextConfigurationOverride)

    private let keys: [String: NIOSSLPrivateKeySource]
    // By name; a profile that replaces an identity replaces its entry.
    private let prepared = Mutex<[String: Prepared]>([:])

    init(_ keys: [String: NIOSSLPrivateKeySource]) { self.keys = keys }

    /// Prepares the identities that have a key, so that a wrong pair is an error before the first connection.
    func prepare(_ identities: [ClientIdentity]) throws(TLSError) {
        for identity in identities where keys[identity.name] != nil { _ = try override(for: identity) }
    }

    /// The chain and key of `identity`.
    func override(for identity: ClientIdentity) throws(TLSError) -> NIOSSLContextConfigurationOverride {
        if let known = prepared.withLock({ $0[identity.name] }), known.identity == identity { return known.override }
        guard let key = keys[identity.name] else { throw .missingKey(identity: identity.name) }
        var override = NIOSSLContextConfigurationOverride()
        do {
            override.certificateChain = try identity.certificateChain.map {
                .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
            }
            override.privateKey = key
            // NIOSSL does not say in a handshake that the two do not match, so this context is made to ask.
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates([])
            configuration.certificateChain = override.certificateChain ?? []
            configuration.privateKey = key
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unusableIdentity(identity.name)
        }
        let entry = (identity, override)
        prepared.withLock { $0[identity.name] = entry }
        return override
    }
}
