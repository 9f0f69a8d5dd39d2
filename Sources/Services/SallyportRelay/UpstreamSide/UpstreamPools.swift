internal import Hostnames

/// The pools of one event loop: one for each parent, and one for each server that the relay connects to itself.
final class UpstreamPools {
    let loop: LoopContext
    /// By their positions in the table; made when a request needs them.
    private var parents: [UpstreamPool?] = []
    /// The servers that read requests themselves, while there are connections to them.
    private var servers: [ServerPlace: UpstreamPool] = [:]
    /// Opens the connections of all pools.
    let dialler: UpstreamDialler
    private let shareOfConnections: Int

    private struct ServerPlace: Hashable {
        let origin: Origin
        let way: NextHop
        let end: UpstreamPool.End
    }

    /// - Parameter shares: how many event loops share the limits.
    init(_ loop: LoopContext, shares: Int) {
        self.loop = loop
        dialler = UpstreamDialler(loop)
        shareOfConnections = max(1, loop.limits.parentConnections / shares)
    }

    /// The pool of the parent that a way leads to, or of the server itself; `nil` if too many servers have connections.
    func pool(for destination: Destination, by way: NextHop) -> UpstreamPool? {
        guard case .parent(let position) = way else { return server(destination, by: way, through: nil) }
        let isServer = destination.isSecured
        if !isServer, position < parents.count, let known = parents[position] { return known }
        let parent = loop.core.parents[position]
        guard !isServer, parent.kind == .http else { return server(destination, by: way, through: parent) }
        let pool = UpstreamPool(self, parent.origin, by: way, to: .parent, through: parent, limit: shareOfConnections)
        while parents.count <= position { parents.append(nil) }
        parents[position] = pool
        return pool
    }

    private func server(_ destination: Destination, by way: NextHop, through proxy: RelayParent?) -> UpstreamPool? {
        let end: UpstreamPool.End =
            destination.isSecured ? .securedServer : destination.isMapped ? .mappedServer : .server
        let place = ServerPlace(origin: destination.origin, way: way, end: end)
        if let known = servers[place] { return known }
        if directCount >= shareOfConnections {
            // Those that no request uses make room.
            for server in servers.values where server.hasIdle { server.closeIdle() }
            guard directCount < shareOfConnections else { return nil }
        }
        let pool = UpstreamPool(
            self,
            destination.origin,
            by: way,
            to: end,
            through: proxy,
            limit: shareOfConnections
        )
        servers[place] = pool
        return pool
    }

    private var directCount: Int { servers.values.reduce(0) { $0 + $1.openCount } }

    /// How many connections there are, with those that are being opened.
    var openCount: Int { parents.reduce(directCount) { $0 + ($1?.openCount ?? 0) } }

    /// A server without connections.
    func forget(_ pool: UpstreamPool) {
        let place = ServerPlace(origin: pool.origin, way: pool.way, end: pool.end)
        if servers[place] === pool { servers[place] = nil }
    }

    private var all: [UpstreamPool] { parents.compactMap(\.self) + servers.values }

    func sweep() { for pool in all { pool.sweep() } }

    func closeIdle() { for pool in all { pool.closeIdle() } }

    func closeAll() { for pool in all { pool.closeAll() } }
}

@available(*, unavailable)
extension UpstreamPools: Sendable {}
