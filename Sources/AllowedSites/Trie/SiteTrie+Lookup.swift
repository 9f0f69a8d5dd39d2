public import Hostnames

extension SiteTrie {
    /// Whether credentials may go to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: scheme, host and port of the request.
    ///   - path: the raw path of the request, escapes and all; empty means `/`, and a query is ignored.
    /// - Returns: the answer, with the rule that gave it.
    /// - Complexity: one dictionary lookup a label or network length, and O(*n*) in the length of `path` for each rule with
    ///   a path that stands for the host. Allocates nothing.
    public func verdict(for origin: Origin, path: String) -> SiteVerdict {
        var walk = PlaceWalk(origin.host)
        var passed: SiteVerdict.Denial?
        while let place = nextPlace(&walk) {
            switch decision(at: places[place], origin, path) {
            case .winner(let position): return verdict(ofWinner: position)
            case .closed(let denial): return .denied(denial)
            case .open(let denial): passed = passed ?? denial
            }
        }
        return .denied(passed ?? .noRule)
    }

    /// Whether credentials may go to `url`, an absolute `http` or `https` URL.
    ///
    /// - Returns: ``SiteVerdict/invalid(_:)`` when origin and path cannot be told with certainty.
    /// - Complexity: that of ``verdict(for:path:)``, and O(*n*) in the length of `url`.
    public func verdict(forURL url: String) -> SiteVerdict {
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url)
            return verdict(for: location.origin, path: location.path)
        } catch {
            return .invalid(error)
        }
    }

    /// Where the walk from the narrowest place to the widest one has got to.
    struct PlaceWalk {
        fileprivate let host: Hostname
        fileprivate var suffixes: HostSuffixes
        fileprivate var step = 0

        init(_ host: Hostname) {
            self.host = host
            suffixes = host.suffixes
        }
    }

    /// The next wider place that has rules for the host of `walk`.
    func nextPlace(_ walk: inout PlaceWalk) -> Int? {
        switch walk.host.form {
        case .name:
            while let suffix = walk.suffixes.next() {
                walk.step += 1
                // The name itself comes first; a wildcard stands above its parents only, so the apex is never below it.
                if let place = walk.step == 1 ? exactNames[suffix] : wildcards[suffix] { return place }
            }
            return nil
        case .ipv4(let address): return ipv4Networks.next(around: address.rawValue, &walk.step)
        case .ipv6(let address): return ipv6Networks.next(around: address.rawValue, &walk.step)
        }
    }

    /// What the rules of one place say.
    enum Decision {
        /// The rule at this position of `entries` fits and wins.
        case winner(Int)
        /// No rule fits, and no wider place may be asked.
        case closed(SiteVerdict.Denial)
        /// No rule fits, and all of them are exceptions, which take away nothing here, so a wider place may be asked.
        case open(SiteVerdict.Denial)
    }

    func decision(at place: Place, _ origin: Origin, _ path: String) -> Decision {
        let isCertain = !place.hasPaths || PathDoubt.first(in: path) == nil
        var nearest: (fit: RuleFit, position: Int)?
        for index in place.rules {
            let position = order[index]
            let fit = entries[position].rule.fit(origin, path: path, isCertain: isCertain)
            if fit == .full { return .winner(position) }
            // Where something is allowed, exceptions are not what is missing. The rule that got furthest is the nearest one;
            // of equals, the earliest.
            if place.hasAllowance, entries[position].rule.isException { continue }
            if let best = nearest, best.fit > fit || (best.fit == fit && best.position < position) { continue }
            nearest = (fit, position)
        }
        let denial = nearest.map { self.denial($0.fit, nearest: $0.position) } ?? .noRule
        return place.hasAllowance ? .closed(denial) : .open(denial)
    }

    func reference(to position: Int) -> RuleReference {
        RuleReference(line: entries[position].line, position: position)
    }

    private func verdict(ofWinner position: Int) -> SiteVerdict {
        let rule = reference(to: position)
        return entries[position].rule.isException ? .denied(.exception(rule)) : .allowed(rule)
    }

    private func denial(_ fit: RuleFit, nearest position: Int) -> SiteVerdict.Denial {
        switch fit {
        case .otherScheme: .otherScheme(nearest: reference(to: position))
        case .otherPort: .otherPort(nearest: reference(to: position))
        case .otherPath, .full: .otherPath(nearest: reference(to: position))
        }
    }
}
