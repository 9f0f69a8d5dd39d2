internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// The connections of one event loop to one parent, or to one server that is reached without a parent or through a SOCKS proxy.
///
/// A connection is used only for the key for which it was opened and authenticated; see `PoolKey`.
final class UpstreamPool {
    /// What the connections lead to.
    enum End: Hashable {
        /// A parent, which takes requests for all servers.
        case parent
        /// A server that a client names; TLS, if there is any, is the client's.
        case server
        /// A server that the settings name.
        case mappedServer
        /// The same with TLS of the relay: directly, or through a tunnel of a parent.
        case securedServer
    }

    let loop: LoopContext
    /// `nil` after the end of the relay.
    private weak var pools: UpstreamPools?
    private let dialler: UpstreamDialler
    /// The parent or the server.
    let origin: Origin
    /// How requests reach it.
    let way: NextHop
    let end: End
    /// Idle connections, the last used one at the end: old ones may become too old.
    private var idle: [UpstreamConnection] = []
    private var waiting = CircularBuffer<Waiter>()
    /// All connections, with those that are being opened and with tunnels.
    private(set) var openCount = 0
    private let limit: Int
    /// The most servers that are known to be open.
    private static let mostOpenServers = 1024
    private(set) var all: [ObjectIdentifier: UpstreamConnection] = [:]
    /// How many connections only wait for a response that judges a password. Their clients are gone.
    var keptForVerdict = 0
    /// The most of them, because each takes the place of another request.
    private static let mostKeptForVerdict = 64

    /// The servers for which the parent let a request pass on a connection that is not authenticated. It may ask for others only.
    private var openServers: Set<Origin> = []
    /// Counts how often ``openServers`` was emptied.
    private var openEra = 0
    /// Whether answers go out with each request, as those of Basic and Digest do.
    var answersInAdvance = false
    /// Any request to the parent, which says where the parent is.
    let anyRequest: ChallengedRequest
    /// What the parent offered before the last handshake that authenticated a connection; `nil` before, and after a connection that was not
    /// challenged. The next tunnel begins its handshake with it.
    var handshake: HTTPFields?

    /// Whether the party lets bodies pass on connections that it has authenticated. Some parties authenticate each request, such as Apache's
    /// mod_auth_gssapi: there a body waits as on a new connection.
    var passesBodies = false

    /// The last key of requests whose server does not matter, which all of them take while it stands.
    private var keptKey: (source: PoolKeySource, key: ConnectionKey)?

    private struct Waiter {
        let request: any UpstreamRequest
        let isFresh: Bool
        let deadline: NIODeadline
    }

    init(
        _ pools: UpstreamPools,
        _ origin: Origin,
        by way: NextHop,
        to end: End,
        through parent: RelayParent?,
        limit: Int
    ) {
        (self.pools, loop, dialler) = (pools, pools.loop, pools.dialler)
        self.origin = origin
        (self.way, self.end) = (way, end)
        self.limit = limit
        isDirect = end != .parent
        isSecure = end == .securedServer || end == .parent && origin.scheme == .https
        proxy = parent?.origin
        anyRequest = ChallengedRequest(proxy: origin, method: "CONNECT", target: "")
        let isSOCKS = parent?.kind == .socks5
        passedProxy = isDirect ? proxy : nil
        socks = isDirect && isSOCKS ? parent : nil
        tunnelParent = isDirect && !isSOCKS ? proxy : nil
    }

    /// Whether no parent sees the requests: only the server answers them.
    let isDirect: Bool
    /// Whether the relay itself speaks TLS to the party that answers. In a tunnel to a server the client does.
    let isSecure: Bool
    /// The proxy that a connection passes or ends at; `nil` without one.
    let proxy: Origin?
    /// The proxy that leads to a server and does not read what it carries.
    private let passedProxy: Origin?
    /// The parent whose tunnel its connections pass, which may ask for authentication before the server does.
    let tunnelParent: Origin?
    /// The SOCKS proxy that connects to the server.
    let socks: RelayParent?
    /// Whether the settings name what its connections connect to first. Another name must not lead to an address that the relay does not serve.
    var isNamed: Bool { way.parent.map { loop.core.parents.isNamed($0) } ?? (end != .server) }
    var hasIdle: Bool { !idle.isEmpty }

    /// Whether bodies for a server go out at once, because no challenge is expected. No server that is reached directly is answered.
    func isOpen(to server: Destination) -> Bool { isDirect || openServers.contains(server.origin) }

    /// Records that the parent has let a request pass without a challenge.
    func noteOpen(to server: Destination) {
        guard !isDirect, server.openNote != Destination.OpenNote(pool: ObjectIdentifier(self), era: openEra) else {
            return
        }
        if openServers.count >= Self.mostOpenServers { noteChallenge() }
        openServers.insert(server.origin)
        server.openNote = Destination.OpenNote(pool: ObjectIdentifier(self), era: openEra)
    }

    /// Records that the parent asks for authentication.
    func noteChallenge() {
        guard !openServers.isEmpty else { return }
        openServers = []
        openEra += 1
    }

    /// What the connection of a request is opened and authenticated for, where the server of the request does not matter.
    func key(of handler: ChallengeHandler) -> ConnectionKey {
        // Before the key is made, so that a password that is replaced meanwhile is noticed next time.
        let source = handler.poolKeySource
        if let keptKey, keptKey.source == source { return keptKey.key }
        let key = ConnectionKey(
            pool: handler.poolKey(for: origin, path: "/", through: passedProxy),
            answersServer: false
        )
        keptKey = (source, key)
        return key
    }

