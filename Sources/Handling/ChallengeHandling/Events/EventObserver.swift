internal import HTTPAuthentication
internal import NTLM
internal import Synchronization

/// Receives the events of a handler and of all handlers that succeed it.
///
/// ```swift
/// let observer = EventObserver { event in print(event) }
/// let handler = try ChallengeHandler(profile: profile, at: now, observer: observer)
/// ```
///
/// Without an observer a request costs a branch and no allocation more.
public final class EventObserver: Sendable {
    /// Microseconds since the start of 1970.
    public typealias Clock = @Sendable () -> Int64

    private let clock: Clock
    private let receive: @Sendable (AuthenticationEvent) -> Void
    private let lastRequest = Atomic<UInt64>(0)

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - clock: the time for events, in microseconds since 1970; the system's clock by default.
    ///   - receive: gets each event, on the thread on which it happened. Several threads may call it at once. It must not block, because
    ///     the thread may be an event loop's, and it must not change the profile.
    public init(
        clock: @escaping Clock = EventObserver.systemClock,
        receive: @escaping @Sendable (AuthenticationEvent) -> Void
    ) {
        self.clock = clock
        self.receive = receive
    }

    /// An observer that passes each event to all of `observers`, in their order, with the time of its own clock.
    public convenience init(clock: @escaping Clock = EventObserver.systemClock, _ observers: [EventObserver]) {
        self.init(clock: clock) { event in
            for observer in observers { observer.receive(event) }
        }
    }

    /// The clock of the system.
    public static let systemClock: Clock = {
        let unixEpoch = Int64(FileTime(unixSeconds: 0).rawValue)
        return (Int64(clamping: FileTime.now.rawValue) - unixEpoch) / 10
    }

    /// The number of a new request.
    func takeRequestNumber() -> UInt64 { lastRequest.add(1, ordering: .relaxed).newValue }

    /// Passes the changes of lock-out budgets on.
    var reportOfLockout: LockoutReport { { [self] in emit(.lockout($0)) } }

    /// The time now.
    var now: Int64 { clock() }

    /// Passes an event on, with the time now.
    package func emit(_ content: AuthenticationEvent.Content, of request: UInt64? = nil) {
        receive(AuthenticationEvent(unixMicroseconds: clock(), request: request, content: content))
    }
}
