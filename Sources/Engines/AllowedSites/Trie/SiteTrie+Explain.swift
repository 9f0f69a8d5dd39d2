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
        var steps = ["request: \(origin) with path \(path.isEmpty ? "/" : Self.inOneLine(path))"]
        steps.append(hostStep(origin.host))
        if let (doubt, offset) = PathDoubt.first(in: path) {
            steps.append("the path is uncertain at offset \(offset): \(doubt)")
            steps.append("so no allowing rule with a path fits it, and every exception with a path does")
        }
        let request = SiteRequest(scheme: origin.scheme, port: origin.port, path: path.utf8)
        var isOpen = true
        let places = places(around: origin.host)
        for place in places {
            isOpen = explain(place, request, &steps)
            if !isOpen { break }
        }
        if isOpen { steps.append("no \(places.isEmpty ? "" : "further ")rule speaks of this host") }
        return SiteExplanation(verdict: verdict(for: origin, path: path), steps: steps)
    }

    /// A path with its controls spelt out.
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

    /// Every place that stands for `host`, the narrowest one first.
    private func places(around host: Hostname) -> [TrieNode] {
        var places: [TrieNode] = []
        guard case .name(let name) = host.form else {
            var next = image.narrowestNetwork(around: host)
            while let place = next {
                places.append(place)
                next = image.network(around: place, of: host)
            }
            return places
        }
        return unsafe name.withUnsafeBytes { name in
            guard let start = name.baseAddress,
                let first = unsafe image.narrowestNode(start, count: name.count)
            else { return [] }
            return unsafe LongName.with(name, image.hash) { name in
                var next: TrieNode? = first
                while let place = next {
                    places.append(place)
                    next = image.nextWiderNode(name, below: place.length)
                }
                return places
            }
        }
    }

    /// Adds what one place says; returns whether a wider place is asked after it.
    private func explain(
        _ place: TrieNode,
        _ request: SiteRequest<String.UTF8View>,
        _ steps: inout [String]
    ) -> Bool {
        let first = image.slotCount + image.networkCount
        let numbers =
            place.hasList
            ? image.rules(ofNode: place.number).map { first + $0 } : [place.number]
        let host = numbers.first.flatMap(image.rule)?.hostText ?? ""
        let isUncertain = PathDoubt.first(in: request.path) != nil
        steps.append("\(host) has \(numbers.count) rule\(numbers.count == 1 ? "" : "s")")
        for number in numbers.prefix(SiteExplanation.maximumRulesPerPlace) {
            let origin = image.origin(of: number)
            let fit = place.hasList ? image.fit(image.constraint(ofRule: number - first), request) : plainFit(request)
            let stand = origin.map { "\(image.listName($0.list)), line \($0.line): " } ?? ""
            steps.append("  \(stand)\(image.rule(number)?.description ?? ""): \(fit.words(isUncertain: isUncertain))")
        }
        let unnamed = numbers.count - SiteExplanation.maximumRulesPerPlace
        if unnamed > 0 { steps.append("  and \(unnamed) more") }
        switch decision(at: place, request) {
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

    /// How far a rule about https, port 443 and every path goes along.
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
