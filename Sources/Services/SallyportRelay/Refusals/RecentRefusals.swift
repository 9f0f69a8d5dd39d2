internal import NIOCore
internal import Synchronization

/// The reasons for which requests were refused lately, so that each is logged once, and not once for each request.
final class RecentRefusals: Sendable {
    /// The most reasons that are remembered. At the bound the oldest is forgotten.
    static let most = 64
    /// After this time a reason that still holds is news again.
    static let keptFor = TimeAmount.hours(1)

    private let known = Mutex<[(reason: String, logged: NIODeadline)]>([])

    /// Whether a reason is not one of those that were logged lately; it is from now on.
    func isNews(_ refusal: RelayRefusal, at now: NIODeadline) -> Bool { isNews(refusal.news, at: now) }

    func isNews(_ reason: String, at now: NIODeadline) -> Bool {
        known.withLock { known in
            known.removeAll { $0.logged + Self.keptFor <= now }
            guard !known.contains(where: { $0.reason == reason }) else { return false }
            if known.count == Self.most { known.removeFirst() }
            known.append((reason, now))
            return true
        }
    }
}
