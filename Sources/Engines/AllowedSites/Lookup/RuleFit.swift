internal import Hostnames

/// How well a rule for the host of a request fits the rest of the request; the order is from worst to best.
enum RuleFit: Comparable {
    case otherScheme
    case otherPort
    case otherPath
    case full
}

extension TrieImage {
    /// How well a rule with this constraint fits a request to a host of its node.
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

    /// Whether the rule covers `path`. An exception covers an uncertain path, an allowing rule does not.
    private func covers(_ constraint: Constraint, _ path: some Sequence<UInt8>) -> Bool {
        guard constraint.path > 0 else { return true }
        let isCertain = PathDoubt.first(in: path) == nil
        if constraint.isException { return !isCertain || possiblyCovers(constraint.path, path) }
        return isCertain && certainlyCovers(constraint.path, path)
    }
}
