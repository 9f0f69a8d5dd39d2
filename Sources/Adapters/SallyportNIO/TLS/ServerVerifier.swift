internal import Foundation
internal import Hostnames
internal import NIOSSL
internal import Sallyport
internal import SwiftASN1
internal import X509

/// Searches for a path from a server's certificate to a trusted root that the host and the pins of the profile allow.
struct ServerVerifier: Sendable {
    /// The most certificates that a server may send.
    static let mostCertificates = 16

    /// The roots that the settings name.
    private let own: [Certificate]
    /// The same as a store, for a verifier without the system's.
    private let ownStore: CertificateStore
    private let usesSystemRoots: Bool
    private let floor: KeyFloor

    /// A verifier with the roots of the system.
    init(_ floor: KeyFloor) {
        (own, ownStore, usesSystemRoots, self.floor) = ([], CertificateStore(), true, floor)
    }

    init(_ roots: TLSSettings.Roots, _ floor: KeyFloor) throws(TLSError) {
        self.floor = floor
        var read: [Certificate] = []
        for (index, bytes) in roots.certificates.enumerated() {
            guard let certificate = try? Certificate(derEncoded: bytes) else { throw .unreadableRoot(index: index) }
            read.append(certificate)
        }
        (own, ownStore) = (read, CertificateStore(read))
        usesSystemRoots = if case .certificates = roots { false } else { true }
    }

    /// Begins to read the roots of the system, so that they are there when the server has sent its certificates.
    func prepare() { if usesSystemRoots { _ = SystemRoots.shared } }

    /// Verifies what a server presented, the leaf first and the others in any order.
    ///
    /// A server that is not valid is verified all the same if the profile trusts its key at this host.
    ///
    /// - Returns: the path, leaf to root.
    func verify(
        _ presented: [NIOSSLCertificate],
        of origin: Origin,
        _ handler: ChallengeHandler
    ) async -> Result<NIOSSL.ValidatedCertificateChain, TLSError> {
        let now = Date()
        switch await findPath(presented, of: origin, handler, now: now) {
        case .success(let chain): return .success(chain)
        case .failure(.invalid(let reason)):
            // A bound on what is read keeps the certificates of an error small.
            let chain = presented.prefix(Self.mostCertificates).compactMap { try? $0.toDERBytes() }
            let seconds = Int64(now.timeIntervalSince1970)
            if reason.canBeTrusted, let leaf = presented.first, let bytes = chain.first,
                handler.trustsKey(of: bytes, at: origin.host, now: seconds)
            {
                return .success(NIOSSL.ValidatedCertificateChain([leaf]))
            }
            return .failure(.serverNotValidated(origin, reason, chain: chain))
        case .failure(.rejected(let refusal)): return .failure(.serverRejected(origin, refusal))
        case .failure(.cancelled):
            return .failure(.handshakeFailed(origin, reason: "the connection was closed"))
        }
    }

    private func findPath(
        _ presented: [NIOSSLCertificate],
        of origin: Origin,
        _ handler: ChallengeHandler,
        now: Date
    ) async -> Result<NIOSSL.ValidatedCertificateChain, ServerPathPolicy.Finding> {
        guard presented.count <= Self.mostCertificates else {
            return .failure(.invalid(.tooManyCertificates(count: presented.count, limit: Self.mostCertificates)))
        }
        let certificates = presented.map { try? Certificate(derEncoded: $0.toDERBytes()) }
        guard let first = certificates.first, let leaf = first else { return .failure(.invalid(.unreadable)) }
        if let weak = floor.problem(of: leaf) { return .failure(.invalid(weak)) }
        let policy = ServerPathPolicy(host: origin.host, handler: handler, floor: floor, now: now)
        let system = usesSystemRoots ? await SystemRoots.shared.value : nil
        let roots = system?.store.appending(contentsOf: own) ?? ownStore
        var verifier = Verifier(rootCertificates: roots) { policy }
        let others = PresentedCertificates(certificates.dropFirst().compactMap(\.self))
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: others))
        guard case .validCertificate(let path) = result else {
            if let finding = policy.finding { return .failure(finding) }
            let tooMany = InvalidServer.tooManyPaths(limit: PresentedCertificates.mostSearches)
            guard !others.isExhausted else { return .failure(.invalid(tooMany)) }
            if let problem = system?.problem { return .failure(.invalid(.noSystemRoots(reason: problem))) }
            return .failure(.invalid(noPath(from: leaf, policy)))
        }
        guard let chain = try? path.map({ try NIOSSLCertificate(bytes: $0.der, format: .der) }) else {
            return .failure(.invalid(.unreadable))
        }
        return .success(NIOSSL.ValidatedCertificateChain(chain))
    }

    private func noPath(from leaf: Certificate, _ policy: ServerPathPolicy) -> InvalidServer {
        let unknown = leaf.extensions.first { $0.critical && !policy.verifyingCriticalExtensions.contains($0.oid) }
        if let unknown { return .brokenRule("unknown critical extension \(unknown.oid)") }
        return .unknownAuthority(issuer: "\(leaf.issuer)")
    }
}
