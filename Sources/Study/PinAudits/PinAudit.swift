public import Hostnames
public import SPKIPins

/// The input of an audit: policies, certificates, keys, and facts about servers and releases.
///
/// The audit finds keys whose private key others may have, and sets of pins that will lock users out or give no
/// protection. It does not validate certificates: their contents are taken as true.
public struct PinAudit: Sendable {
    /// The certificates that a host's server sends.
    public struct Presentation: Equatable, Sendable {
        /// The host whose pins or certificates are looked at.
        public let host: Hostname
        /// Its certificates.
        public let chain: PresentedChain

        /// Puts a host and a chain together.
        public init(host: Hostname, chain: PresentedChain) {
            self.host = host
            self.chain = chain
        }
    }

    /// Policies, whether they compile or not.
    public var policies: [[PinPolicy.Entry]] = []
    /// Certificates in DER, in any order: of pinned keys, of authorities, of servers.
    public var certificates: [[UInt8]] = []
    /// Keys without a certificate, each the DER of a SubjectPublicKeyInfo.
    public var subjectPublicKeyInfos: [[UInt8]] = []
    /// What servers present today.
    public var presentations: [Presentation] = []
    /// Keys that must not be used any more.
    public var blocked: Set<Pin> = []
    /// Seconds between two releases that can bring new pins; `nil` if unknown, which skips the checks of the cadence.
    public var releaseCadence: Int64?

    /// Moduli that must not be used any more, by hashes, as in Debian's lists of weak keys.
    public var blockedModuli = BlockedModuli()

    /// Makes an audit without input.
    public init() {}

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970-01-01T00:00:00Z.
    ///   - progress: called with the number of steps done and in total, on the caller's thread.
    /// - Returns: findings about certificates, then keys, then entries, each in the order of the input.
    /// - Complexity: 6 ms a key of 2048 bits, and O(*n* log² *n*) in the bytes of all RSA moduli.
    public func findings(
        at now: Int64,
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) -> [AuditFinding] {
        var read = AuditedCertificates()
        for (index, certificate) in certificates.enumerated() {
            read.append(certificate, at: .certificate(index), index: index)
        }
        for (number, presentation) in presentations.enumerated() {
            for (index, certificate) in presentation.chain.contents.certificates.enumerated() {
                read.append(certificate, at: .presented(number, certificate: index))
            }
        }
        for key in subjectPublicKeyInfos { read.append(subjectPublicKeyInfo: key) }
        let keys = read.keys
        let graph = AuthorityGraph(of: read.certificates)
        let entryChecks = EntryChecks(
            graph: graph,
            known: read.pinned,
            mistaken: read.mistaken,
            now: now,
            cadence: releaseCadence
        )
        let keyFindings = keys.findings(
            blocked: blocked,
            moduli: blockedModuli,
            progress: progress
        )
        return read.findings + keyFindings
            + pinsBlocked(besides: keys)
            + certificateEnds(entryChecks, keys) + sharedKeys(graph, keys)
            + policies.indices.flatMap { findings(ofPolicy: $0, entryChecks) }
    }

    private func findings(ofPolicy number: Int, _ checks: EntryChecks) -> [AuditFinding] {
        let policy = policies[number]
        let between = PolicyChecks(of: policy)
        var problems = policy.map { checks.problems(of: $0) }
        for entry in policy.indices { problems[entry] += between.patternProblems(of: entry) }
        for presentation in presentations {
            guard let entry = between.index.deciding(for: presentation.host) else { continue }
            problems[entry] += checks.problems(of: presentation.chain, at: presentation.host, under: policy[entry])
        }
        func place(ofEntry entry: Int) -> AuditFinding.Place {
            let pattern = between.index.patterns[entry].map { "\($0)" } ?? policy[entry].host
            return .entry(entry, policy: number, pattern: pattern)
        }
        let refusal = between.refusal().map { error in
            AuditFinding(
                place: error.entry.map(place) ?? .policy(number),
                problem: .set(.refused(error))
            )
        }
        return [refusal].compactMap(\.self)
            + problems.enumerated().flatMap { entry, problems in
                problems.map { AuditFinding(place: place(ofEntry: entry), problem: .set($0)) }
            }
    }

    /// Blocked pins of policies whose keys are not part of the input.
    private func pinsBlocked(besides keys: AuditedKeys) -> [AuditFinding] {
        let pins = policies.flatMap(\.self).flatMap { $0.pins + $0.backupPins }.map(\.pin)
        var seen: Set<Pin> = []
        return pins.filter { blocked.contains($0) && !keys.contains($0) && seen.insert($0).inserted }.map {
            AuditFinding(place: .key($0, certificate: nil), problem: .key(.blocked))
        }
    }

    /// When the last certificate of each key ends: for pinned keys, or for all keys if the audit has no policy.
    private func certificateEnds(_ checks: EntryChecks, _ keys: AuditedKeys) -> [AuditFinding] {
        let pinned = Set(policies.flatMap(\.self).flatMap { $0.pins + $0.backupPins }.map(\.pin))
        return keys.pins.filter { policies.isEmpty || pinned.contains($0) }.compactMap { pin in
            let ends = checks.graph.certificates(of: pin).compactMap { $0.details?.notAfter }
            guard let last = ends.max() else { return nil }
            let (days, isSoon) = checks.ending(at: last)
            return AuditFinding(
                place: .key(pin, certificate: keys.certificate(of: pin)),
                problem: .set(.certificateExpires(days: days, isSoon: isSoon, end: last))
            )
        }
    }

    /// Leaf keys of several hosts, from policies and from the chains that servers present.
    private func sharedKeys(_ graph: AuthorityGraph, _ keys: AuditedKeys) -> [AuditFinding] {
        var hosts: [Pin: Set<String>] = [:]
        for entry in policies.flatMap(\.self) {
            guard let pattern = try? HostPattern(parsing: entry.host) else { continue }
            for pin in entry.pins where pin.position == .leaf || isLeaf(pin, graph) {
                hosts[pin.pin, default: []].insert("\(pattern.base)")
            }
        }
        let indices = policies.map(PatternIndex.init)
        for presentation in presentations {
            guard case .success(let pin)? = presentation.chain.pins.first else { continue }
            // Hosts of one pattern may share a key on purpose.
            let patterns = indices.compactMap { index in
                index.deciding(for: presentation.host).flatMap { index.patterns[$0] }
            }
            hosts[pin, default: []].insert("\(patterns.first?.base ?? presentation.host)")
        }
        return hosts.filter { $0.value.count > 1 }.sorted { "\($0.key)" < "\($1.key)" }.map { pin, hosts in
            AuditFinding(
                place: .key(pin, certificate: keys.certificate(of: pin)),
                problem: .set(.sharedKey(hosts: hosts.sorted()))
            )
        }
    }

    private func isLeaf(_ pin: PositionedPin, _ graph: AuthorityGraph) -> Bool {
        let known = graph.certificates(of: pin.pin).compactMap(\.details)
        return pin.position == .any && !known.isEmpty && known.allSatisfy { !$0.isAuthority }
    }
}
