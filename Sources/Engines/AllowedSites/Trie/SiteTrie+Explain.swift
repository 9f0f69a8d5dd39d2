public import Hostnames
internal import WireFormat

/// The steps that led to a verdict, as text.
public struct SiteExplanation: Equatable, Sendable {
    /// The verdict, equal to that of ``SiteTrie/verdict(for:path:)``.
    public let verdict: SiteVerdict
    /// The compared nodes and rules in order, one line each.
    public let steps: [String]

    /// The number of rules of one node that are listed.
    static let maximumRulesPerPlace = 20
}

extension SiteExplanation: CustomStringConvertible {
    /// One line for each step, then one line with the verdict.
    public var description: String {
        (steps + [verdict.description]).joined(separator: "\n")
    }
}

extension SiteTrie {
    /// Explains ``verdict(forURL:)``.
    ///
    /// - Complexity: that of the verdict, and one line of text for each compared node and rule.
    public func explain(url: String) -> SiteExplanation {
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url)
            return explain(location.origin, path: location.path)
        } catch {
            return SiteExplanation(verdict: .invalid(error), steps: ["the URL is ambiguous or malformed"])
        }
    }

    /// Explains ``verdict(for:path:)``.
    public func explain(_ origin: Origin, path: String) -> SiteExplanation {
        var steps = ["request: \(origin) with path \(path.isEmpty ? "/" : Self.inOneLine(path))"]
        steps.append(hostStep(origin.host))
        if let (doubt, offset) = PathDoubt.first(in: path) {
            steps.append("the path is uncertain at offset \(offset): \(doubt)")
            steps.append("so no allowing rule with a path fits it, and every exception with a path does")
        }
        let request = SiteRequest(scheme: origin.scheme, port: origin.port, path: path.utf8)
        var isOpen = true
        let nodes = nodes(around: origin.host)
        for node in nodes {
            isOpen = explain(node, request, &steps)
            if !isOpen { break }
        }
        if isOpen { steps.append("no \(nodes.isEmpty ? "" : "further ")rule covers this host") }
        return SiteExplanation(verdict: verdict(for: origin, path: path), steps: steps)
    }

    /// The path with control characters and line separators escaped.
    private static func inOneLine(_ path: String) -> String {
        path.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    private func hostStep(_ host: Hostname) -> String {
        guard !host.isAddress else {
            return "host: the address \(host), looked up from the longest network to the shortest"
        }
        let labels = host.labelsFromRight.map { String(decoding: $0, as: UTF8.self) }
        return "host: a name, labels from the right: \(labels.joined(separator: ", "))"
    }

    /// The nodes of `host` and of its parents, narrowest first.
    private func nodes(around host: Hostname) -> [TrieNode] {
        var nodes: [TrieNode] = []
        guard case .name(let name) = host.form else {
            var next = image.narrowestNetwork(around: host)
            while let node = next {
                nodes.append(node)
                next = image.network(around: node, of: host)
            }
            return nodes
        }
        guard let first = image.narrowestNode(name.span) else { return [] }
        return LongName.with(name.span, image.hash) { name in
            var next: TrieNode? = first
            while let node = next {
                assert(nodes.last.map { node.length < $0.length } ?? true, "each node is wider than the one before")
                nodes.append(node)
                next = image.nextWiderNode(name, below: node.length)
            }
            return nodes
        }
    }

    /// Appends the steps of one node; returns whether the next wider node is asked.
    private func explain(
        _ node: TrieNode,
        _ request: SiteRequest<String.UTF8View>,
        _ steps: inout [String]
    ) -> Bool {
        let first = image.slotCount + image.networkCount
        let numbers =
            node.hasList
            ? image.rules(ofNode: node.number).map { first + $0 } : [node.number]
        let host = numbers.first.flatMap(image.rule)?.hostText ?? ""
        let isUncertain = PathDoubt.first(in: request.path) != nil
        steps.append("\(host) has \(numbers.count.counted("rule"))")
        for number in numbers.prefix(SiteExplanation.maximumRulesPerPlace) {
            let origin = image.origin(of: number)
            let fit = node.hasList ? image.fit(image.constraint(ofRule: number - first), request) : plainFit(request)
            let stand = origin.map { "\(image.listName($0.list)), line \($0.line): " } ?? ""
            steps.append("  \(stand)\(image.rule(number)?.description ?? ""): \(fit.words(isUncertain: isUncertain))")
        }
        let unnamed = numbers.count - SiteExplanation.maximumRulesPerPlace
        if unnamed > 0 { steps.append("  and \(unnamed) more") }
        switch decision(at: node, request) {
        case .decided(.allowed(let rule)):
            steps.append("the rule in line \(rule.line) wins: most specific host, then longest path, then '!'")
            return false
        case .decided(.denied(.exception(let rule))):
            steps.append("the exception in line \(rule.line) wins: most specific host, then longest path, then '!'")
            return false
        case .decided:
            steps.append("none of them fits; the most specific host decides, so wider rules are not asked")
            return false
        case .open:
            steps.append("all of them are exceptions that do not fit, so the next wider rule is asked")
            return true
        }
    }

    /// How well a plain rule (https, port 443, every path) fits.
    private func plainFit(_ request: SiteRequest<String.UTF8View>) -> RuleFit {
        if request.scheme != .https { return .otherScheme }
        return request.port == 443 ? .full : .otherPort
    }
}

extension RuleFit {
    fileprivate func words(isUncertain: Bool) -> String {
        switch self {
        case .otherScheme: "another scheme"
        case .otherPort: "another port"
        case .otherPath: isUncertain ? "an uncertain path" : "another path"
        case .full: "fits"
        }
    }
}
