internal import ClientCertificates
internal import Credentials
internal import Synchronization
internal import Waiting

extension IdentityWatch {
    /// The shortest time between two runs of a program, in seconds.
    private static let leastPause: Int64 = 60

    /// What one source has brought.
    struct Finding: Sendable {
        /// The identity in use when the source was looked at.
        let before: Held
        /// The state of the files at that time.
        let stamps: [FileStamp?]
        let result: Result<Held, any Error>
    }

    /// Programs and stores that are read, one at a time for each identity, and what was read since the last look.
    final class SlowReads: Sendable {
        private struct State {
            /// The names of the identities.
            var running: Set<String> = []
            var ended: [Finding] = []
        }

        private let state = Mutex(State())

        /// Whether an identity may be read now. ``takeEnded()`` permits the next read, after the end of this one.
        func begin(_ name: String) -> Bool { state.withLock { $0.running.insert(name).inserted } }

        func end(_ finding: Finding) { state.withLock { $0.ended.append(finding) } }

        /// Takes what was brought since the last call.
        func takeEnded() -> [Finding] {
            state.withLock { state in
                let ended = state.ended
                state.ended = []
                state.running.subtract(ended.map(\.before.place.name))
                return ended
            }
        }
    }

    /// Looks at a source, and reads it if it has no files or they have changed; `nil` if there is nothing new.
    func find(_ before: Held) async -> Finding? {
        var stamps = before.stamps
        do {
            if case .files = before.place.source {
                stamps = try await OwnThread.run { before.place.stamps }
                guard stamps != before.stamps else { return findWaiting(before) }
            }
            return Finding(before: before, stamps: stamps, result: .success(try await Self.read(before.place, at: now)))
        } catch {
            return Finding(before: before, stamps: stamps, result: .failure(error))
        }
    }

    /// The identity that waits for its time, if the time has come.
    func findWaiting(_ before: Held) -> Finding? {
        let now = now()
        guard let waiting = before.waiting, before.objection(to: waiting, at: now) == nil else { return nil }
        let due = Self.due(waiting, at: now)
        let found = Held(place: before.place, keyed: waiting, stamps: before.stamps, due: due)
        return Finding(before: before, stamps: before.stamps, result: .success(found))
    }

    static func read(_ places: [IdentityPlace], at now: () -> Int64) async throws -> [Held] {
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
    static func retry(_ keyed: KeyedIdentity, at now: Int64) -> Int64 {
        let (left, overflow) = keyed.notAfter.subtractingReportingOverflow(now)
        return now + (overflow ? leastPause : max(leastPause, min(left, 86_400) / 10))
    }
}
