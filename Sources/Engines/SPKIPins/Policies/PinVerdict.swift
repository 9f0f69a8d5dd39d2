internal import WireFormat

/// What a pin policy says about a host and its validated chain. Every decision is one of these six cases.
public enum PinVerdict: Equatable, Sendable {
    /// No entry of the policy covers the host.
    case notPinned(PinAbsence)
    /// A pin matches: the chain has an expected key.
    case matched(PinMatch)
    /// No pin matches: the connection must not be used.
    case mismatched(PinMismatch)
    /// No pin matches, and the entry only reports.
    case reportOnlyMismatch(PinMismatch)
    /// The entry that covers the host has expired. It no longer decides, and the host is not unpinned either: the caller
    /// chooses what an expired policy means.
    case expiredPolicy(PinExpiry)
    /// The chain has a key that the entry forbids; the connection must not be used, unless the entry only reports.
    case forbiddenKey(ForbiddenKey)

    /// The version of the policy that decided; belongs in the key of a connection pool.
    public var policyVersion: UInt64 {
        switch self {
        case .notPinned(let absence): absence.policyVersion
        case .matched(let match): match.policyVersion
        case .mismatched(let mismatch), .reportOnlyMismatch(let mismatch): mismatch.policyVersion
        case .expiredPolicy(let expiry): expiry.policyVersion
        case .forbiddenKey(let key): key.policyVersion
        }
    }
}

/// Why a host has no pins.
public struct PinAbsence: Equatable, Sendable {
    /// How near the host comes to a pattern.
    public enum Reason: Equatable, Sendable {
        /// No pattern contains the host or a name above it.
        case noPattern
        /// The pattern of `entry` is `*.` and this host; it covers its subdomains only.
        case onlySubdomainsArePinned(entry: Int)
        /// The `*.` of `entry` covers one label more, and this host has several.
        case onlyOneLabelIsPinned(entry: Int)
    }

    /// How near the host comes to a pattern.
    public let reason: Reason
    /// The version of the policy that decided.
    public let policyVersion: UInt64
}

/// Which pin matched which certificate.
public struct PinMatch: Equatable, Sendable {
    /// The pin, of the policy and of the certificate.
    public let pin: Pin
    /// Index into the validated chain; 0 is the leaf.
    public let certificateIndex: Int
    /// The position that the policy gives the pin.
    public let position: PinPosition
    /// Whether a backup pin matched and no primary one: the keys have changed, and a new backup is due.
    public let isBackup: Bool
    /// Index into the entries that the policy was compiled from.
    public let entry: Int
    /// The version of the policy that decided.
    public let policyVersion: UInt64
}

/// An expired entry, and the match that it would have found.
public struct PinExpiry: Equatable, Sendable {
    /// The first second in which the entry no longer decides.
    public let expiry: Int64
    /// The time of the decision.
    public let now: Int64
    /// Whether the entry enforces or only reports.
    public let mode: PinPolicy.Mode
    /// The match that there would have been, or `nil` for a mismatch.
    public let match: PinMatch?
    /// Index into the entries that the policy was compiled from.
    public let entry: Int
    /// The version of the policy that decided.
    public let policyVersion: UInt64
}

/// A forbidden key in the chain.
public struct ForbiddenKey: Equatable, Sendable {
    /// The pin of the key.
    public let pin: Pin
    /// Index into the validated chain; 0 is the leaf.
    public let certificateIndex: Int
    /// Whether the entry enforces or only reports.
    public let mode: PinPolicy.Mode
    /// Index into the entries that the policy was compiled from.
    public let entry: Int
    /// The version of the policy that decided.
    public let policyVersion: UInt64
}

/// The found and the expected keys of a mismatch, computed on demand.
public struct PinMismatch: Sendable {
    /// The validated chain.
    public let chain: ValidatedChain
    let policy: PinPolicy
    /// Index into the entries that the policy was compiled from.
    public let entry: Int

    /// The version of the policy that decided.
    public var policyVersion: UInt64 { policy.version }

    /// The pin of each certificate of the validated chain, or why the certificate could not be read; the leaf first.
    ///
    /// - Complexity: one hash per certificate, each time.
    public var found: [Result<Pin, CertificateError>] { chain.pins }

    /// The subject's name (RFC 4514) of each certificate of the validated chain, the leaf first; `nil` for one that cannot
    /// be read.
    ///
    /// - Complexity: O(*n*) in the names, each time; computed on demand.
    public var subjects: [String?] { chain.contents.certificates.map(DistinguishedName.subject) }

    /// The pins of which one should have matched, ascending, without the forbidden ones.
    ///
    /// - Complexity: O(*n*) in the pins of the entry, forbidden ones included, each time.
    public var expected: [PinSet.Member] { policy.compiled.set(ofEntry: entry).expected }

    /// How many pins were expected.
    var expectedCount: Int { policy.compiled.set(ofEntry: entry).expectedCount }

    /// The host pattern that decided, as it is written: `*.host.example`.
    public var pattern: String { policy.pattern(ofEntry: entry) }

    /// When the entry expires, in seconds since 1970-01-01T00:00:00Z; `nil` for never.
    public var expiry: Int64? { policy.expiry(ofEntry: entry) }
}

extension PinMismatch: Equatable {
    /// Whether both have the same chain, and an entry with the same pattern and pins.
    public static func == (one: PinMismatch, other: PinMismatch) -> Bool {
        one.chain == other.chain && one.entry == other.entry && one.policyVersion == other.policyVersion
            && one.pattern == other.pattern && one.expected == other.expected
    }
}

extension PinPolicy {
    /// The host pattern of an entry, canonical.
    package func pattern(ofEntry index: Int) -> String { compiled.pattern(ofEntry: index) }

    /// When an entry expires; `nil` for never.
    package func expiry(ofEntry index: Int) -> Int64? {
        let expiry = compiled.storage.withSpan { bytes in compiled.entry(index, in: bytes).expiry }
        return expiry == .max ? nil : expiry
    }

    /// The pins of an entry, forbidden ones included.
    package func pins(ofEntry index: Int) -> PinSet { compiled.set(ofEntry: index) }
}
