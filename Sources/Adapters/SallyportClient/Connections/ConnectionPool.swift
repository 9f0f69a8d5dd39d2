internal import NIOConcurrencyHelpers
internal import NIOCore
internal import Sallyport

/// The connections of a client. A connection serves requests of its own key only, so that no request gets the identity
/// of another account.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let number: Int
        /// Whether it needs a new connection.
        let isFresh: Bool
        let continuation: CheckedContinuation<Connection?, any Error>
    }

    /// The connections of one key.
    private struct Slot {
        /// The last one used is the first one used again.
        var idle: [Connection] = []
        var open = 0
        var waiting: [Waiter] = []
    }

    private struct State {
        var slots: [PoolKey: Slot] = [:]
        var idle = 0
        var lastWaiter = 0
        /// Counts the times at which all connections became outdated.
        var generation: UInt64 = 0
        var isShutDown = false
    }

    var isShutDown: Bool { state.withLockedValue { $0.isShutDown } }

    private let limit: Int
    private let idleConnections: Int
    private let idleLimit: TimeAmount
    private let state = NIOLockedValueBox(State())

    init(_ settings: ClientSettings) {
        limit = max(1, settings.connectionsPerKey)
        idleConnections = max(0, settings.idleConnections)
        idleLimit = settings.idleLimit
    }

    /// An idle connection for `key`, or `nil` if the caller may open one, after waiting for its turn.
    ///
    /// - Parameter isFresh: whether the caller needs a new connection.
    func lease(_ key: PoolKey, isFresh: Bool = false) async throws -> Connection? {
        let number = state.withLockedValue { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, isFresh: isFresh, continuation: continuation)
                if let answer = admit(waiter, key) { continuation.resume(with: answer) }
            }
        } onCancel: {
            leave(number, key)
        }
    }

    private func admit(_ waiter: Waiter, _ key: PoolKey) -> Result<Connection?, any Error>? {
        var surplus: Connection?
        let answer: Result<Connection?, any Error>? = state.withLockedValue { state in
            if state.isShutDown { return .failure(ClientError.isShutDown) }
            if Task.isCancelled { return .failure(CancellationError()) }
            var slot = state.slots[key] ?? Slot()
            defer { state.slots[key] = slot }
            while !waiter.isFresh, let connection = slot.idle.popLast() {
                state.idle -= 1
                if connection.isActive { return .success(connection) }
                slot.open -= 1
            }
            if slot.open >= limit, let oldest = slot.idle.first {
                slot.idle.removeFirst()
                state.idle -= 1
                slot.open -= 1
                surplus = oldest
            }
            if slot.open < limit {
                slot.open += 1
                return .success(nil)
            }
            slot.waiting.append(waiter)
            return nil
        }
        surplus?.close()
        return answer
    }

    private func leave(_ number: Int, _ key: PoolKey) {
        let waiter = state.withLockedValue { state -> Waiter? in
            guard let index = state.slots[key]?.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.slots[key]?.waiting.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Takes a connection back whose response has ended.
    func release(_ connection: Connection) {
        let (waiter, isKept) = state.withLockedValue { state -> (Waiter?, Bool) in
            guard !state.isShutDown, connection.isActive, connection.generation == state.generation else {
                return (nil, false)
            }
            if let waiter = state.slots[connection.key]?.waiting.first {
                // The place goes to it, and the connection ends.
                guard !waiter.isFresh else { return (nil, false) }
                state.slots[connection.key]?.waiting.removeFirst()
                return (waiter, true)
            }
            guard state.idle < idleConnections else { return (nil, false) }
            connection.becomesIdle()
            state.slots[connection.key]?.idle.append(connection)
            state.idle += 1
            return (nil, true)
        }
        if let waiter { return waiter.continuation.resume(returning: connection) }
        if !isKept { discard(connection) }
    }

    /// The generation of connections that begin now.
    var generation: UInt64 { state.withLockedValue { $0.generation } }

    /// Watches a new connection until it is closed.
    ///
    /// - Parameter generation: that of the moment before it began.
    func watch(_ connection: Connection, of generation: UInt64) {
        connection.generation = generation
        let half = TimeAmount.nanoseconds(max(1, idleLimit.nanoseconds / 2))
        let timer = connection.channel.eventLoop.scheduleRepeatedTask(initialDelay: idleLimit, delay: half) {
            [weak self, weak connection, idleLimit] _ in
            guard let self, let connection, connection.wasIdle(for: idleLimit), removeIdle(connection) else { return }
            discard(connection)
        }
        connection.channel.closeFuture.whenComplete { [weak self, weak connection] _ in
            timer.cancel()
            guard let self, let connection, removeIdle(connection) else { return }
            closed(connection.key)
        }
    }

    /// Removes an idle connection. Returns false if it is not idle.
    private func removeIdle(_ connection: Connection) -> Bool {
        state.withLockedValue { state in
            guard let index = state.slots[connection.key]?.idle.firstIndex(where: { $0 === connection }) else {
                return false
            }
            state.slots[connection.key]?.idle.remove(at: index)
            state.idle -= 1
            return true
        }
    }

    /// Closes a connection that cannot be used again.
    func discard(_ connection: Connection) {
        connection.close()
        closed(connection.key)
    }

    /// A leased connection is gone, or could not be opened.
    func closed(_ key: PoolKey) {
        let waiter = state.withLockedValue { state -> Waiter? in
            guard var slot = state.slots[key] else { return nil }
            var waiter: Waiter?
            if slot.waiting.isEmpty { slot.open -= 1 } else { waiter = slot.waiting.removeFirst() }
            state.slots[key] = slot.open == 0 && slot.waiting.isEmpty ? nil : slot
            return waiter
        }
        // The place is the waiter's: it may open a connection.
        waiter?.continuation.resume(returning: nil)
    }

    /// Closes all idle connections, and each other one when its request has ended.
    func closeIdle() {
        let connections = state.withLockedValue { state in
            let idle = state.slots.values.flatMap(\.idle)
            for key in state.slots.keys { state.slots[key]?.idle = [] }
            state.idle = 0
            state.generation += 1
            return idle
        }
        for connection in connections { discard(connection) }
    }

    /// Closes all idle connections and lets no request begin.
    func shutDown() {
        let (connections, waiters) = state.withLockedValue { state in
            state.isShutDown = true
            let slots = state.slots.values
            let all = (slots.flatMap(\.idle), slots.flatMap(\.waiting))
            state.slots = [:]
            state.idle = 0
            return all
        }
        for connection in connections { connection.close() }
        for waiter in waiters { waiter.continuation.resume(throwing: ClientError.isShutDown) }
    }
}
