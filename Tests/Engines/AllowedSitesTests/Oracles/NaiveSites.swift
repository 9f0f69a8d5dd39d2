/// A host as the oracle sees it: a name in lower case, or the bits of an address as `0` and `1`.
enum NaiveHost: Equatable {
    case name(String)
    case bits(String)
}

/// A rule as its parts, without parsing.
struct NaiveRule {
    var isException = false
    /// `http`, `https`, `*`, or `nil` where the text has none.
    var scheme: String?
    /// A canonical host; of a network, the shared bits alone.
    var host: NaiveHost
    var isWildcard = false
    /// Digits, `*`, or `nil` where the text has none.
    var port: String?
    var path: String?
    var line = 0
}

/// A request as its parts.
struct NaiveRequest {
    var scheme: String
    var host: NaiveHost
    var port: Int
    var path: String
}

/// The meaning of a list, rule by rule: find every rule for the host, keep the most specific ones, see which fits.
struct NaiveSites {
    var rules: [NaiveRule]

    /// `allowed 3`, `exception 4`, `otherScheme 1`, `otherPort 1`, `otherPath 1`, `uncertainPath 1` or `noRule`.
    func answer(_ request: NaiveRequest) -> String {
        var candidates = rules.filter { speaks($0, of: request.host) }
        var firstRefusal = "noRule"
        while let narrowest = candidates.map(specificity).max() {
            let group = candidates.filter { specificity($0) == narrowest }
            let fitting = group.filter {
                isSchemeRight($0, request) && isPortRight($0, request) && isPathRight($0, request)
            }
            if let longest = fitting.map({ NaivePath.length(ofRule: $0.path) }).max() {
                let best = fitting.filter { NaivePath.length(ofRule: $0.path) == longest }
                if let exception = best.first(where: \.isException) { return "exception \(exception.line)" }
                return "allowed \(best[0].line)"
            }
            // Rules that allow decide alone, so theirs is the reason; exceptions are the reason only if nothing else is.
            let allowing = group.filter { !$0.isException }
            if !allowing.isEmpty { return refusal(allowing, request) }
            if firstRefusal == "noRule" { firstRefusal = refusal(group, request) }
            candidates.removeAll { specificity($0) == narrowest }
        }
        return firstRefusal
    }

    private func refusal(_ group: [NaiveRule], _ request: NaiveRequest) -> String {
        let rightScheme = group.filter { isSchemeRight($0, request) }
        if let rule = rightScheme.first(where: { isPortRight($0, request) }) {
            return "\(NaivePath.isDoubtful(request.path) ? "uncertain" : "other")Path \(rule.line)"
        }
        if let rule = rightScheme.first { return "otherPort \(rule.line)" }
        return "otherScheme \(group[0].line)"
    }

    private func speaks(_ rule: NaiveRule, of host: NaiveHost) -> Bool {
        switch (rule.host, host) {
        case (.name(let ruled), .name(let asked)): rule.isWildcard ? asked.hasSuffix("." + ruled) : asked == ruled
        // The letter before the bits tells the families apart.
        case (.bits(let ruled), .bits(let asked)): asked.hasPrefix(ruled)
        default: false
        }
    }

    private func specificity(_ rule: NaiveRule) -> Int {
        switch rule.host {
        case .name(let name): rule.isWildcard ? name.count : 1_000_000
        case .bits(let bits): bits.count
        }
    }

    private func isSchemeRight(_ rule: NaiveRule, _ request: NaiveRequest) -> Bool {
        let scheme = rule.scheme ?? (rule.isException ? "*" : "https")
        return scheme == "*" || scheme == request.scheme
    }

    private func isPortRight(_ rule: NaiveRule, _ request: NaiveRequest) -> Bool {
        if let port = rule.port { return port == "*" || port == String(request.port) }
        return rule.isException || request.port == ["http": 80, "https": 443][request.scheme]
    }

    private func isPathRight(_ rule: NaiveRule, _ request: NaiveRequest) -> Bool {
        guard let path = rule.path else { return true }
        return rule.isException
            ? NaivePath.isPossiblyCovered(request.path, byRule: path)
            : NaivePath.isCertainlyCovered(request.path, byRule: path)
    }
}
