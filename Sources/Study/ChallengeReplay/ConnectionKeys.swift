internal import ChallengeHandling
internal import Hostnames

/// Checks that the recorded client used each connection for one identity, as the pool keys of the handler demand.
struct ConnectionKeys {
    private struct Connection: Hashable {
        let number: UInt64
        /// The proxy to which the connection leads. A tunnel through it is the origin's connection.
        let proxy: Origin?
    }

    private var keys: [Connection: PoolKey] = [:]

    /// The difference if a request went out on the connection of another key.
    mutating func difference(of event: PreparedEvent, with handler: ChallengeHandler) -> String? {
        guard case .response(let response) = event.content, let number = response.connection.id,
            // A relay's connection carries requests to all origins.
            !response.isProxyOnly
        else { return nil }
        let proxy = response.proxyRequest?.origin
        let key = handler.poolKey(for: response.outgoing.origin, path: response.originRequest.path, through: proxy)
        let before = keys.updateValue(key, forKey: Connection(number: number, proxy: proxy))
        guard let before, before != key else { return nil }
        return "connection \(number) carries a request that needs a connection of its own"
    }
}
