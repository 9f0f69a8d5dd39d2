public import Hostnames
public import SPKIPins
public import SwiftASN1
public import X509

/// A pin policy among the policies of swift-certificates' `Verifier`, which looks for another path when one has no pin.
///
/// If authorities are cross-signed, several paths lead from a leaf to trusted roots. A TLS stack that builds one path
/// and checks pins afterwards fails if it built the other path; here the pins take part in the search. Put this policy
/// after those that validate paths, such as `RFC5280Policy`, because it does not check names, times and constraints.
///
/// ```swift
/// var verifier = Verifier(rootCertificates: roots) {
///     RFC5280Policy()
///     PinVerifierPolicy(pins, host: host, now: now)
/// }
/// ```
public struct PinVerifierPolicy: VerifierPolicy {
    /// The meaning of an expired enforced entry. A report-only entry allows every path, before and after its expiry.
    public enum Expired: Equatable, Sendable {
        /// Every path is refused until the policy is renewed.
        case refuse
        /// Every path is accepted, as for a host without pins.
        case accept
    }

    /// Empty, because the policy processes no extension.
    public let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    private let policy: PinPolicy
    private let host: Hostname
    private let now: Int64
    private let expired: Expired
    private let memo: PinMemo?

    /// Creates a verifier policy for the paths of one connection.
    ///
    /// - Parameters:
    ///   - policy: the pins of each host.
    ///   - host: the requested host; another policy must check that the leaf is for this host.
    ///   - now: seconds since 1970-01-01T00:00:00Z.
    ///   - expired: the meaning of an expired entry.
    ///   - memo: a cache of pins, which threads may share.
    public init(_ policy: PinPolicy, host: Hostname, now: Int64, expired: Expired = .refuse, memo: PinMemo? = nil) {
        self.policy = policy
        self.host = host
        self.now = now
        self.expired = expired
        self.memo = memo
    }

    /// Whether the pins allow this path. The verifier has checked its signatures.
    ///
    /// A path is allowed if the host has no pins, a pin matches, or the entry is report-only. The reason of a refusal
    /// is the verdict in one line, because a search may refuse many paths and the reasons may never be printed.
    ///
    /// - Complexity: O(*n*) in the bytes of the certificates, which are copied.
    public func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let verdict: PinVerdict
        do {
            let certificates = try chain.indices.map { index in
                // A parsed certificate is serialized from its original bytes; the key is not encoded again.
                var serializer = DER.Serializer()
                try serializer.serialize(chain[index])
                return serializer.serializedBytes
            }
            verdict = policy.verdict(
                for: host,
                chain: try ValidatedChain(assertingValidated: certificates),
                now: now,
                memo: memo
            )
        } catch {
            return .failsToMeetPolicy(reason: "the path cannot be compared with the pins: \(error)")
        }
        switch verdict {
        case .notPinned, .matched, .reportOnlyMismatch: return .meetsPolicy
        case .mismatched: return .failsToMeetPolicy(reason: "\(verdict)")
        case .forbiddenKey(let key):
            return key.mode == .reportOnly ? .meetsPolicy : .failsToMeetPolicy(reason: "\(verdict)")
        case .expiredPolicy(let expiry):
            let isAccepted = expired == .accept || expiry.mode == .reportOnly
            return isAccepted ? .meetsPolicy : .failsToMeetPolicy(reason: "\(verdict)")
        }
    }
}
