internal import SPKIPins

/// Finds the problems of one entry of a policy, with the given certificates.
struct EntryChecks {
    let graph: AuthorityGraph
    /// The knowledge that the compiler of policies has for the same certificates.
    let known: KnownKeys
    /// What the same certificates have besides their keys, and may have been hashed.
    let mistaken: MistakenHashes
    let now: Int64
    /// Seconds between two releases.
    let cadence: Int64?

    /// An end within this number of days is soon, for any cadence.
    static let soonDays = 30
    static let day: Int64 = 86_400

    func problems(of entry: PinPolicy.Entry) -> [PinSetProblem] {
        var problems: [PinSetProblem] = []
        if case .unsafeSinglePin(let reason) = entry.backup { problems.append(.noBackup(reason: reason)) }
        problems += dependentBackups(in: entry)
        problems += uncoveredPaths(of: entry)
        problems += mistakenHashes(in: entry)
        problems += unknownPins(in: entry)
        problems += leaves(of: entry)
        if let expiry = entry.expiry {
            let (days, isSoon) = ending(at: expiry)
            problems.append(.entryExpires(days: days, isSoon: isSoon))
        }
        return problems
    }

    /// Whole days until an end, 0 if it has passed, and whether the end comes too soon for the next release to change
    /// the pins.
    func ending(at end: Int64) -> (days: Int, isSoon: Bool) {
        guard end > now else { return (0, true) }
        // Rounded up, so that 0 days means that the end has passed.
        let days = Int((end - now - 1) / Self.day) + 1
        return (days, end - now < max(Int64(Self.soonDays) * Self.day, cadence ?? 0))
    }

    /// Problems that leave an entry without an independent backup: the compiler's rule, and paths through further
    /// certificates.
    private func dependentBackups(in entry: PinPolicy.Entry) -> [PinSetProblem] {
        let isToldApart = entry.backup != .amongPins
        let primary = isToldApart ? entry.pins : Array(entry.pins.prefix(1))
        let backups = isToldApart ? entry.backupPins : Array(entry.pins.dropFirst())
        var rest = backups
        // If backups are not marked, two pins of one key are accepted beside an independent backup.
        if !isToldApart { rest.removeAll { known.isOneKey($0.pin, primary[0].pin) } }
        let fault = known.fault(of: (rest.isEmpty ? backups : rest).map(\.pin), besides: primary.map(\.pin))
        var problems: [PinSetProblem] = []
        if case .primaryKey(let backup, let primary) = fault {
            problems.append(.backupHasPrimaryKey(backup: backup, primary: primary))
        }
        // Only the most specific cause is reported.
        let related = relatedBackups(backups, besides: primary)
        if !related.isEmpty { return problems + related }
        if let authority = onlyAuthority(of: entry) { return problems + [.oneAuthority(name: authority)] }
        if case .sameAuthority(let backup, let primary) = fault {
            problems.append(.dependentBackup(backup: backup, primary: primary))
        }
        return problems
    }

    private func relatedBackups(_ backups: [PositionedPin], besides primary: [PositionedPin]) -> [PinSetProblem] {
        guard backups.contains(where: { !graph.indices(of: $0.pin).isEmpty }) else { return [] }
        // For each key, the index of a primary below it.
        var firstBelow: [Pin: Int] = [:]
        var climb = AuthorityGraph.Climb(in: graph)
        for (index, pin) in primary.enumerated() {
            for key in climb.keysAbove(pin.pin) { firstBelow[key] = index }
        }
        var problems: [PinSetProblem] = []
        for backup in backups {
            let above = graph.keysAbove(backup.pin)
            let relatives = [primary.firstIndex { above.contains($0.pin) }, firstBelow[backup.pin]].compactMap(\.self)
            guard let relative = relatives.min() else { continue }
            problems.append(.relatedBackup(backup: backup.pin, primary: primary[relative].pin))
        }
        // One independent backup is enough, also if backups are not marked.
        return problems.count == backups.count ? problems : []
    }

