internal import Hostnames

/// How far a rule, whose host is the right one, goes along with a request.
enum RuleFit: Comparable {
    case otherScheme
    case otherPort
    case otherPath
    case full
}

extension TrieImage {
    /// How far a rule with this constraint goes along with a request to a host of its place.
    func fit(_ constraint: Constraint, _ request: SiteRequest<some Sequence<UInt8>>) -> RuleFit {
        switch (constraint.schemes, request.scheme) {
        case (.both, _), (.https, .https), (.http, .http): break
        case (.https, .http), (.http, .https): return .otherScheme
        }
        let isPortRight =
            switch constraint.port {
            case .schemeDefault: request.port == request.scheme.defaultPort
            case .number(let number): request.port == number
            case .any: true
            }
        guard isPortRight else { return .otherPort }
        return covers(constraint, request.path) ? .full : .otherPath
    }

    /// Whether the rule speaks about `path`; in doubt an allowing rule does not and an exception does.
    private func covers(_ constraint: Constraint, _ path: some Sequence<UInt8>) -> Bool {
        guard constraint.path > 0 else { return true }
        let prefix = unsafe pathBytes(constraint.path)
        let isCertain = PathDoubt.first(in: path) == nil
        if constraint.isException { return !isCertain || (unsafe PathPrefix.possiblyCovers(prefix, path)) }
        return isCertain && (unsafe PathPrefix.certainlyCovers(prefix, path))
    }
}
