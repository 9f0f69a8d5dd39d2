internal import Synchronization
internal import X509

/// The revocation lists in use. Newer ones replace them while connections are made.
///
/// A certificate of a server's path is refused if its issuer's list has its serial number. An authority without a list here is not asked. Of
/// several lists of one authority each counts: a certificate is revoked if one of them has it.
///
/// What is shared with ``TLSSettings`` stays in use: the copies have the same lists.
public final class RevocationLists: Sendable {
    private struct State {
        var lists: [DistinguishedName: [RevocationList]] = [:]
        /// The authorities that were on a path.
        var seen: Set<DistinguishedName> = []
        var hasJudged = false
    }

    private let state = Mutex(State())

    /// Takes lists, or none.
    public init(_ lists: [RevocationList] = []) { replace(by: lists) }

    /// Replaces all lists. Connections that are open stay open.
    public func replace(by lists: [RevocationList]) {
        let grouped = Dictionary(grouping: lists, by: \.name)
        state.withLock { $0.lists = grouped }
    }

    /// Whether the set is empty, so that nothing is checked.
    public var isEmpty: Bool { state.withLock { $0.lists.isEmpty } }

    /// The names of the authorities with a list (RFC 4514), in alphabetical order.
    public var issuers: [String] { state.withLock { $0.lists.keys.map { "\($0)" } }.sorted() }

    /// When the first list ends, in seconds since 1970-01-01T00:00:00Z; `nil` without lists.
    package var earliestUpdate: Int64? { state.withLock { $0.lists.values.joined().map(\.nextUpdate).min() } }

    /// The authorities with a list that were on no path since the beginning, although there were paths. Their lists have checked nothing.
    package var unusedIssuers: [String] {
        state.withLock { state in
            state.hasJudged ? state.lists.keys.filter { !state.seen.contains($0) }.map { "\($0)" } : []
        }.sorted()
    }

    /// Why the lists refuse a path, leaf to root; `nil` if they do not. The root is not looked for: those who trust it decide about it.
    ///
    /// - Parameter now: seconds since 1970-01-01T00:00:00Z.
    func problem(of path: some Collection<Certificate>, at now: Int64) -> InvalidServer? {
        let lists = state.withLock { $0.lists }
        guard !lists.isEmpty else { return nil }
        for (certificate, issuer) in zip(path, path.dropFirst()) {
            for list in lists[certificate.issuer] ?? [] where !list.isOfOtherKey(than: issuer) {
                state.withLock { _ = $0.seen.insert(list.name) }
                if let problem = Self.problem(of: certificate, issuer, list, at: now) { return problem }
            }
        }
        state.withLock { $0.hasJudged = true }
        return nil
    }

    private static func problem(
        of certificate: Certificate,
        _ issuer: Certificate,
        _ list: RevocationList,
        at now: Int64
    ) -> InvalidServer? {
        // A forged list that were passed over would be as good as none.
        guard list.isSigned(by: issuer.publicKey) else {
            return .unusableRevocationList(issuer: list.issuer, .otherSignature)
        }
        guard issuer.maySignLists else { return .unusableRevocationList(issuer: list.issuer, .issuerMayNotSign) }
        // Before the times, because a certificate on an old list is revoked all the same.
        if let entry = list.entry(of: certificate.serialNumber.bytes) {
            return .revoked(subject: "\(certificate.subject)", date: entry.date, entry.reason)
        }
        return list.defect(at: now).map { .unusableRevocationList(issuer: list.issuer, $0) }
    }
}

extension Certificate {
    /// Whether keyUsage allows signatures of lists (RFC 5280 section 6.3.3 (f)); no extension allows any use.
    fileprivate var maySignLists: Bool {
        guard extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        return (try? extensions.keyUsage)?.cRLSign == true
    }
}
