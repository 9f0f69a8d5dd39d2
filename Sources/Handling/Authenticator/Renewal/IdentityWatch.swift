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

    /// The keys of the identities, for the TLS of clients.
    public let ring: IdentityRing
    private let interval: Duration
    /// In seconds, the smallest first.
    let margins: [Int64]
    let now: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    let held: Mutex<[Held]>
    /// Those whose ends are watched only.
    let fixed = Mutex<[Fixed]>([])
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
            try await withThrowingDiscardingTaskGroup { group in
                let reads = SlowReads()
                while true {
                    // First, because what follows may take a while.
                    checkTimes(authenticator, report)
                    try await look(authenticator, report, reads, &group)
                    try await sleep(interval)
                }
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

    // MARK: - Looks

    /// Looks at each source once. Programs and stores may hang: each is read in a task of `group`, and the first look after its end
    /// takes what was read.
    private func look(
        _ authenticator: Authenticator,
        _ report: @Sendable (IdentityEvent) -> Void,
        _ reads: SlowReads,
        _ group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async throws {
        for finding in reads.takeEnded() { try await take(finding, authenticator, report) }
        for entry in held.withLock({ $0 }) {
            if case .files = entry.place.source {
                if let finding = await find(entry) { try await take(finding, authenticator, report) }
            } else if let finding = findWaiting(entry) {
                try await take(finding, authenticator, report)
            } else if entry.isDue(at: now()), reads.begin(entry.place.name) {
                group.addTask { [self] in
                    if let finding = await find(entry) { reads.end(finding) }
                }
            }
        }
    }

    private func take(
        _ finding: Finding,
        _ authenticator: Authenticator,
        _ report: @Sendable (IdentityEvent) -> Void
    ) async throws {
        let before = finding.before
        do {
            var found = try finding.result.get()
            guard found.keyed.identity != before.keyed.identity else {
                found.due = Self.retry(before.keyed, at: now())
                replace(before, by: found)
                return
            }
            if let unfit = before.objection(to: found.keyed, at: now()) { throw unfit }
            let isInUse = try await change(authenticator) { [found] list in
                guard let index = list.firstIndex(where: before.isStill) else { return false }
                // The sites may be others than when a program began.
                let place = list[index].place
                list[index] = found
                list[index].place = place
                return true
            }
            if isInUse { report(.renewed(identity: before.place.name, notAfter: found.keyed.notAfter)) }
        } catch let error as CancellationError {
            throw error
        } catch {
            let stays = before.staying(after: error, stamps: finding.stamps, at: now())
            guard replace(before, by: stays) else { return }
            // A store is asked at each look, and would say the same each time.
            if case .stored = before.place.source, stays.complaint == before.complaint { return }
            report(.unreadable(identity: before.place.name, reason: "\(error)"))
        }
    }

    /// Changes what is known of the source of an identity.
    ///
    /// - Returns: whether the identity is still in use.
    @discardableResult
    private func replace(_ before: Held, by entry: Held) -> Bool {
        held.withLock { list in
            guard let index = list.firstIndex(where: before.isStill) else { return false }
            // A read may have taken a while, in which margins were reported.
            let (place, reported) = (list[index].place, list[index].reported)
            list[index] = entry
            (list[index].place, list[index].reported) = (place, reported)
            return true
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
}
