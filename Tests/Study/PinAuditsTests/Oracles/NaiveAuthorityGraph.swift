import SPKIPins

@testable import PinAudits

/// `AuthorityGraph` as one would write it down: each question goes over every certificate of a name, again and again.
struct NaiveAuthorityGraph {
    let certificates: [KnownCertificate]
    private var places: [Pin: [Int]] = [:]
    private var placesOfSubject: [KnownCertificate.Name: [Int]] = [:]
    private var placesOfIssuer: [KnownCertificate.Name: [Int]] = [:]

    init(of certificates: [KnownCertificate]) {
        self.certificates = certificates
        for (index, certificate) in certificates.enumerated() {
            places[certificate.pin, default: []].append(index)
            placesOfSubject[certificate.subject, default: []].append(index)
            placesOfIssuer[certificate.issuer, default: []].append(index)
        }
    }

    /// The certificates of a key; several where it is cross-signed or was renewed.
    func certificates(of pin: Pin) -> [KnownCertificate] { (places[pin] ?? []).map { certificates[$0] } }

    /// The certificates that may have issued `certificate`, other than those of its own key.
    func issuers(of certificate: KnownCertificate) -> [KnownCertificate] {
        (placesOfSubject[certificate.issuer] ?? []).map { certificates[$0] }
            .filter { $0.pin != certificate.pin && $0.mayHaveIssued(certificate) }
    }

    /// The certificates that the key of `pin` may have issued, those of its own key left out.
    func issued(by pin: Pin) -> [KnownCertificate] {
        certificates(of: pin).flatMap { own in
            (placesOfIssuer[own.subject] ?? []).map { certificates[$0] }
                .filter { $0.pin != pin && own.mayHaveIssued($0) }
        }
    }

    /// The keys above a key on any path, without the key itself.
    func keysAbove(_ pin: Pin) -> Set<Pin> {
        var seen: Set<Pin> = []
        var rest = [pin]
        while let key = rest.popLast() {
            for certificate in certificates(of: key) {
                for issuer in issuers(of: certificate) where issuer.pin != pin && seen.insert(issuer.pin).inserted {
                    rest.append(issuer.pin)
                }
            }
        }
        return seen
    }

    /// The names at the upper ends of all paths: whom the key stands and falls with. Empty for an unknown key.
    func authorities(of pin: Pin) -> Set<KnownCertificate.Name> {
        var names: Set<KnownCertificate.Name> = []
        for key in keysAbove(pin).union([pin]) {
            for certificate in certificates(of: key) where issuers(of: certificate).isEmpty {
                names.insert(certificate.issuer)
            }
        }
        return names
    }

    /// Whether a path leads from the certificate at `index` to its end without any of `keys`.
    func hasPath(from index: Int, avoiding keys: Set<Pin>) -> Bool {
        var seen: Set<Int> = []
        var rest = [index]
        while let next = rest.popLast() {
            let certificate = certificates[next]
            guard !keys.contains(certificate.pin) else { continue }
            let issuers = certificates.indices.filter {
                certificates[$0].pin != certificate.pin && certificates[$0].mayHaveIssued(certificate)
            }
            if issuers.isEmpty { return true }
            rest += issuers.filter { seen.insert($0).inserted }
        }
        return false
    }
}
