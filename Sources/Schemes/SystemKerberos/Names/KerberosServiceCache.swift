internal import Synchronization

/// The names of services by host, so that krb5.conf is read once for many log-ons.
public final class KerberosServiceCache: Sendable {
    /// The library of the names.
    public let library: KerberosLibrary
    /// The most names that are kept; then the oldest is forgotten.
    public let maximumEntries: Int
    /// How long a name is used before krb5.conf is asked again for the host's realm.
    public static let age = Duration.seconds(60)

    private struct Key: Hashable {
        let service: String
        let host: String
        let naming: KerberosService.Naming
    }

    private struct Entry {
        let service: KerberosService
        let made: ContinuousClock.Instant
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// An empty cache.
    ///
    /// - Precondition: `maximumEntries` is at least 1.
    public init(library: KerberosLibrary, maximumEntries: Int = 1_024) {
        precondition(maximumEntries > 0, "a cache of names holds at least one")
        self.library = library
        self.maximumEntries = maximumEntries
    }

    /// The name of a service, as ``KerberosService/init(_:host:naming:library:)`` makes it. The first call for a host may wait, so call it
    /// off an event loop.
    public func service(
        _ service: String = "HTTP",
        host: String,
        naming: KerberosService.Naming = .exact
    ) throws(KerberosError) -> KerberosService {
        let (key, now) = (Key(service: service, host: host, naming: naming), ContinuousClock.now)
        let known = entries.withLock { entries in entries[key] }
        if let known, known.made.duration(to: now) < Self.age { return known.service }
        // Outside of the lock, because it may wait; two callers may make the same name.
        let made = try KerberosService(service, host: host, naming: naming, library: library)
        entries.withLock { entries in
            if entries[key] == nil, entries.count >= maximumEntries,
                let oldest = entries.min(by: { $0.value.made < $1.value.made })
            {
                entries[oldest.key] = nil
            }
            entries[key] = Entry(service: made, made: now)
        }
        return made
    }
}
