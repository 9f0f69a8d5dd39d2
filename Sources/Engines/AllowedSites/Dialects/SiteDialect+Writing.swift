extension SiteDialect {
    /// Writes a list in this dialect. Rules that the dialect cannot express, or reads as wider, are left out and named.
    ///
    /// - Complexity: O(*n*) in the number of rules and their labels, and O(*m*²) in the number of rules about addresses.
    public func write(_ list: SiteList) -> DialectWriting {
        let entries = Array(list.entries)
        let narrower = NarrowerRules(entries)
        var written: [String] = []
        var seen: Set<String> = []
        var losses: [DialectLoss] = []
        for entry in entries {
            let rule = WritableRule(line: entry.line, rule: entry.rule, isPaired: isPaired(entry.rule, narrower))
            do throws(DialectLoss.Reason) {
                for text in try texts(rule, narrower) where seen.insert(text).inserted { written.append(text) }
            } catch {
                losses.append(DialectLoss(line: entry.line, text: entry.rule.description, reason: error))
            }
        }
        if self == .squid { written = SquidDomains.withoutCovered(written) }
        return DialectWriting(text: written.joined(separator: separator), losses: losses)
    }

    private var separator: String {
        switch self {
        case .chromium, .firefox, .noProxy: ","
        case .windowsZones, .squid, .apple: "\n"
        }
    }

    private func texts(_ rule: WritableRule, _ narrower: NarrowerRules) throws(DialectLoss.Reason) -> [String] {
        guard rule.rule.path == nil else { throw .path }
        if rule.isException {
            guard self == .windowsZones else { throw .exception }
            guard rule.schemes == .both else { throw .scheme }
        } else if let line = lineOfNarrowerRule(than: rule.rule, narrower) {
            throw .narrower(line: line)
        }
        return switch self {
        case .chromium: try ChromiumAllowlist.text(rule)
        case .firefox: try FirefoxTrustedURIs.text(rule)
        case .windowsZones: try WindowsZones.text(rule)
        case .noProxy: try NoProxy.text(rule)
        case .squid: try SquidDomains.text(rule)
        case .apple: try AppleHosts.text(rule)
        }
    }

    /// Whether the list has equal rules for a host and for the names below it, without a narrower rule for one of them.
    private func isPaired(_ rule: SiteRule, _ narrower: NarrowerRules) -> Bool {
        guard let pair = rule.otherOfPair, narrower.rules(of: pair.place).contains(where: { $0.rule == pair }) else {
            return false
        }
        return lineOfNarrowerRule(than: rule, narrower) == nil && lineOfNarrowerRule(than: pair, narrower) == nil
    }

    /// The line of a rule that allows less than `rule` for some of its hosts.
    ///
    /// In a site list the most specific host decides. In most dialects the entries add up, so a wide entry beside a
    /// narrow one would allow more than the list.
    private func lineOfNarrowerRule(than rule: SiteRule, _ narrower: NarrowerRules) -> Int? {
        narrower.inside(rule.place).first { entry in
            guard !says(entry.rule) else { return false }
            if entry.rule.isException { return true }
            guard entry.rule.place != rule.place else { return false }
            // Another rule of the same hosts may allow everything that `rule` allows.
            return !narrower.rules(of: entry.rule.place).contains {
                !$0.rule.isException && $0.rule.allowsAll(of: rule)
            }
        }?.line
    }

    /// Whether the dialect can express this exception.
    private func says(_ exception: SiteRule) -> Bool {
        guard exception.isException, self == .windowsZones, exception.path == nil else { return false }
        let rule = WritableRule(line: 0, rule: exception, isPaired: false)
        return exception.schemes == .both && (try? WindowsZones.text(rule)) != nil
    }
}

extension SiteRule {
    /// The same rule for the names below the host instead of the host, or the other way round.
    fileprivate var otherOfPair: SiteRule? {
        let other: Place
        switch place {
        case .name(let name): other = .below(name)
        case .below(let name): other = .name(name)
        case .ipv4, .ipv6: return nil
        }
        return SiteRule(isException: isException, schemes: schemes, place: other, port: port, path: path)
    }
}
