internal import Hostnames
internal import NIOCore
internal import Sallyport

/// The connections of one event loop to the parent.
///
/// A connection is used only for the key for which it was opened and authenticated; see `PoolKey`.
final class ParentPool {
    let loop: RelayLoop
    let parent: Origin
    /// Idle connections, the last used one at the end: old ones may become too old.
    private var idle: [ParentConnection] = []
    private var waiting = CircularBuffer<Waiter>()
    /// All connections, with those that are being opened and with tunnels.
    private(set) var openCount = 0
    private let limit: Int
    private(set) var all: [ObjectIdentifier: ParentConnection] = [:]

    /// Whether the last first request on a connection was not challenged.
    var isOpenToAll = false
    /// Whether answers go out with each request, as those of Basic and Digest do.
    var answersInAdvance = false

    private struct Waiter {
        let client: ClientConnection
        let exchange: Exchange
        let isFresh: Bool
        let deadline: NIODeadline
    }

    init(_ loop: RelayLoop, parent: Origin, limit: Int) {
        self.loop = loop
        self.parent = parent
        self.limit = limit
    }

    /// Gives `client` a connection for `exchange`: at once, or when one is free.
    ///
    /// - Parameter isFresh: whether it must be a connection that nothing has used.
    func lease(_ client: ClientConnection, _ exchange: Exchange, isFresh: Bool) {
        if waiting.isEmpty {
            if !isFresh, let connection = takeIdle() { return client.leased(connection, isReused: true, for: exchange) }
            if makeRoom() { return dial(client, exchange) }
        }
        let deadline = loop.now + loop.limits.waiting
        waiting.append(Waiter(client: client, exchange: exchange, isFresh: isFresh, deadline: deadline))
    }

    /// Takes a connection back that may carry another request.
    func release(_ connection: ParentConnection) {
        connection.becomeIdle()
        guard connection.key == loop.poolKey(), !loop.isEnding else { return connection.close() }
        while let waiter = waiting.popFirst() {
            guard waiter.client.waits(for: waiter.exchange) else { continue }
            if waiter.isFresh {
                // Its place goes to the new one.
                connection.close()
                makeRoomAndDial(waiter)
            } else {
                waiter.client.leased(connection, isReused: true, for: waiter.exchange)
            }
            return
        }
        idle.append(connection)
    }

    /// Records that a connection is gone.
    func closed(_ connection: ParentConnection) {
        guard all.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        openCount -= 1
        if connection.isIdle { idle.removeAll { $0 === connection } }
        serveWaiting()
    }

    /// Closes what is too old, and ends waits that last too long.
    func sweep() {
        for connection in idle where connection.deadline <= loop.now { connection.close() }
        for connection in all.values where !connection.isIdle && connection.deadline <= loop.now { connection.expire() }
        while let first = waiting.first, first.deadline <= loop.now || !first.client.waits(for: first.exchange) {
            waiting.removeFirst()
            if first.client.waits(for: first.exchange) { first.client.refuse(.waitedTooLong) }
        }
    }

    func closeIdle() { for connection in idle { connection.close() } }

    private func takeIdle() -> ParentConnection? {
        let key = loop.poolKey()
        while let connection = idle.popLast() {
            if connection.key == key, connection.isUsable { return connection }
            connection.isIdle = false
            connection.close()
        }
        return nil
    }

    /// Whether another connection may be opened; an idle one is closed for it.
    private func makeRoom() -> Bool {
        if openCount < limit { return true }
        guard let oldest = idle.first else { return false }
        idle.removeFirst()
        oldest.isIdle = false
        oldest.close()
        // Closing is noted at once or soon.
        return openCount < limit
    }

    private func makeRoomAndDial(_ waiter: Waiter) {
        if makeRoom() { dial(waiter.client, waiter.exchange) } else { waiting.prepend(waiter) }
    }

    private func serveWaiting() {
        while openCount < limit, let waiter = waiting.popFirst() {
            guard waiter.client.waits(for: waiter.exchange) else { continue }
            dial(waiter.client, waiter.exchange)
        }
    }

    private func dial(_ client: ClientConnection, _ exchange: Exchange) {
        openCount += 1
        let connection = ParentConnection(self, key: loop.poolKey())
        let bound = NIOLoopBound((self, client, exchange, connection), eventLoop: loop.eventLoop)
        loop.dial(parent, connection).whenComplete { result in
            let (pool, client, exchange, connection) = bound.value
            pool.dialled(connection, client, exchange, result)
        }
    }

    private func dialled(
        _ connection: ParentConnection,
        _ client: ClientConnection,
        _ exchange: Exchange,
        _ result: Result<Void, any Error>
    ) {
        switch result {
        case .success:
            all[ObjectIdentifier(connection)] = connection
            guard connection.isUsable else {
                closed(connection)
                let refusal = connection.failure.map { RelayRefusal.failed(parent, reason: "\($0)") } ?? .closed(parent)
                if client.waits(for: exchange) { client.refuse(refusal) }
                return
            }
            if client.waits(for: exchange) {
                client.leased(connection, isReused: false, for: exchange)
            } else {
                release(connection)
            }
        case .failure(let error):
            openCount -= 1
            if client.waits(for: exchange) { client.refuse(.notConnected(parent, reason: ConnectReason.text(error))) }
            serveWaiting()
        }
    }
}
