internal import SPKIPins

/// Which of the certificates at hand may have issued which, by name and key identifier; no signature is checked.
///
/// - Complexity: each question costs O(*n*) in the certificates that it meets, whatever names they have.
struct AuthorityGraph {
    let certificates: [KnownCertificate]
    private var places: [Pin: [Int]] = [:]
    /// By what they are asked for as issuers, and by what they ask of theirs.
    let issuers: CertificateGroups
    let issued: CertificateGroups
    private let memory = Memory()

    /// Answers that are asked for again: pins stand in many entries.
    private final class Memory {
        /// The most keys that are kept, in all answers together; then everything is worked out anew.
        static let mostKeys = 1 << 20

        var above: [Pin: Set<Pin>] = [:]
        var keys = 0
        var authorities: [Pin: Authorities] = [:]
    }

    /// Whom a key stands and falls with.
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

    /// Where in `certificates` those of a key are.
    func indices(of pin: Pin) -> [Int] { places[pin] ?? [] }

    /// The certificates of a key; several where it is cross-signed or was renewed.
    func certificates(of pin: Pin) -> [KnownCertificate] { indices(of: pin).map { certificates[$0] } }

    /// Whether a certificate at hand may have issued `certificate`, with another key than its own and than `keys`.
    func hasIssuer(_ certificate: KnownCertificate, besides keys: Set<Pin> = []) -> Bool {
        issuers.hasKey(matching: certificate.ofIssuer, besides: certificate.pin, and: keys)
    }

    /// The certificates that the key of `pin` may have issued, those of its own key left out.
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

    /// The keys that stand above a key on any path, itself left out.
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

    /// The name at the upper ends of all paths, if it is one; none for an unknown key.
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
    /// What a certificate that it has issued asks for.
    var asIssuer: CertificateGroups.Query { .init(name: subject, identifier: ownIdentifier) }
    /// What it asks of its issuer.
    var ofIssuer: CertificateGroups.Query { .init(name: issuer, identifier: issuerIdentifier) }
}
