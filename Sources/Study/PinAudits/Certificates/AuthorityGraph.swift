internal import SPKIPins

/// Which of the given certificates may have issued which, by name and key identifier; signatures are not checked.
///
/// - Complexity: each query is O(*n*) in the certificates that it visits, even if all have one name.
struct AuthorityGraph {
    let certificates: [KnownCertificate]
    private var places: [Pin: [Int]] = [:]
    /// Certificates grouped by their subject and own key identifier, and by their issuer and its key identifier.
    let issuers: CertificateGroups
    let issued: CertificateGroups
    private let memory = Memory()

    /// A cache of answers, because many entries have the same pins.
    private final class Memory {
        /// The upper bound of keys in ``above``. When it is reached, the cache is emptied.
        static let mostKeys = 1 << 20

        var above: [Pin: Set<Pin>] = [:]
        var keys = 0
        var authorities: [Pin: Authorities] = [:]
    }

    /// The authorities that a key depends on.
    enum Authorities: Equatable {
        case none
        case one(KnownCertificate.Name)
        case several
    }

    init(of certificates: [KnownCertificate]) {
        self.certificates = certificates
        var (issuers, issued) = (CertificateGroups(), CertificateGroups())
        for (index, certificate) in certificates.enumerated() {
            places[certificate.pin, default: []].append(index)
            issuers.append(index, certificate.pin, as: certificate.asIssuer)
            issued.append(index, certificate.pin, as: certificate.ofIssuer)
        }
        self.issuers = issuers
        self.issued = issued
    }

    /// Indices in ``certificates`` of the certificates with a key.
    func indices(of pin: Pin) -> [Int] { places[pin] ?? [] }

    /// The certificates of a key; several if the key is cross-signed or was renewed.
    func certificates(of pin: Pin) -> [KnownCertificate] { indices(of: pin).map { certificates[$0] } }

    /// Whether a given certificate, whose key is neither that of `certificate` nor in `keys`, may have issued
    /// `certificate`.
    func hasIssuer(_ certificate: KnownCertificate, besides keys: Set<Pin> = []) -> Bool {
        issuers.hasKey(matching: certificate.ofIssuer, besides: certificate.pin, and: keys)
    }

    /// The certificates that the key of `pin` may have issued, without those of the key itself.
    func issued(by pin: Pin) -> [KnownCertificate] {
        var queries: Set<CertificateGroups.Query> = []
        var groups: Set<Int> = []
        var found: [KnownCertificate] = []
        for own in certificates(of: pin) where queries.insert(own.asIssuer).inserted {
            for group in issued.matching(own.asIssuer) where groups.insert(group).inserted {
                found += issued.groups[group].members.map { certificates[$0] }.filter { $0.pin != pin }
            }
        }
        return found
    }

    /// The keys above a key on any path, without the key itself.
    func keysAbove(_ pin: Pin) -> Set<Pin> {
        if let known = memory.above[pin] { return known }
        var climb = Climb(in: self)
        let above = Set(climb.keysAbove(pin))
        if memory.keys + above.count > Memory.mostKeys {
            memory.above = [:]
            memory.keys = 0
        }
        memory.above[pin] = above
        memory.keys += above.count
        return above
    }

    /// The names at the upper ends of all paths: none for an unknown key, one, or several.
    func authorities(of pin: Pin) -> Authorities {
        if let known = memory.authorities[pin] { return known }
        var found = Authorities.none
        search: for key in [pin] + keysAbove(pin) {
            for certificate in certificates(of: key) where !hasIssuer(certificate) {
                guard found == .none || found == .one(certificate.issuer) else {
                    found = .several
                    break search
                }
                found = .one(certificate.issuer)
            }
        }
        memory.authorities[pin] = found
        return found
    }
}

extension KnownCertificate {
    /// The query that finds this certificate as an issuer: its subject and own key identifier.
    var asIssuer: CertificateGroups.Query { .init(name: subject, identifier: ownIdentifier) }
    /// The query that finds its issuer: the issuer's name and key identifier.
    var ofIssuer: CertificateGroups.Query { .init(name: issuer, identifier: issuerIdentifier) }
}
