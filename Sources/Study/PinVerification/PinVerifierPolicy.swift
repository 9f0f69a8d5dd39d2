public import Hostnames
public import SPKIPins
public import SwiftASN1
public import X509

/// A pin policy among the policies of swift-certificates' `Verifier`, which looks for another path when one has no pin.
///
/// Where authorities are cross-signed there are several paths from a leaf to trusted roots. A stack that builds one path and
/// asks for pins afterwards fails if it built the other one; here the pins take part in the search. Put this behind the
/// policies that judge paths, such as `RFC5280Policy`: it says nothing of names, times and constraints.
///
/// ```swift
/// var verifier = Verifier(rootCertificates: roots) {
///     RFC5280Policy()
///     PinVerifierPolicy(pins, host: host, now: now)
/// }
/// ```
public struct PinVerifierPolicy: VerifierPolicy {
    /// What an enforced entry means whose time is over; one that only reports allows every path, as before its end.
    public enum Expired: Equatable, Sendable {
        /// No path is good, until the policy is renewed.
        case refuse
        /// The path is good, as if the host had no pins.
        case accept
    }

    /// None: pins understand no extension.
    public let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    private let policy: PinPolicy
    private let host: Hostname
    private let now: Int64
    private let expired: Expired
    private let memo: PinMemo?

    /// Asks `policy` about paths for one connection.
    ///
    /// - Parameters:
    ///   - policy: which hosts must show which keys.
    ///   - host: the host that the connection was asked for; another policy must see that the leaf is for it.
    ///   - now: seconds since 1970-01-01T00:00:00Z.
    ///   - expired: what becomes of a host whose entry has expired.
    ///   - memo: pins of keys seen before, shared by any number of threads.
    public init(_ policy: PinPolicy, host: Hostname, now: Int64, expired: Expired = .refuse, memo: PinMemo? = nil) {
        self.policy = policy
        self.host = host
        self.now = now
        self.expired = expired
        self.memo = memo
    }

    /// Whether the pins allow this path, whose signatures the verifier has checked.
    ///
    /// A host without pins, a match, and whatever an entry says that only reports allow it. The reason of a refusal is the
    /// verdict in one line: a search may refuse many paths, and nobody may read why.
    ///
    /// - Complexity: O(*n*) in the bytes of the certificates, which are copied.
    public func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let verdict: PinVerdict
        do {
            let certificates = try chain.indices.map { index in
                // What was parsed is put together again from its own bytes; the key is not encoded anew.
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
            return .failsToMeetPolicy(reason: "the path cannot be held against pins: \(error)")
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