    private func onlyAuthority(of entry: PinPolicy.Entry) -> String? {
        let pins = entry.pins + entry.backupPins
        guard pins.count > 1 else { return nil }
        var common: KnownCertificate.Name?
        for pin in pins {
            guard case .one(let name) = graph.authorities(of: pin.pin), common == nil || common == name else {
                return nil
            }
            common = name
        }
        guard let common else { return nil }
        let known = graph.certificates.first { $0.subject == common || $0.issuer == common }
        return known.map { $0.subject == common ? $0.name : $0.details?.issuer ?? $0.name }
    }

    private func uncoveredPaths(of entry: PinPolicy.Entry) -> [PinSetProblem] {
        let pins = Set((entry.pins + entry.backupPins).map(\.pin))
        // With a pin below the fork as well, each path meets that.
        var climb = AuthorityGraph.Climb(in: graph)
        let above = Set(pins.flatMap { climb.keysAbove($0) })
        // Most keys have one issuer.
        var open: Set<Int>?
        var problems: [PinSetProblem] = []
        for pin in entry.pins where pin.position != .leaf {
            var seen: Set<Pin> = []
            for child in graph.issued(by: pin.pin)
            where !pins.contains(child.pin) && !above.contains(child.pin) && seen.insert(child.pin).inserted {
                let others = graph.indices(of: child.pin).filter { graph.certificates[$0].issuer != child.issuer }
                guard !others.isEmpty else { continue }
                let withPath = open ?? graph.certificatesWithPath(avoiding: pins)
                open = withPath
                guard let other = others.first(where: withPath.contains) else { continue }
                problems.append(uncovered(pin.pin, graph.certificates[other]))
            }
            // An anchor's pin counts at the end of the path only, and another authority may have signed the anchor.
            if pin.position == .anchor,
                let crossed = graph.certificates(of: pin.pin).first(where: {
                    !$0.isSelfIssued && graph.hasIssuer($0, besides: pins)
                })
            {
                problems.append(uncovered(pin.pin, crossed))
            }
        }
        return problems
    }

    private func uncovered(_ pin: Pin, _ certificate: KnownCertificate) -> PinSetProblem {
        .uncoveredPath(
            pin: pin,
            authority: certificate.name,
            issuer: certificate.details?.issuer ?? "another authority"
        )
    }

    private func mistakenHashes(in entry: PinPolicy.Entry) -> [PinSetProblem] {
        (entry.pins + entry.backupPins).compactMap { pin in
            mistaken.origin(of: pin.pin).map { .mistakenHash(pin: pin.pin, of: $0.kind, right: $0.pin) }
        }
    }

    private func unknownPins(in entry: PinPolicy.Entry) -> [PinSetProblem] {
        guard !graph.certificates.isEmpty else { return [] }
        func unknown(_ pins: [PositionedPin], isBackup: Bool) -> [PinSetProblem] {
            pins.filter { graph.certificates(of: $0.pin).isEmpty && mistaken.origin(of: $0.pin) == nil }.map {
                .unknownPin($0.pin, isBackup: isBackup)
            }
        }
        // If backups are not marked, every pin but one may be a backup.
        let isBackup = entry.backup == .amongPins && entry.pins.contains { !graph.certificates(of: $0.pin).isEmpty }
        return unknown(entry.pins, isBackup: isBackup) + unknown(entry.backupPins, isBackup: true)
    }

    private func leaves(of entry: PinPolicy.Entry) -> [PinSetProblem] {
        guard let cadence else { return [] }
        return entry.pins.compactMap { pin in
            let newest = graph.certificates(of: pin.pin).compactMap(\.details).max { $0.notAfter < $1.notAfter }
            guard let newest, !newest.isAuthority else { return nil }
            let lifetime = newest.notAfter - newest.notBefore
            guard lifetime < cadence else { return nil }
            return .shortLeaf(pin: pin.pin, days: Int(lifetime / Self.day), cadenceDays: Int(cadence / Self.day))
        }
    }
}
