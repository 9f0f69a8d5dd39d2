internal import Synchronization

/// The right to ask again, after another request's attempt, or once a message of Kerberos is there.
///
/// While an unproven password is tried, other requests wait for the result instead of sending the same password. Wait
/// with ``ready()`` or ``whenReady(_:)``, then pass the same response to the exchange again. Requests are served in
/// the order in which they began to wait. A turn that is dropped gives up its place.
public final class AttemptTurn: Sendable {
    private enum State {
        case waiting([@Sendable () -> Void])
        case called
    }

    /// The queue in which the turn has a place.
    private struct Queue {
        let budget: PasswordBudget
        let place: Place
    }

    let number: UInt64
    /// `nil` for a turn that waits for no attempt.
    private let queue: Queue?
    /// An attempt of the request that nothing has judged; `nil` as a rule.
    let unjudged: PasswordBudget.Companion?
    private let deadline: MonotonicTime
    private let state = Mutex(State.waiting([]))
    private let isUsed = Atomic(false)

    init(
        _ number: UInt64,
        _ budget: PasswordBudget,
        _ place: Place,
        deadline: MonotonicTime,
        after unjudged: PasswordBudget.Companion? = nil
    ) {
        self.number = number
        queue = Queue(budget: budget, place: place)
        self.deadline = deadline
        self.unjudged = unjudged
    }

    /// A turn without a place in a queue; ``call()`` lets the request go on.
    init(until deadline: MonotonicTime) {
        number = 0
        queue = nil
        unjudged = nil
        self.deadline = deadline
    }

    /// A turn that waits for nothing, for a request whose attempt `unjudged` nothing has judged.
    init(after unjudged: PasswordBudget.Companion) {
        number = 0
        queue = nil
        self.unjudged = unjudged
        deadline = MonotonicTime(nanoseconds: .min)
    }

    deinit {
        if let queue, !isUsed.load(ordering: .relaxed) { queue.budget.leave(number, queue.place) }
    }

    /// How long to wait at most: after that, ask again without being called.
    public var timeLeft: Duration { .nanoseconds(max(0, deadline - (queue?.budget.now ?? MonotonicTime.now))) }

    /// Returns when the request may ask again: after the other attempt, or after ``timeLeft``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func ready() async throws(CancellationError) {
        let timer = Task { [weak self, timeLeft] in
            do { try await Task.sleep(for: timeLeft) } catch { return }
            self?.call()
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in whenReady { continuation.resume() } }
        } onCancel: {
            call()
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Calls `body` once, when the other attempt has ended; at once if it has ended already.
    ///
    /// `body` runs on the thread that ends the attempt, so it must not block. It is not called for ``timeLeft``: an
    /// event loop has its own timers.
    public func whenReady(_ body: @escaping @Sendable () -> Void) {
        let isCalled = state.withLock { state in
            guard case .waiting(let bodies) = state else { return true }
            state = .waiting(bodies + [body])
            return false
        }
        if isCalled { body() }
    }

    /// Lets the request ask again.
    func call() {
        let bodies = state.withLock { state in
            guard case .waiting(let bodies) = state else { return [] as [@Sendable () -> Void] }
            state = .called
            return bodies
        }
        for body in bodies { body() }
    }

    /// Passes the place in the queue on to the request that asks again; `nil` if the turn is another password's.
    func use(at budget: PasswordBudget) -> UInt64? {
        guard let queue, budget === queue.budget else { return nil }
        isUsed.store(true, ordering: .relaxed)
        return number
    }
}

extension AttemptTurn: Equatable {
    /// Whether both are the same turn.
    public static func == (left: AttemptTurn, right: AttemptTurn) -> Bool { left === right }
}
