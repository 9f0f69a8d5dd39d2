internal import Corpora
internal import Hostnames
public import SPKIPins
internal import WireFormat

/// A rule that chooses the pins to ship for a host from what is known at the time.
public struct PinningStrategy: Sendable {
    enum Rule: Sendable {
        case knowledge(@Sendable (Knowledge) -> [PinChoice])
        /// The pins of a policy, the same at all times.
        case policy(PinPolicy)
    }

    /// A short name for tables.
    public let name: String
    /// What it pins, in one line.
    public let summary: String
    let rule: Rule

    /// A strategy of your own.
    ///
    /// - Parameters:
    ///   - name: a short name; unique in a study.
    ///   - summary: what it pins, in one line.
    ///   - rule: returns the pins to ship; an empty array means that the host is not pinned. It is called at least once
    ///     for every capture of every host, and must return the same pins for the same knowledge.
    public init(name: String, summary: String, rule: @escaping @Sendable (Knowledge) -> [PinChoice]) {
        self.name = name
        self.summary = summary
        self.rule = .knowledge(rule)
    }

    /// The pins of an existing policy, the same at all times. Expiry and report-only mode are ignored.
    public init(name: String = "policy", policy: PinPolicy) {
        self.name = name
        summary = "the policy that was given, unchanged over the whole time"
        rule = .policy(policy)
    }

    /// The pins for a host whose first `count` captures are known, in the order that the rule returns.
    func pins(_ history: ChainHistory, host: Int, count: Int, now: Int64) -> [PinChoice] {
        switch rule {
        case .knowledge(let rule): return rule(Knowledge(history, host: host, count: count, now: now))
        case .policy(let policy):
            guard let name = try? Hostname(parsing: history.hosts[host].endpoint.host),
                let entry = policy.entryIndex(for: name)
            else { return [] }
            return policy.pins(ofEntry: entry).members.map { member in
                PinChoice(key: history.keyNumbers[member.pin] ?? -1, position: member.position)
            }
        }
    }
}

extension PinningStrategy {
    /// How many days back ``issuersSeen`` looks.
    public static let issuerDays = 365

    /// The eight strategies that need no file, from the narrowest to the widest.
    public static let builtIn: [PinningStrategy] = [
        leafCertificate, leafKey, leafKeyAndNext, issuerKey, issuersSeen, organisation, rootKey, rootsSeen,
    ]

    /// Pins the certificate itself, so each renewal changes the pin.
    public static let leafCertificate = PinningStrategy(
        name: "leaf-certificate",
        summary: "the leaf certificate itself"
    ) { [$0.latest.leafCertificate] }

    /// The leaf's key.
    public static let leafKey = PinningStrategy(
        name: "leaf-key",
        summary: "the key of the leaf"
    ) { [$0.latest.leafKey.at(.leaf)] }

    /// The leaf's key and the operator's reserve keys.
    public static let leafKeyAndNext = PinningStrategy(
        name: "leaf-key+next",
        summary: "the key of the leaf, and the keys that its operator was known to hold in reserve"
    ) { [$0.latest.leafKey.at(.leaf)] + $0.latest.keysInReserve.map { $0.at(.leaf) } }

    /// The key that signed the leaf.
    public static let issuerKey = PinningStrategy(
        name: "issuer-key",
        summary: "the key of the authority that signed the leaf"
    ) { [$0.latest.issuerKey] }

    /// The root's key.
    public static let rootKey = PinningStrategy(
        name: "root-key",
        summary: "the key of the chain's root"
    ) { [$0.latest.rootKey] }

    /// Keys that signed a leaf of the host within ``issuerDays``.
    public static let issuersSeen = issuersSeen(inPastDays: issuerDays)

    /// Keys that signed a leaf of the host in the past `days`.
    public static func issuersSeen(inPastDays days: Int) -> PinningStrategy {
        PinningStrategy(
            name: "issuers-\(days)d",
            summary: "the keys that signed a leaf of the host in the past \(days.counted("day"))"
        ) { $0.issuers(inPastDays: days) }
    }

    /// The root keys of all chains of the host so far.
    public static let rootsSeen = PinningStrategy(
        name: "roots-seen",
        summary: "the keys of every root that the host's chains had so far"
    ) { $0.roots }

    /// Every key of the issuing organisation.
    public static let organisation = PinningStrategy(
        name: "organisation",
        summary: "every known key of the organisation that signed the leaf"
    ) { $0.keysOfIssuingOrganisation }
}
