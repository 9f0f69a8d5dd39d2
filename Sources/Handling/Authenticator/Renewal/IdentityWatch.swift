public import ChallengeHandling
public import ClientCertificates
internal import CredentialSources
public import Credentials
internal import HTTPAuthentication
internal import Synchronization
internal import Waiting
internal import WireFormat

/// Owns client identities that something else renews: it reads them, watches their files, their records and their times, and replaces them.
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
    /// Places with what was read there.
    package struct Reading: Sendable {
        let held: [Held]
    }

    /// The shortest time between two runs of a program, in seconds.
    private static let leastPause: Int64 = 60

    /// The keys of the identities, for the TLS of clients.
    public let ring: IdentityRing
    private let interval: Duration
    /// In seconds, the smallest first.
    private let margins: [Int64]
    private let now: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    private let held: Mutex<[Held]>
    /// Those whose ends are watched only.
    private let fixed = Mutex<[Fixed]>([])
    /// One change at a time, so that one that fails takes back no other one.
    private let changes = Turns()

    /// Reads all identities.
    ///
    /// - Throws: `IdentityError`, `SecretReferenceError`, what a store throws, or `CancellationError`.
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
        interval = options.interval
        margins = options.margins.map(\.components.seconds).sorted()
        self.now = now
        self.sleep = sleep
        let read = try await Self.read(places, at: now)
        held = Mutex(read)
        ring = IdentityRing(read.map(\.keyed))
    }

    /// The identities in use, for ``Authenticator/init(_:sources:prompt:store:identities:serverTrust:identityChoice:options:)``.
    public var source: Authenticator.IdentitySource { { [self] in assignments } }

    /// The identities in use, and the servers that may get them.
    public var assignments: [SecurityProfile.Assignment<ClientIdentity>] {
        held.withLock { $0.map { .init($0.keyed.identity, sites: $0.place.sites) } }
    }

    /// The last seconds in which the identities are valid: in the order of the places, and then those whose ends are watched only.
    package var ends: [Int64] {
        held.withLock { $0.map(\.keyed.notAfter) } + fixed.withLock { $0.map(\.notAfter) }
    }

    /// Tells of the ends of identities that it does not read, such as those of cards; they take the place of those of the last call.
    package func watchEnds(of identities: [ClientIdentity]) {
        fixed.withLock { fixed in
            fixed = identities.compactMap { identity in
                fixed.first { $0.identity == identity }
                    ?? (try? IdentityCandidate(identity)).map { Fixed(identity: identity, notAfter: $0.notAfter) }
            }
        }
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
            // Nothing is closed if the profile has them already.
            if !areInUse(by: authenticator) { try await fetch(authenticator) }
            while true {
                for entry in held.withLock({ $0 }) { try await renew(entry, authenticator, report) }
                checkTimes(authenticator, report)
                try await sleep(interval)
            }
        } catch is CancellationError {
            return
        }
    }

    /// Takes other places, such as those of a profile that was read again, and their identities.
    ///
    /// - Throws: what reading throws, or `ProfileError`; then everything stays as it was.
    public func replace(by places: [IdentityPlace], _ authenticator: Authenticator) async throws {
        try await use(read(places), authenticator)
    }

    /// Reads places, and changes nothing.
    package func read(_ places: [IdentityPlace]) async throws -> Reading {
        Reading(held: try await Self.read(places, at: now))
    }

    /// Takes what was read in place of all before it.
    package func use(_ reading: Reading, _ authenticator: Authenticator) async throws {
        let now = now()
        try await change(authenticator) { list in
            list = reading.held.map { [list] entry in entry.replacing(list, at: now) }
            return true
        }
    }

    // MARK: - Reading

    private static func read(_ places: [IdentityPlace], at now: () -> Int64) async throws -> [Held] {
        var read: [Held] = []
        for place in places { read.append(try await self.read(place, at: now)) }
        return read
    }

    private static func read(_ place: IdentityPlace, at now: () -> Int64) async throws -> Held {
        // Before the files are read, so that a change meanwhile is seen the next time.
        let stamps = try await OwnThread.run { place.stamps }
        let keyed = try await place.read()
        return Held(place: place, keyed: keyed, stamps: stamps, due: due(keyed, at: now()))
    }

    /// When a program runs again: after two thirds of the certificate's time, as ACME's clients renew.
    private static func due(_ keyed: KeyedIdentity, at now: Int64) -> Int64 {
        let (life, overflow) = keyed.notAfter.subtractingReportingOverflow(keyed.notBefore)
        guard !overflow, life > 0 else { return retry(keyed, at: now) }
        return max(keyed.notAfter - life / 3, retry(keyed, at: now))
    }

    /// When a program that brought nothing new runs again: after a tenth of the time that is left, of one day at most.
    private static func retry(_ keyed: KeyedIdentity, at now: Int64) -> Int64 {
        let (left, overflow) = keyed.notAfter.subtractingReportingOverflow(now)
        return now + (overflow ? leastPause : max(leastPause, min(left, 86_400) / 10))
    }

    private func renew(
        _ before: Held,
        _ authenticator: Authenticator,
        _ report: @Sendable (IdentityEvent) -> Void
    ) async throws {
        let place = before.place
        let stamps = try await OwnThread.run { place.stamps }
        switch place.source {
        case .files: guard stamps != before.stamps else { return }
        case .command: guard now() >= before.due else { return }
        case .stored: break
        }
        let retry = Self.retry(before.keyed, at: now())
        do {
            var found = try await Self.read(place, at: now)
            guard found.keyed.identity != before.keyed.identity else {
                found.due = retry
                found.reported = before.reported
                return replace(before, by: found)
            }
            // The one before may still be valid; an expired one is presented to no server.
            guard found.keyed.notAfter >= now() else { throw Expired(notAfter: found.keyed.notAfter) }
            let isInUse = try await change(authenticator) { [found] list in
                guard let index = list.firstIndex(where: before.isSame(as:)) else { return false }
                list[index] = found
                return true
            }
            if isInUse { report(.renewed(identity: place.name, notAfter: found.keyed.notAfter)) }
        } catch let error as CancellationError {
            throw error
        } catch {
            // Files are read again only after another change, and a program runs again later.
            var held = before
            (held.stamps, held.due, held.complaint) = (stamps, retry, "\(error)")
            replace(before, by: held)
            // A store is asked at each look, and would say the same each time.
            if case .stored = place.source, held.complaint == before.complaint { return }
            report(.unreadable(identity: place.name, reason: "\(error)"))
        }
    }

    /// Changes what is known of an identity, unless another one has taken its place.
    private func replace(_ before: Held, by entry: Held) {
        held.withLock { list in
            guard let index = list.firstIndex(where: before.isSame(as:)) else { return }
            list[index] = entry
        }
    }

    /// Changes the identities in use; after an error all is as before.
    ///
    /// - Returns: what `body` returns: whether there is a change.
    @discardableResult
    private func change(
        _ authenticator: Authenticator,
        _ body: @Sendable (inout [Held]) -> Bool
    ) async throws -> Bool {
        try await changes.wait()
        defer { changes.leave() }
        let (before, isChanged) = held.withLock { list in
            let before = list
            return (before, body(&list))
        }
        guard isChanged else { return false }
        // The key is there before the first handshake that needs it.
        ring.replace(by: held.withLock { $0.map(\.keyed) })
        do {
            try await fetch(authenticator)
        } catch {
            held.withLock { $0 = before }
            ring.replace(by: before.map(\.keyed))
            throw error
        }
        return true
    }

    /// Fetches, once more if the call joined one that began before the change.
    private func fetch(_ authenticator: Authenticator) async throws {
        for _ in 0..<2 {
            try await authenticator.fetchNewCertificates()
            if areInUse(by: authenticator) { return }
        }
    }

    private func areInUse(by authenticator: Authenticator) -> Bool {
        let known = Set(authenticator.current.handler.compiled.profile.identities.map(\.value))
        return assignments.allSatisfy { known.contains($0.value) }
    }

    // MARK: - Times

    private func checkTimes(_ authenticator: Authenticator, _ report: @Sendable (IdentityEvent) -> Void) {
        let now = now()
        let events =
            held.withLock { list in
                list.indices.compactMap { index in
                    let entry = list[index].keyed
                    return event(of: entry.identity, entry.notAfter, &list[index].reported, at: now)
                }
            }
            + fixed.withLock { list in
                list.indices.compactMap { index in
                    let entry = list[index]
                    return event(of: entry.identity, entry.notAfter, &list[index].reported, at: now)
                }
            }
        for event in events {
            // A connection must not outlive the identity that it was made with.
            if case .expired = event { authenticator.closeConnections() }
            report(event)
        }
    }

    /// - Parameter reported: see ``Held/reported``.
    private func event(
        of identity: ClientIdentity,
        _ end: Int64,
        _ reported: inout Int64,
        at now: Int64
    ) -> IdentityEvent? {
        let (left, overflow) = end.subtractingReportingOverflow(now)
        guard !overflow else { return nil }
        if left < 0 {
            guard reported > 0 else { return nil }
            reported = 0
            return .expired(identity: identity.name, notAfter: end)
        }
        guard let margin = margins.first(where: { left <= $0 }), margin < reported else { return nil }
        reported = max(margin, 1)
        return .expiresSoon(identity: identity.name, notAfter: end)
    }
}
