internal import Synchronization
internal import X509

/// The certificates that a server sent beside its own, with a bound on the search among them.
///
/// The verifier of swift-certificates follows every path. Certificates with one key, which have different names and issue each
/// other, form a path for each of their orders, so that a stranger could keep a processor busy for ever.
struct PresentedCertificates: CustomCertificateStore {
    /// The most searches for an issuer. Each step of a path takes one, and a good path has less than ten.
    static let mostSearches = 32

    /// How often issuers were searched for; shared by copies.
    private final class Count: Sendable { let searches = Mutex(0) }

    private var certificates: [DistinguishedName: [Certificate]]
    private let count = Count()

    init(_ certificates: some Sequence<Certificate>) {
        self.certificates = Dictionary(grouping: certificates, by: \.subject)
    }

    /// Whether a search was refused because there were too many.
    var isExhausted: Bool { count.searches.withLock { $0 > Self.mostSearches } }

    /// The certificates of `subject`; none after the bound, or if the task is cancelled.
    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async {
            guard !Task.isCancelled, let found = certificates[subject] else { return nil }
            return count.searches.withLock { searches in
                searches += 1
                return searches <= Self.mostSearches ? found : nil
            }
        }
    }

    func contains(_ certificate: Certificate) async -> Bool {
        certificates[certificate.subject]?.contains(certificate) ?? false
    }

    mutating func append(contentsOf more: some Sequence<Certificate>) {
        for certificate in more { certificates[certificate.subject, default: []].append(certificate) }
    }

    static func == (one: PresentedCertificates, other: PresentedCertificates) -> Bool { one.count === other.count }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(count)) }
}
