internal import Synchronization

/// Ends a request that takes too long, or that stands still.
final class RequestClock: Sendable {
    /// How long no byte may come.
    private let stallLimit: Duration

    private let last = Mutex(ContinuousClock.now)

    /// The limit of a request. A person at the terminal may take as long, too.
    static let requestLimit = Duration.seconds(600)
    /// The limit of the page of a refusal, whose answer is known already.
    static let refusalLimit = Duration.seconds(10)

    /// - Parameter stallLimit: how long no byte may come.
    init(stallLimit: Duration = requestLimit) { self.stallLimit = stallLimit }

    /// Notes that something happened.
    func advance() { last.withLock { $0 = .now } }

    /// Runs `body`, and cancels it after `limit` or when it stands still.
    ///
    /// - Throws: ``RequestProblem``, or what `body` throws.
    func run<Value: Sendable>(
        limit: Duration?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        advance()
        let deadline = limit.map { ContinuousClock.now + $0 }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask { [self] in
                while true {
                    let stall = last.withLock { $0 } + stallLimit
                    let end = min(deadline ?? stall, stall)
                    guard end > .now else { return nil }
                    try await Task.sleep(until: end, clock: .continuous)
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            guard let value = first else {
                guard let limit, let deadline, deadline <= .now else {
                    throw RequestProblem.stalled(seconds: Int(stallLimit.components.seconds))
                }
                throw RequestProblem.timeLimit(seconds: limit / .seconds(1))
            }
            return value
        }
    }
}
