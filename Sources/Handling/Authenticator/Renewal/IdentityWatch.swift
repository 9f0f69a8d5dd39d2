public import ChallengeHandling
public import ClientCertificates
internal import CredentialSources
public import Credentials
internal import HTTPAuthentication
internal import Synchronization
internal import Waiting
internal import WireFormat

/// Owns the client identities that lie in files: it reads them, watches their files and their times, and replaces them.
///
/// ```swift
/// let watch = try await IdentityWatch([
///     IdentityPlace(name: "laptop", files: .one("/etc/acme/laptop.p12"), passphrase: passphrase, sites: ["*.acme.example"])
/// ])
/// let authenticator = try Authenticator(current, identities: watch.source)
/// // Before the first request, which finds no identity otherwise.
/// try await authenticator.fetchNewCertificates()
/// var settings = TLSSettings()
/// settings.identities = watch.ring
/// let client = AuthenticatedClient(authenticator, tls: try TLSConnector(settings, current))
/// try await watch.run(authenticator) { event in logger.notice("\(event)") }
/// ```
public final class IdentityWatch: Sendable {
    private struct Held: Sendable {
        var keyed: KeyedIdentity
        /// The state of the files that it was read from, or that could not be read.
        var stamps: [FileStamp?]
        /// The smallest margin that was reported, in seconds; 0 after the end.
        var reported = Int64.max
    }

    /// The keys of the identities, for the TLS of clients.
    public let ring: IdentityRing
    private let places: [IdentityPlace]
    private let interval: Duration
    /// In seconds, the smallest first.
    private let margins: [Int64]
    private let now: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    /// In the order of the places.
    private let held: Mutex<[Held]>

    /// Reads all identities.
    ///
    /// - Throws: `IdentityError`, `SecretReferenceError`, or `CancellationError`.
    public convenience init(
        _ places: [IdentityPlace],
        options: IdentityWatchOptions = IdentityWatchOptions()
    ) async throws {
        try await self.init(
            places,
            options: options,
            now: { SystemClock.unixSeconds },
            sleep: { try await Task.sleep(for: $0) }
        )
    }

    /// The same with a clock: `now` is Unix time in seconds, and `sleep` waits.
    package init(
        _ places: [IdentityPlace],
        options: IdentityWatchOptions,
        now: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        self.places = places
        interval = options.interval
        margins = options.margins.map(\.components.seconds).sorted()
        self.now = now
        self.sleep = sleep
        var read: [Held] = []
        for place in places { read.append(try await Self.read(place)) }
        held = Mutex(read)
        ring = IdentityRing(read.map(\.keyed))
    }

    /// The identities in use, for ``Authenticator/init(_:sources:prompt:store:identities:serverTrust:identityChoice:options:)``.
    public var source: Authenticator.IdentitySource { { [self] in assignments } }

    /// The identities in use, and the servers that may get them.
    public var assignments: [SecurityProfile.Assignment<ClientIdentity>] {
        let identities = held.withLock { $0.map(\.keyed.identity) }
        return zip(places, identities).map { .init($1, sites: $0.sites) }
    }

    /// Puts the identities into the profile, and watches them until the task is cancelled.
    ///
    /// After each change `authenticator` fetches the identities: connections of the old one are closed, those that a request uses at
    /// its end. Run it once, in a task that lives as long as the client.
    ///
    /// - Parameters:
    ///   - authenticator: that of the clients, with ``source``.
    ///   - report: gets the events, one after the other.
    /// - Throws: `ProfileError` if the profile does not take the identities that were read first.
    public func run(
        _ authenticator: Authenticator,
        report: @escaping @Sendable (IdentityEvent) -> Void
    ) async throws {
        do {
            try await fetch(authenticator)
            while true {
                for index in places.indices { try await renew(index, authenticator, report) }
                for index in places.indices { checkTime(index, authenticator, report) }
                try await sleep(interval)
            }
        } catch is CancellationError {
            return
        }
    }

    // MARK: - Files

    private static func read(_ place: IdentityPlace) async throws -> Held {
        try await OwnThread.run {
            // Before the files are read, so that a change meanwhile is seen the next time.
            let stamps = place.stamps
            return Held(keyed: try place.read(), stamps: stamps)
        }
    }

    private func renew(
        _ index: Int,
        _ authenticator: Authenticator,
        _ report: @Sendable (IdentityEvent) -> Void
    ) async throws {
        let place = places[index]
        let before = held.withLock { $0[index] }
        let stamps = try await OwnThread.run { place.stamps }
        guard stamps != before.stamps else { return }
        do {
            let found = try await Self.read(place)
            guard found.keyed.identity != before.keyed.identity else {
                return held.withLock { $0[index].stamps = found.stamps }
            }
            try await use(found, at: index, authenticator)
            report(.renewed(identity: place.name, notAfter: found.keyed.notAfter))
        } catch let error as CancellationError {
            throw error
        } catch {
            // Read again only after another change.
            held.withLock { list in
                list[index] = before
                list[index].stamps = stamps
            }
            report(.unreadable(identity: place.name, reason: "\(error)"))
        }
    }

    private func use(_ found: Held, at index: Int, _ authenticator: Authenticator) async throws {
        let before = held.withLock { list in
            defer { list[index] = found }
            return list
        }
        // The key is there before the first handshake that needs it.
        ring.replace(by: held.withLock { $0.map(\.keyed) })
        do {
            try await fetch(authenticator)
        } catch {
            held.withLock { $0 = before }
            ring.replace(by: before.map(\.keyed))
            throw error
        }
    }

    /// Fetches, once more if the call joined one that began before the change.
    private func fetch(_ authenticator: Authenticator) async throws {
        for _ in 0..<2 {
            try await authenticator.fetchNewCertificates()
            let wanted = assignments.map(\.value)
            if authenticator.current.handler.compiled.profile.identities.map(\.value) == wanted { return }
        }
    }

    // MARK: - Times

    private func checkTime(
        _ index: Int,
        _ authenticator: Authenticator,
        _ report: @Sendable (IdentityEvent) -> Void
    ) {
        let (name, now) = (places[index].name, now())
        let event: IdentityEvent? = held.withLock { list in
            let end = list[index].keyed.notAfter
            let (left, overflow) = end.subtractingReportingOverflow(now)
            guard !overflow else { return nil }
            if left < 0 {
                guard list[index].reported > 0 else { return nil }
                list[index].reported = 0
                return .expired(identity: name, notAfter: end)
            }
            guard let margin = margins.first(where: { left <= $0 }), margin < list[index].reported else { return nil }
            list[index].reported = max(margin, 1)
            return .expiresSoon(identity: name, notAfter: end)
        }
        guard let event else { return }
        // A connection must not outlive the identity that it was made with.
        if case .expired = event { authenticator.closeConnections() }
        report(event)
    }
}
