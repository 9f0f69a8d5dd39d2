internal import Hostnames
internal import SPKIPins

/// Which entry of a policy decides for which host: what the compiled policy does, for entries that need not compile.
struct PatternIndex {
    /// The pattern of each entry; `nil` for a host that is not a valid pattern.
    let patterns: [HostPattern?]
    private var entries: [HostPattern: Int] = [:]

    init(of policy: [PinPolicy.Entry]) {
        patterns = policy.map { try? HostPattern(parsing: $0.host) }
        for (index, pattern) in patterns.enumerated() {
            guard let pattern, entries[pattern] == nil else { continue }
            entries[pattern] = index
        }
    }

    /// The entry that decides for `host`, as if `excluded` were not there.
    func deciding(for host: Hostname, excluding excluded: Int? = nil) -> Int? {
        func entry(_ breadth: HostPattern.Breadth, _ base: Hostname) -> Int? {
            guard let found = entries[HostPattern(breadth, base)], found != excluded else { return nil }
            return found
        }
        if let own = entry(.exact, host) ?? entry(.anyLabels, host) { return own }
        guard case .name(var name) = host.form else { return nil }
        var isParent = true
        while let dot = name.firstIndex(of: UInt8(ascii: ".")) {
            name.removeFirst(dot + 1)
            let base = Hostname(form: .name(name))
            if isParent, let found = entry(.oneLabel, base) { return found }
            if let found = entry(.anyLabels, base) { return found }
            isParent = false
        }
        return nil
    }

    /// The entry that would decide for the hosts of the entry at `index` without that entry; for a wildcard, for hosts
    /// with the fewest labels.
    func wider(than index: Int) -> Int? {
        guard let pattern = patterns[index] else { return nil }
        guard case .name(let name) = pattern.base.form, pattern.breadth != .exact else {
            return deciding(for: pattern.base, excluding: index)
        }
        // "?" is not valid in a pattern, so this label matches only wildcards.
        let labels = pattern.breadth == .oneLabel ? "?." : "?.?."
        return deciding(for: Hostname(form: .name(labels.utf8 + name)), excluding: index)
    }
}
