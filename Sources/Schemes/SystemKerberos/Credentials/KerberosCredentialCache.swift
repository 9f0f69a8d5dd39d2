internal import Secrets
internal import Synchronization

/// Credentials by their source, so that each is got once and used for many log-ons.
///
/// - One caller gets the credential of a source, and others for the same source wait for it. A wrong password thus reaches the KDC
///   once, however many requests need it.
/// - A password that the KDC refused is not sent again; another password for the same account is tried.
/// - If no KDC answers, that is remembered for ``silence``, so that not every request waits for it.
/// - Tickets of a cache are read again after ``cacheAge``, so that `kinit` and `kdestroy` take effect; others shortly before they expire.
public final class KerberosCredentialCache: Sendable {
    /// The library of the credentials.
    public let library: KerberosLibrary
    /// The most sources that are remembered; then those that were used longest ago are forgotten.
    public let maximumEntries: Int
    /// How long tickets of a cache are used without a look at the cache.
    public static let cacheAge = Duration.seconds(15)
    /// How long a KDC is not asked again after it did not answer.
    public static let silence = Duration.seconds(30)
    /// How long before its end a credential is replaced.
    public static let margin = Duration.seconds(60)

    private struct Entries {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
        /// The number of each entry's last use.
        var lastUse: [Key: UInt64] = [:]
    }

    private let content = Mutex(Entries())

    /// An empty cache.
    ///
    /// - Precondition: `maximumEntries` is at least 1.
    public init(library: KerberosLibrary, maximumEntries: Int = 256) {
        precondition(maximumEntries > 0, "a cache of credentials holds at least one")
        self.library = library
        self.maximumEntries = maximumEntries
    }

    /// The credential of a source; gets it if it is not there. May wait for a KDC, so call it off an event loop.
    public func credential(for source: KerberosCredentialSource) throws(KerberosError) -> KerberosCredential {
        try entry(for: Key(source)).credential(for: source, library)
    }

    /// Forgets a source: its credential, and that its password was refused.
    public func forget(_ source: KerberosCredentialSource) {
        let key = Key(source)
        content.withLock { content in
            content.entries[key] = nil
            content.lastUse[key] = nil
        }
    }

    private func entry(for key: Key) -> Entry {
        content.withLock { content in
            content.uses += 1
            content.lastUse[key] = content.uses
            if let found = content.entries[key] { return found }
            if content.entries.count >= maximumEntries,
                let oldest = content.lastUse.filter({ $0.key != key }).min(by: { $0.value < $1.value })
            {
                content.entries[oldest.key] = nil
                content.lastUse[oldest.key] = nil
            }
            let entry = Entry()
            content.entries[key] = entry
            return entry
        }
    }

    /// A source without its password.
    private enum Key: Hashable {
        case defaultCache(String?)
        case cache(String, String?)
        case keytab(String, String)
        case password(String)

        init(_ source: KerberosCredentialSource) {
            switch source {
            case .defaultCache(let principal): self = .defaultCache(principal)
            case .cache(let name, let principal): self = .cache(name, principal)
            case .keytab(let path, let principal): self = .keytab(path, principal)
            case .password(_, let principal): self = .password(principal)
            }
        }
    }
}

/// One source's credential, or why there is none.
private final class Entry: Sendable {
    private struct Known {
        var password: SharedSecret?
        var outcome: Result<KerberosCredential, KerberosError>
        var learned: ContinuousClock.Instant
    }

    private let known = Mutex<Known?>(nil)

    /// The lock is held while the library waits, so that others for the same source wait too.
    func credential(
        for source: KerberosCredentialSource,
        _ library: KerberosLibrary
    ) throws(KerberosError) -> KerberosCredential {
        try known.withLock { (known) throws(KerberosError) in
            var password: SharedSecret?
            if case .password(let given, _) = source { password = given }
            if let known, Self.isSame(known.password, password), Self.isFresh(known, source) {
                return try known.outcome.get()
            }
            let outcome: Result<KerberosCredential, KerberosError>
            do throws(KerberosError) {
                outcome = .success(try KerberosCredential(source, library: library))
            } catch {
                outcome = .failure(error)
            }
            known = Known(password: password, outcome: outcome, learned: .now)
            return try outcome.get()
        }
    }

    private static func isSame(_ left: SharedSecret?, _ right: SharedSecret?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left === right || left.withBytes { left in right.withBytes { constantTimeEqual(left, $0) } }
    }

    private static func isFresh(_ known: Known, _ source: KerberosCredentialSource) -> Bool {
        let age = known.learned.duration(to: .now)
        switch (known.outcome, source) {
        case (.success(let credential), .defaultCache), (.success(let credential), .cache):
            return age < KerberosCredentialCache.cacheAge && !credential.isExpired()
        case (.success(let credential), _):
            return !credential.isExpired(within: KerberosCredentialCache.margin)
        case (.failure(let error), _):
            switch error.reason {
            case .kdcUnreachable: return age < KerberosCredentialCache.silence
            // What the KDC said about the account; asking again could lock it.
            case .wrongPassword, .unknownAccount, .accountDisabled, .passwordExpired:
                if case .defaultCache = source { return false }
                if case .cache = source { return false }
                return true
            default: return false
            }
        }
    }
}