    /// Whether another connection whose client is gone may wait for such a response.
    var mayKeepForVerdict: Bool { keptForVerdict < Self.mostKeptForVerdict }

    /// Gives a request a connection: at once, or when one is free.
    ///
    /// - Parameter isFresh: whether it must be a connection that nothing has used.
    func lease(_ request: any UpstreamRequest, isFresh: Bool) {
        if waiting.isEmpty {
            if !isFresh, let connection = takeIdle(request.key) {
                return request.leased(connection, isReused: true)
            }
            if makeRoom() { return dial(request) }
        }
        guard request.mayWaitLong else { return request.refuse(.clientLeft) }
        request.noteQueued()
        waiting.append(Waiter(request: request, isFresh: isFresh, deadline: loop.now + loop.limits.waiting))
    }

    /// Takes a connection back that may carry another request.
    func release(_ connection: UpstreamConnection) {
        connection.becomeIdle()
        guard !loop.isEnding else { return connection.close() }
        while !waiting.isEmpty, let waiter = waiting.popFirst() {
            guard waiter.request.waitsForConnection else { continue }
            if waiter.isFresh || waiter.request.key != connection.key {
                // Its place goes to the new one, before those that have waited for a shorter time.
                waiting.prepend(waiter)
                connection.close()
                serveWaiting()
            } else {
                waiter.request.leased(connection, isReused: true)
            }
            return
        }
        idle.append(connection)
    }

    /// Records that a connection is gone.
    func closed(_ connection: UpstreamConnection) {
        guard all.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        openCount -= 1
        idle.removeAll { $0 === connection }
        serveWaiting()
        forgetIfUnused()
    }

    /// Closes what is too old, and ends waits that last too long.
    func sweep() {
        for connection in idle where connection.deadline <= loop.now { connection.close() }
        for connection in all.values where !connection.isPooled && connection.deadline <= loop.now {
            connection.expire()
        }
        while let first = waiting.first, first.deadline <= loop.now || !first.request.waitsForConnection {
            waiting.removeFirst()
            if first.request.waitsForConnection { first.request.refuse(.waitedTooLong) }
        }
        forgetIfUnused()
    }

    func closeIdle() { for connection in idle { connection.close() } }

    func closeAll() { for connection in all.values { connection.close() } }

    private func forgetIfUnused() {
        if isDirect, openCount == 0, waiting.isEmpty { pools?.forget(self) }
    }

    /// The connection with `key` that was used last. Those with other keys, such as that of an older password, become too old.
    private func takeIdle(_ key: ConnectionKey) -> UpstreamConnection? {
        while let last = idle.last {
            let index = last.key == key ? idle.endIndex - 1 : idle.lastIndex { $0.key == key }
            guard let index else { return nil }
            let connection = idle.remove(at: index)
            if connection.isUsable { return connection }
            connection.close()
        }
        return nil
    }

    /// Whether another connection may be opened; an idle one is closed for it.
    private func makeRoom() -> Bool {
        if openCount < limit { return true }
        guard let oldest = idle.first else { return false }
        idle.removeFirst()
        oldest.close()
        // Closing is noted at once or soon.
        return openCount < limit
    }

    private func serveWaiting() {
        while openCount < limit, let waiter = waiting.popFirst() {
            if waiter.request.waitsForConnection { dial(waiter.request) }
        }
    }

    private func dial(_ request: any UpstreamRequest) {
        openCount += 1
        request.noteDialled()
        let connection = UpstreamConnection(self, key: request.key)
        let bound = NIOLoopBound((self, request, connection), eventLoop: loop.eventLoop)
        dialler.dial(connection, by: request.handler, request.accounts).whenComplete { result in
            let (pool, request, connection) = bound.value
            pool.dialled(connection, request, result)
        }
    }

    private func dialled(
        _ connection: UpstreamConnection,
        _ request: any UpstreamRequest,
        _ result: Result<Void, any Error>
    ) {
        switch result {
        case .success:
            all[ObjectIdentifier(connection)] = connection
            guard connection.isUsable else {
                closed(connection)
                let refusal = connection.failure.map { RelayRefusal.failed(origin, $0) } ?? .closed(origin)
                if request.waitsForConnection { request.notConnected(refusal) }
                return
            }
            if request.waitsForConnection {
                request.leased(connection, isReused: false)
            } else {
                release(connection)
            }
        case .failure(let error):
            openCount -= 1
            if request.waitsForConnection { tell(error, to: request) }
            serveWaiting()
            forgetIfUnused()
        }
    }

    private func tell(_ error: any Error, to request: any UpstreamRequest) {
        if error is ProxyTunnelError { return request.tunnelRefused(error) }
        if let failure = error as? SOCKSFailure {
            return failure.mayTryAnother ? request.notConnected(failure.refusal) : request.refuse(failure.refusal)
        }
        if FilteringResolver.isForbidden(error) {
            guard let parent = way.parent else { return request.refuse(.forbidden(origin)) }
            return request.notConnected(.forbiddenProxy(loop.core.parents[parent]))
        }
        if let shortage = loop.core.noteShortage(error) {
            // Connections that no request uses make room.
            pools?.closeIdle()
            return request.notConnected(.shortage(shortage))
        }
        // What the server does is known only where no proxy stands before it.
        let reply = proxy == nil ? SOCKSError.Reply(connecting: error) : .failure
        let place = socks.map { "\($0)" } ?? "\(tunnelParent ?? origin)"
        request.notConnected(.notConnected(place, reason: ConnectReason.text(error), reply))
    }
}
