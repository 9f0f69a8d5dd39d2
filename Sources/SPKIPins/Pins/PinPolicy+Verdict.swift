public import Hostnames

extension PinPolicy {
    /// Decides whether the keys of a validated chain are those that `host` must show.
    ///
    /// The most specific pattern decides alone: the exact host before any wildcard, a longer wildcard before a shorter one,
    /// `*.` before `**.` of the same host. Pins of wider patterns do not count then. Among the pins, a primary one is
    /// preferred to a backup; after that, the certificate nearest to the leaf.
    ///
    /// - Parameters:
    ///   - host: the host that the connection was asked for, and that the chain was validated for.
    ///   - chain: what validation came to; the caller has promised so when making it.
    ///   - now: seconds since 1970-01-01T00:00:00Z.
    /// - Complexity: one look-up per label of the host, then O(log *n*) per certificate; no text is made.
    public func verdict(for host: Hostname, chain: ValidatedChain, now: Int64) -> PinVerdict {
        let index: Int
        switch find(host) {
        case .entry(let found): index = found
        case .none(let reason): return .notPinned(PinAbsence(reason: reason, policyVersion: version))
        }
        let entry = entries[index]
        let match = match(of: entry.pins, in: chain.contents.keys, entry: index)
        if let expiry = entry.expiry, now >= expiry {
            return .expiredPolicy(
                PinExpiry(
                    expiry: expiry,
                    now: now,
                    mode: entry.mode,
                    match: match,
                    entry: index,
                    policyVersion: version
                )
            )
        }
        if let match { return .matched(match) }
        let mismatch = PinMismatch(
            found: chain.contents.keys,
            expected: entry.pins,
            pattern: entry.pattern,
            entry: index,
            policyVersion: version
        )
        return entry.mode == .enforce ? .mismatched(mismatch) : .reportOnlyMismatch(mismatch)
    }

    private enum Finding {
        case entry(Int)
        case none(PinAbsence.Reason)
    }

    /// Walks from the whole host towards its last label, one label shorter each time.
    private func find(_ host: Hostname) -> Finding {
        let name = host.description
        var gap: PinAbsence.Reason?
        var suffix = name[...]
        var labelsRemoved = 0
        while true {
            if let place = places[suffix] {
                switch labelsRemoved {
                case 0:
                    if let entry = place.exact { return .entry(entry) }
                    if let entry = place.oneLabel ?? place.anyLabels { gap = .onlySubdomainsArePinned(entry: entry) }
                case 1:
                    if let entry = place.oneLabel ?? place.anyLabels { return .entry(entry) }
                default:
                    if let entry = place.anyLabels { return .entry(entry) }
                    if let entry = place.oneLabel, gap == nil { gap = .onlyOneLabelIsPinned(entry: entry) }
                }
            }
            guard let dot = suffix.utf8.firstIndex(of: UInt8(ascii: ".")) else { return .none(gap ?? .noPattern) }
            suffix = suffix[suffix.utf8.index(after: dot)...]
            labelsRemoved += 1
        }
    }

    private func match(
        of pins: PinSet,
        in keys: [Result<Pin, CertificateError>],
        entry: Int
    ) -> PinMatch? {
        var backup: PinMatch?
        for index in keys.indices {
            // A certificate that could not be read has no pin: it matches nothing, and stands in nobody's way.
            guard case .success(let pin) = keys[index], let member = pins.member(for: pin),
                member.position.accepts(index: index, of: keys.count)
            else { continue }
            let match = PinMatch(
                pin: pin,
                certificateIndex: index,
                position: member.position,
                isBackup: member.isBackup,
                entry: entry,
                policyVersion: version
            )
            if !member.isBackup { return match }
            if backup == nil { backup = match }
        }
        return backup
    }
}
