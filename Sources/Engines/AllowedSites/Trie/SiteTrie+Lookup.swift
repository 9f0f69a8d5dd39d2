internal import Hostnames

extension SiteTrie {
    /// The verdict about a request to the host `name`, which is canonical; upper case is allowed.
    ///
    /// ```text
    /// node = narrowest node of name                 (TrieImage.narrowestNode)
    /// while node exists:
    ///     rules = rules of node that fit scheme, port and path
    ///     if rules is not empty:                    longest path wins, then the exception
    ///         return allowed or denied by the winner
    ///     if node has an allowing rule:             return denied, naming the nearest rule
    ///     node = next wider node                    (only exceptions here, and none fits)
    /// return denied: no rule
    /// ```
    @inline(__always)
    func verdict(_ name: Span<UInt8>, _ request: SiteRequest<some Sequence<UInt8>>) -> SiteVerdict {
        guard let node = image.narrowestNode(name) else { return .denied(.noRule) }
        if !node.hasList { return verdict(ofPlainRule: node.number, request) }
        return verdict(name, startingAt: node, request)
    }

    /// The verdict if the narrowest node has a rule list; the loop above, starting at `node`.
    @inline(never)
    private func verdict(
        _ name: Span<UInt8>,
        startingAt node: TrieNode,
        _ request: SiteRequest<some Sequence<UInt8>>
    ) -> SiteVerdict {
        LongName.with(name, image.hash) { name in
            var node = node
            var passed: SiteVerdict.Denial?
            while true {
                switch decision(at: node, request) {
                case .decided(let verdict): return verdict
                case .open(let denial): passed = passed ?? denial
                }
                guard let next = image.nextWiderNode(name, below: node.length) else {
                    return .denied(passed ?? .noRule)
                }
                assert(next.length < node.length, "each step is wider, so the walk ends")
                node = next
            }
        }
    }

    func verdict(ofAddress host: Hostname, _ request: SiteRequest<some Sequence<UInt8>>) -> SiteVerdict {
        var next = image.narrowestNetwork(around: host)
        var passed: SiteVerdict.Denial?
        while let node = next {
            switch decision(at: node, request) {
            case .decided(let verdict): return verdict
            case .open(let denial): passed = passed ?? denial
            }
            next = image.network(around: node, of: host)
        }
        return .denied(passed ?? .noRule)
    }

    /// The result of comparing the rules of one node.
    enum Decision {
        /// A rule fits and wins, or none fits and wider nodes are not asked.
        case decided(SiteVerdict)
        /// All rules are exceptions and none fits, so the next wider node is asked.
        case open(SiteVerdict.Denial)
    }

    func decision(at node: TrieNode, _ request: SiteRequest<some Sequence<UInt8>>) -> Decision {
        guard node.hasList else { return .decided(verdict(ofPlainRule: node.number, request)) }
        var winner: RuleInList?
        var nearest: (fit: RuleFit, rule: RuleInList)?
        var hasAllowance = false
        for index in image.rules(ofNode: node.number) {
            let constraint = image.constraint(ofRule: index)
            if let winner, !winner.isEqual(constraint) { break }
            let fit = image.fit(constraint, request)
            let number = image.slotCount + image.networkCount + index
            let rule = RuleInList(constraint, number, origin: image.packedOrigin(of: number))
            if fit == .full {
                // Of equally specific rules, the first one in the lists wins.
                if winner.map({ rule.origin < $0.origin }) ?? true { winner = rule }
                continue
            }
            // The nearest rule explains a denial: the one that fits best, and of equals the first in the lists. If the
            // node has an allowing rule, exceptions are not candidates, because an exception that does not fit denies
            // nothing.
            if !constraint.isException, !hasAllowance { (hasAllowance, nearest) = (true, nil) }
            if hasAllowance, constraint.isException { continue }
            if let best = nearest, best.fit > fit || (best.fit == fit && best.rule.origin <= rule.origin) { continue }
            nearest = (fit, rule)
        }
        if let winner {
            let reference = reference(to: winner.number)
            return .decided(winner.isException ? .denied(.exception(reference)) : .allowed(reference))
        }
        guard let nearest else { return .open(.noRule) }
        let denial = denial(nearest.fit, nearest: nearest.rule.number, request)
        return hasAllowance ? .decided(.denied(denial)) : .open(denial)
    }

    /// The verdict of a plain rule: https, port 443, every path.
    @inline(__always)
    private func verdict(ofPlainRule number: Int, _ request: SiteRequest<some Sequence<UInt8>>) -> SiteVerdict {
        let rule = reference(to: number)
        guard request.scheme == .https else { return .denied(.otherScheme(nearest: rule)) }
        return request.port == 443 ? .allowed(rule) : .denied(.otherPort(nearest: rule))
    }

    private func denial(
        _ fit: RuleFit,
        nearest number: Int,
        _ request: SiteRequest<some Sequence<UInt8>>
    ) -> SiteVerdict.Denial {
        let rule = reference(to: number)
        return switch fit {
        case .otherScheme: .otherScheme(nearest: rule)
        case .otherPort: .otherPort(nearest: rule)
        case .otherPath, .full:
            PathDoubt.first(in: request.path) == nil ? .otherPath(nearest: rule) : .uncertainPath(nearest: rule)
        }
    }
}

/// The fields of a rule that decide which of several rules wins.
private struct RuleInList {
    let number: Int
    let origin: Int
    let isException: Bool
    let segments: Int

    init(_ constraint: TrieImage.Constraint, _ number: Int, origin: Int) {
        self.number = number
        self.origin = origin
        (isException, segments) = (constraint.isException, constraint.segments)
    }

    func isEqual(_ constraint: TrieImage.Constraint) -> Bool {
        isException == constraint.isException && segments == constraint.segments
    }
}
