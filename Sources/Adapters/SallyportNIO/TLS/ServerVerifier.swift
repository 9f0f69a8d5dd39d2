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

    private let roots: CertificateStore

    init(_ roots: TLSSettings.Roots) throws(TLSError) {
        var read: [Certificate] = []
        for (index, bytes) in roots.certificates.enumerated() {
            guard let certificate = try? Certificate(derEncoded: bytes) else { throw .unreadableRoot(index: index) }
            read.append(certificate)
        }
        switch roots {
        // The library loads these in the background, once for the process.
        case .system: self.roots = CertificateStore.systemTrustRoots
        case .certificates: self.roots = CertificateStore(read)
        case .systemAnd: self.roots = CertificateStore.systemTrustRoots.appending(contentsOf: read)
        }
    }

    /// Verifies what a server presented, the leaf first and the others in any order.
    ///
    /// - Returns: the path, leaf to root.
    func verify(
        _ presented: [NIOSSLCertificate],
        of origin: Origin,
        _ handler: ChallengeHandler
    ) async -> Result<NIOSSL.ValidatedCertificateChain, TLSError> {
        guard presented.count <= Self.mostCertificates else {
            let count = InvalidServer.tooManyCertificates(count: presented.count, limit: Self.mostCertificates)
            return .failure(.serverNotValidated(origin, count))
        }
        let certificates = presented.map { try? Certificate(derEncoded: $0.toDERBytes()) }
        guard let first = certificates.first, let leaf = first else {
            return .failure(.serverNotValidated(origin, .unreadable))
        }
        let policy = ServerPathPolicy(host: origin.host, handler: handler, now: Date())
        var verifier = Verifier(rootCertificates: roots) { policy }
        let others = PresentedCertificates(certificates.dropFirst().compactMap(\.self))
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: others))
        guard case .validCertificate(let path) = result else {
            switch policy.finding {
            case .rejected(let refusal): return .failure(.serverRejected(origin, refusal))
            case .invalid(let reason): return .failure(.serverNotValidated(origin, reason))
            case .cancelled: return .failure(.handshakeFailed(origin, reason: "the connection was closed"))
            case nil:
                let reason =
                    others.isExhausted
                    ? .tooManyPaths(limit: PresentedCertificates.mostSearches) : noPath(from: leaf, policy)
                return .failure(.serverNotValidated(origin, reason))
            }
        }
        guard let chain = try? path.map({ try NIOSSLCertificate(bytes: $0.der, format: .der) }) else {
            return .failure(.serverNotValidated(origin, .unreadable))
        }
        return .success(NIOSSL.ValidatedCertificateChain(chain))
    }

    private func noPath(from leaf: Certificate, _ policy: ServerPathPolicy) -> InvalidServer {
        let unknown = leaf.extensions.first { $0.critical && !policy.verifyingCriticalExtensions.contains($0.oid) }
        if let unknown { return .brokenRule("unknown critical extension \(unknown.oid)") }
        return .unknownAuthority(issuer: "\(leaf.issuer)")
    }
}
