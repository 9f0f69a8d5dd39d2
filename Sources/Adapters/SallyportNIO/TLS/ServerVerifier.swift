internal import Foundation
internal import Hostnames
internal import NIOSSL
internal import SPKIPins
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
    /// The trust of the system; `nil` where a file has the system's roots.
    private let evaluation: SystemTrust.Evaluation?
    private let floor: KeyFloor
    private let revocation: RevocationLists
    private let onPinFailure: (@Sendable (PinReport) -> Void)?

    /// A verifier with the roots of the system.
    init(_ floor: KeyFloor) {
        (own, ownStore, usesSystemRoots, self.floor) = ([], CertificateStore(), true, floor)
        revocation = RevocationLists()
        evaluation = Self.systemEvaluation
        onPinFailure = nil
    }

    /// The trust of the system, unless the variable names a file.
    private static var systemEvaluation: SystemTrust.Evaluation? {
        SystemRoots.named == nil ? SystemTrust.evaluation : nil
    }

    init(
        _ roots: TLSSettings.Roots,
        _ floor: KeyFloor,
        _ revocation: RevocationLists = RevocationLists(),
        onPinFailure: (@Sendable (PinReport) -> Void)? = nil,
        evaluation: SystemTrust.Evaluation? = Self.systemEvaluation
    ) throws(TLSError) {
        self.floor = floor
        self.revocation = revocation
        self.evaluation = evaluation
        self.onPinFailure = onPinFailure
        var read: [Certificate] = []
        for (index, bytes) in roots.certificates.enumerated() {
            guard let certificate = try? Certificate(derEncoded: bytes) else {
                // Such a key is the one defect that has a name of its own.
                throw KeyFloor.weakness(ofRoot: bytes).map { .weakRoot(index: index, key: $0) }
                    ?? .unreadableRoot(index: index)
            }
            read.append(certificate)
        }
        (own, ownStore) = (read, CertificateStore(read))
        usesSystemRoots = if case .certificates = roots { false } else { true }
    }

    /// Begins to read the roots of the system, so that they are there when the server has sent its certificates.
    func prepare() { if usesSystemRoots, evaluation == nil { _ = SystemRoots.shared } }

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
        let found = await findPath(presented, of: origin, handler, now: now)
        await reportPins(found, presented, of: origin, handler, now: now)
        switch found {
        case .success(let path): return .success(path.chain)
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
        case .failure(.rejected(let refusal, _)): return .failure(.serverRejected(origin, refusal))
        case .failure(.cancelled):
            return .failure(.handshakeFailed(origin, reason: "the connection was closed"))
        }
    }

    /// A path that may be used.
    private struct Path {
        let chain: NIOSSL.ValidatedCertificateChain
        /// Why no pin matches it, if the entry of the host only reports.
        let mismatch: PinMismatch?
    }

    /// Reports that no pin matches, whether the entry of the host enforces or only reports.
    private func reportPins(
        _ found: Result<Path, ServerPathPolicy.Finding>,
        _ presented: [NIOSSLCertificate],
        of origin: Origin,
        _ handler: ChallengeHandler,
        now: Date
    ) async {
        guard let onPinFailure else { return }
        let mismatch: PinMismatch
        switch found {
        case .success(let path):
            guard let first = path.mismatch else { return }
            // An entry that enforces would have let the search go on to another path, which may have a pin.
            let trial = await findPath(presented, of: origin, handler, now: now, isTrial: true)
            guard case .failure(.rejected) = trial else { return }
            mismatch = first
        case .failure(.rejected(_, let rejected?)): mismatch = rejected
        case .failure: return
        }
        let served = try? PresentedChain(copying: presented.compactMap { try? $0.toDERBytes() })
        let time = Int64(now.timeIntervalSince1970)
        onPinFailure(PinReport(mismatch, host: origin.host, port: origin.port, served: served, at: time))
    }

    /// - Parameter isTrial: whether entries that only report count as enforcing ones, and no event is sent.
    private func findPath(
        _ presented: [NIOSSLCertificate],
        of origin: Origin,
        _ handler: ChallengeHandler,
        now: Date,
        isTrial: Bool = false
    ) async -> Result<Path, ServerPathPolicy.Finding> {
        guard presented.count <= Self.mostCertificates else {
            return .failure(.invalid(.tooManyCertificates(count: presented.count, limit: Self.mostCertificates)))
        }
        let bytes = presented.map { (try? $0.toDERBytes()) ?? [] }
        let certificates = bytes.map { try? Certificate(derEncoded: $0) }
        guard let first = certificates.first, let leaf = first else {
            return .failure(.invalid(bytes.first.flatMap(floor.problem(ofUnread:)) ?? .unreadable))
        }
        if let weak = floor.problem(of: leaf) { return .failure(.invalid(weak)) }
        let policy = ServerPathPolicy(
            host: origin.host,
            handler: handler,
            floor: floor,
            revocation: revocation,
            now: now,
            isTrial: isTrial
        )
        let system = usesSystemRoots ? await verdict(bytes, certificates, of: origin, now: now) : nil
        let roots = system?.roots.appending(contentsOf: own) ?? ownStore
        var verifier = Verifier(rootCertificates: roots) { policy }
        let others = PresentedCertificates(certificates.dropFirst().compactMap(\.self) + (system?.issuers ?? []))
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: others))
        guard case .validCertificate(let path) = result else {
            if let finding = policy.finding { return .failure(finding) }
            let tooMany = InvalidServer.tooManyPaths(limit: PresentedCertificates.mostSearches)
            guard !others.isExhausted else { return .failure(.invalid(tooMany)) }
            if let problem = system?.problem { return .failure(.invalid(problem)) }
            // An authority that is not read is on no path.
            let unread = zip(bytes, certificates).dropFirst().filter { $0.1 == nil }.map(\.0)
            let weak = unread.lazy.compactMap(floor.problem(ofUnread:)).first
            return .failure(.invalid(weak ?? noPath(from: leaf, policy)))
        }
        guard let chain = try? path.map({ try NIOSSLCertificate(bytes: $0.der, format: .der) }) else {
            return .failure(.invalid(.unreadable))
        }
        return .success(Path(chain: NIOSSL.ValidatedCertificateChain(chain), mismatch: policy.mismatch))
    }

    private func verdict(
        _ presented: [[UInt8]],
        _ certificates: [Certificate?],
        of origin: Origin,
        now: Date
    ) async -> SystemVerdict {
        guard let evaluation else { return SystemVerdict(await SystemRoots.shared.value) }
        let path = await SystemVerdict.path(from: presented, to: origin.host, evaluation)
        return SystemVerdict(path, of: certificates, at: now)
    }

    private func noPath(from leaf: Certificate, _ policy: ServerPathPolicy) -> InvalidServer {
        let unknown = leaf.extensions.first { $0.critical && !policy.verifyingCriticalExtensions.contains($0.oid) }
        if let unknown { return .brokenRule("unknown critical extension \(unknown.oid)") }
        return .unknownAuthority(issuer: "\(leaf.issuer)")
    }
}
