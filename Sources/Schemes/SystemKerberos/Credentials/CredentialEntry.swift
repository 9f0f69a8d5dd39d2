internal import Secrets
internal import Synchronization

/// What a ``KerberosCredentialCache`` knows of one source: its credential, the passwords that the KDC refused, and that no KDC answers.
final class CredentialEntry: Sendable {
    /// The most refused passwords that are remembered; then the oldest may be sent again.
    private static let maximumRefusals = 16

    private struct Held {
        let password: SharedSecret?
        let credential: KerberosCredential
        let got: ContinuousClock.Instant
    }

    private struct Refused {
        /// `nil` for a keytab.
        let password: SharedSecret?
        let error: KerberosError
        let learned: ContinuousClock.Instant
    }

    private struct Known {
        var held: Held?
        var refused: [Refused] = []
        var silence: (error: KerberosError, since: ContinuousClock.Instant)?
    }

    private let known = Mutex(Known())

    /// The credential of the source.
    ///
    /// The lock is held while the library waits, so that others for the same source wait too.
    func credential(
        for source: KerberosCredentialSource,
        _ library: KerberosLibrary
    ) throws(KerberosError) -> KerberosCredential {
        try known.withLock { (known) throws(KerberosError) in
            let now = ContinuousClock.now
            var password: SharedSecret?
            if case .password(let given, _) = source { password = given }
            if let held = known.held, Self.isSame(held.password, password), Self.isFresh(held, source, now) {
                return held.credential
            }
            known.refused.removeAll { $0.learned.duration(to: now) >= KerberosCredentialCache.refusalAge }
            if let refused = known.refused.first(where: { Self.isSame($0.password, password) }) { throw refused.error }
            if let silence = known.silence, silence.since.duration(to: now) < KerberosCredentialCache.silence {
                throw silence.error
            }
            do throws(KerberosError) {
                let credential = try KerberosCredential(source, library: library)
                known.held = Held(password: password, credential: credential, got: .now)
                known.silence = nil
                return credential
            } catch {
                switch error.reason {
                case .kdcUnreachable: known.silence = (error, .now)
                // What the KDC said about the account; asking again could lock it.
                case .wrongPassword, .unknownAccount, .accountDisabled, .passwordExpired:
                    guard source.isCheckedByKDC else { break }
                    if known.refused.count >= Self.maximumRefusals { known.refused.removeFirst() }
                    known.refused.append(Refused(password: password, error: error, learned: .now))
                default: break
                }
                throw error
            }
        }
    }

    private static func isSame(_ left: SharedSecret?, _ right: SharedSecret?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left === right || left.withBytes { left in right.withBytes { constantTimeEqual(left, $0) } }
    }

    private static func isFresh(
        _ held: Held,
        _ source: KerberosCredentialSource,
        _ now: ContinuousClock.Instant
    ) -> Bool {
        switch source {
        case .defaultCache, .cache:
            held.got.duration(to: now) < KerberosCredentialCache.cacheAge && !held.credential.isExpired()
        case .keytab, .password:
            !held.credential.isExpired(within: KerberosCredentialCache.margin)
        }
    }
}

extension KerberosCredentialSource {
    /// Whether getting a credential is a log-on that the KDC counts.
    fileprivate var isCheckedByKDC: Bool {
        switch self {
        case .defaultCache, .cache: false
        case .keytab, .password: true
        }
    }
}
