public import Hostnames

/// How a verdict came about, in words; made only when somebody asks.
public struct SiteExplanation: Equatable, Sendable {
    /// The answer; the same that ``SiteTrie/verdict(for:path:)`` gives.
    public let verdict: SiteVerdict
    /// What was looked at, in order, one line each.
    public let steps: [String]

    /// How many rules of one place are written out.
    static let maximumRulesPerPlace = 20
}

extension SiteExplanation: CustomStringConvertible {
    /// The steps, a line each, and the verdict in the last line.
    public var description: String {
        (steps + [verdict.description]).joined(separator: "\n")
    }
}

extension SiteTrie {
    /// Explains ``verdict(forURL:)``.
    ///
    /// - Complexity: that of the verdict, and one line of text for each place and rule that was looked at.
    public func explain(url: String) -> SiteExplanation {
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url)
            return explain(location.origin, path: location.path)
        } catch {
            return SiteExplanation(verdict: .invalid(error), steps: ["the URL does not name one certain place"])
        }
    }

    /// Explains ``verdict(for:path:)``.
    public func explain(_ origin: Origin, path: String) -> SiteExplanation {
        var steps = ["request: \(origin) with path \(path.isEmpty ? "/" : path.debugDescription)"]
        steps.append(hostStep(origin.host))
        if let (doubt, offset) = PathDoubt.first(in: path) {
            steps.append("the path is uncertain at offset \(offset): \(doubt)")
            steps.append("so no allowing rule with a path fits it, and every exception with a path does")
        }
        var walk = PlaceWalk(origin.host)
        var isOpen = true
        while isOpen, let place = nextPlace(&walk) {
            isOpen = explain(places[place], origin, path, &steps)
        }
        if isOpen { steps.append("no further rule speaks of this host") }
        return SiteExplanation(verdict: verdict(for: origin, path: path), steps: steps)
    }

    private func hostStep(_ host: Hostname) -> String {
        guard !host.isAddress else {
            return "host: the address \(host), looked up from the longest network to the shortest"
        }
        let labels = host.labelsFromRight.map { String(decoding: $0, as: UTF8.self) }
        return "host: a name, labels from the right: \(labels.joined(separator: ", "))"
    }

    /// Adds what one place says; returns whether a wider place is asked after it.
    private func explain(_ place: Place, _ origin: Origin, _ path: String, _ steps: inout [String]) -> Bool {
        let isCertain = PathDoubt.first(in: path) == nil
        let host = entries[order[place.rules.lowerBound]].rule.hostText
        steps.append("\(host) has \(place.rules.count) rule\(place.rules.count == 1 ? "" : "s")")
        for index in place.rules.prefix(SiteExplanation.maximumRulesPerPlace) {
            let entry = entries[order[index]]
            let fit = entry.rule.fit(origin, path: path, isCertain: isCertain)
            steps.append("  \(listNames[entry.list]), line \(entry.line): \(entry.rule): \(fit.words)")
        }
        let unnamed = place.rules.count - SiteExplanation.maximumRulesPerPlace
        if unnamed > 0 { steps.append("  and \(unnamed) more") }
        switch decision(at: place, origin, path) {
        case .winner(let position):
            let entry = entries[position]
            let kind = entry.rule.isException ? "exception" : "rule"
            steps.append("the \(kind) in line \(entry.line) wins: most specific host, then longest path, then '!'")
            return false
        case .closed:
            steps.append("none of them fits; the most specific host decides, so wider rules are not asked")
            return false
        case .open:
            steps.append("all of them are exceptions that do not fit, so the next wider rule is asked")
            return true
        }
    }
}

extension RuleFit {
    fileprivate var words: String {
        switch self {
        case .otherScheme: "another scheme"
        case .otherPort: "another port"
        case .otherPath: "another path"
        case .full: "fits"
        }
    }
}
