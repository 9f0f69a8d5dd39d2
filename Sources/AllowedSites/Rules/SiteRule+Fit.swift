internal import Hostnames

/// How far a rule, whose host is the right one, goes along with a request.
enum RuleFit: Comparable {
    case otherScheme
    case otherPort
    case otherPath
    case full
}

extension SiteRule {
    /// How far this rule goes along with a request to a host of its place.
    ///
    /// - Parameter isCertain: whether `path` has no ``PathDoubt``.
    func fit(_ origin: Origin, path: String, isCertain: Bool) -> RuleFit {
        switch (schemes, origin.scheme) {
        case (.both, _), (.https, .https), (.http, .http): break
        case (.https, .http), (.http, .https): return .otherScheme
        }
        let isPortRight =
            switch port {
            case .schemeDefault: origin.port == origin.scheme.defaultPort
            case .number(let number): origin.port == number
            case .any: true
            }
        guard isPortRight else { return .otherPort }
        return covers(path, isCertain: isCertain) ? .full : .otherPath
    }

    /// Whether the rule speaks about `path`; in doubt an allowing rule does not and an exception does.
    func covers(_ path: String, isCertain: Bool) -> Bool {
        guard let prefix = self.path else { return true }
        if isException { return !isCertain || prefix.possiblyCovers(path) }
        return isCertain && prefix.certainlyCovers(path)
    }
}
