internal import Synchronization

/// Credentials by their source, so that each is got once and used for many log-ons.
///
/// - One caller gets the credential of a source, and others for the same source wait for it. A wrong password thus reaches the KDC
///   once, however many requests need it.
/// - A password that the KDC refused is not sent again for ``refusalAge``; another password for the same account is tried.
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
    /// How long a password is not sent again after the KDC refused it: longer than directories count bad log-ons, as a rule.
    public static let refusalAge = Duration.seconds(30 * 60)
    /// How long before its end a credential is replaced.
    public static let margin = Duration.seconds(60)

    private struct Entries {
        var entries: [Key: CredentialEntry] = [:]
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

    private func entry(for key: Key) -> CredentialEntry {
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
            let entry = CredentialEntry()
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
