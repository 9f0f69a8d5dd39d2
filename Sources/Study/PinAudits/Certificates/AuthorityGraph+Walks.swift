internal import SPKIPins

extension AuthorityGraph {
    /// A walk up from one key after another, which goes no way twice.
    struct Climb {
        private let graph: AuthorityGraph
        private var queries: Set<CertificateGroups.Query> = []
        private var groups: Set<Int> = []
        private var keys: Set<Pin> = []

        init(in graph: AuthorityGraph) { self.graph = graph }

        /// The keys above that of `pin`, itself left out, that were not met from the keys before.
        mutating func keysAbove(_ pin: Pin) -> [Pin] {
            var met: [Pin] = []
            var rest = [pin]
            while let key = rest.popLast() {
                for certificate in graph.certificates(of: key) where queries.insert(certificate.ofIssuer).inserted {
                    for group in graph.issuers.matching(certificate.ofIssuer) where groups.insert(group).inserted {
                        for issuer in graph.issuers.groups[group].keys
                        where issuer != pin && keys.insert(issuer).inserted {
                            met.append(issuer)
                            rest.append(issuer)
                        }
                    }
                }
            }
            return met
        }
    }

    /// The certificates, by their indices, from which a path leads to its end without any of `keys`.
    func certificatesWithPath(avoiding keys: Set<Pin>) -> Set<Int> {
        // From the ends down: what an open certificate may have issued is open as well.
        var rest = certificates.indices.filter { index in
            !keys.contains(certificates[index].pin) && !hasIssuer(certificates[index])
        }
        var open = Set(rest)
        var queries: [CertificateGroups.Query: Visits] = [:]
        var groups: [Int: Visits] = [:]
        while let next = rest.popLast() {
            let issuer = certificates[next]
            guard queries[issuer.asIssuer, default: Visits()].isWorthwhile(by: issuer.pin) else { continue }
            for group in issued.matching(issuer.asIssuer) {
                guard groups[group, default: Visits()].isWorthwhile(by: issuer.pin) else { continue }
                for index in issued.groups[group].members {
                    let pin = certificates[index].pin
                    guard pin != issuer.pin, !keys.contains(pin), open.insert(index).inserted else { continue }
                    rest.append(index)
                }
            }
        }
        return open
    }

    /// The keys that visited a group. A visit skips certificates of the visiting key, so a second key may find more; a
    /// third cannot.
    private struct Visits {
        private var first: Pin?
        private var isDone = false

        mutating func isWorthwhile(by pin: Pin) -> Bool {
            guard !isDone, first != pin else { return false }
            isDone = first != nil
            first = first ?? pin
            return true
        }
    }
}
