internal import Synchronization

/// The events as an asynchronous sequence with a bound. If no task reads them, the oldest are dropped and counted.
///
/// ```swift
/// let stream = EventStream()
/// let handler = try ChallengeHandler(profile: profile, at: now, observer: stream.observer)
/// for await event in stream.events { … }
/// ```
public final class EventStream: Sendable {
    /// The events that wait to be read, if no other bound is given.
    public static let standardBound = 1_024

    /// Receives the events; pass it to a handler.
    public let observer: EventObserver
    /// The events, for one reader.
    public let events: AsyncStream<AuthenticationEvent>
    private let continuation: AsyncStream<AuthenticationEvent>.Continuation
    private let counter: Counter

    private final class Counter: Sendable {
        let dropped = Atomic<UInt64>(0)
    }

    /// Makes a stream.
    ///
    /// - Parameters:
    ///   - bound: how many events may wait; at least 1.
    ///   - clock: the time for events.
    public init(
        bound: Int = EventStream.standardBound,
        clock: @escaping EventObserver.Clock = EventObserver.systemClock
    ) {
        let counter = Counter()
        let (events, continuation) = AsyncStream.makeStream(
            of: AuthenticationEvent.self,
            bufferingPolicy: .bufferingNewest(max(1, bound))
        )
        self.counter = counter
        self.events = events
        self.continuation = continuation
        observer = EventObserver(clock: clock) { event in
            if case .dropped = continuation.yield(event) { counter.dropped.add(1, ordering: .relaxed) }
        }
    }

    /// How many events were dropped because they were not read in time.
    public var dropped: UInt64 { counter.dropped.load(ordering: .relaxed) }

    /// Ends the sequence. Later events are ignored.
    public func finish() { continuation.finish() }
}
