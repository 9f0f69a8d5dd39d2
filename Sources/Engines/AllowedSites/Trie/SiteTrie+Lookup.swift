public import Hostnames

extension SiteTrie {
    /// Whether credentials may go to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: scheme, host and port of the request.
    ///   - path: the raw path of the request, escapes and all; empty means `/`, and a query is ignored.
    /// - Returns: the answer, with the rule that gave it.
    /// - Complexity: O(*n*) in the length of the host, and O(*n*) in the length of `path` for each rule with a path that
    ///   stands for the host. Allocates nothing.
    public func verdict(for origin: Origin, path: String) -> SiteVerdict {
        // The bytes where they stand, and what is done with those of an unusual string elsewhere: nobody retains `path`.
        unsafe path.utf8.withContiguousStorageIfAvailable { unsafe verdict(for: origin, $0) }
            ?? verdict(for: origin, copying: path)
    }

    /// A string of Objective-C has its bytes elsewhere.
    @inline(never)
    private func verdict(for origin: Origin, copying path: String) -> SiteVerdict {
        let bytes = Array(path.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe verdict(for: origin, $0) }
    }

    private func verdict(for origin: Origin, _ path: UnsafeBufferPointer<UInt8>) -> SiteVerdict {
        let request = unsafe SiteRequest(scheme: origin.scheme, port: origin.port, path: path)
        switch origin.host.form {
        case .name(let name): return unsafe name.withUnsafeBytes { name in unsafe verdict(name, request) }
        case .ipv4, .ipv6: return unsafe verdict(ofAddress: origin.host, request)
        }
    }

    /// The verdict about a request to the host `name`, which is canonical; capitals do no harm.
    @inline(__always)
    func verdict(_ name: UnsafeRawBufferPointer, _ request: SiteRequest<some Sequence<UInt8>>) -> SiteVerdict {
        guard let start = name.baseAddress,
            let place = unsafe image.narrowestNode(start, count: name.count)
        else { return .denied(.noRule) }
        if !place.hasList { return verdict(ofPlainRule: place.number, request) }
        return unsafe verdict(name, startingAt: place, request)
    }

    /// The verdict where the narrowest place has a list of rules, which may hand over to wider places.
    @inline(never)
    private func verdict(
        _ name: UnsafeRawBufferPointer,
        startingAt place: TrieNode,
        _ request: SiteRequest<some Sequence<UInt8>>
    ) -> SiteVerdict {
        unsafe LongName.with(name, image.hash) { name in
            var place = place
            var passed: SiteVerdict.Denial?
            while true {
                switch decision(at: place, request) {
                case .decided(let verdict): return verdict
                case .open(let denial): passed = passed ?? denial
                }
                guard let next = image.nextWiderNode(name, below: place.length) else {
                    return .denied(passed ?? .noRule)
                }
                place = next
            }
        }
    }

    private func verdict(ofAddress host: Hostname, _ request: SiteRequest<some Sequence<UInt8>>) -> SiteVerdict {
        var next = image.narrowestNetwork(around: host)
        var passed: SiteVerdict.Denial?
        while let place = next {
            switch decision(at: place, request) {
            case .decided(let verdict): return verdict
            case .open(let denial): passed = passed ?? denial
            }
            next = image.network(around: place, of: host)
        }
        return .denied(passed ?? .noRule)
    }

    /// What the rules of one place say.
    enum Decision {
        /// A rule fits and wins, or none fits and no wider place may be asked.
        case decided(SiteVerdict)
        /// No rule fits, and all of them are exceptions, which take away nothing here, so a wider place may be asked.
        case open(SiteVerdict.Denial)
    }

    func decision(at place: TrieNode, _ request: SiteRequest<some Sequence<UInt8>>) -> Decision {
        guard place.hasList else { return .decided(verdict(ofPlainRule: place.number, request)) }
        var winner: RuleInList?
        var nearest: (fit: RuleFit, rule: RuleInList)?
        var hasAllowance = false
        for index in image.rules(ofNode: place.number) {
            let constraint = image.constraint(ofRule: index)
            if let winner, !winner.isEqual(constraint) { break }
            let fit = image.fit(constraint, request)
            let number = image.slotCount + image.networkCount + index
            let rule = RuleInList(constraint, number, origin: image.packedOrigin(of: number))
            if fit == .full {
                // Of rules that are as good, the one that stands first in the lists.
                if winner.map({ rule.origin < $0.origin }) ?? true { winner = rule }
                continue
            }
            // Where something is allowed, exceptions are not what is missing. The rule that got furthest is the nearest one;
            // of equals, the earliest.
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

    /// The verdict of a rule about https on port 443 and every path.
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

/// A rule of a list, as far as it matters which of several wins.
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
