internal import Sallyport

/// What a connection is opened and authenticated for.
///
/// A class, because each request takes one: most of them are the one of the pool, and compared by their place.
final class ConnectionKey: Equatable, Sendable {
    let pool: PoolKey
    /// Whether the server's challenges are answered. A request that is not to be answered never goes out on a connection that our answer
    /// has authenticated, and the other way round.
    let answersServer: Bool

    init(pool: PoolKey, answersServer: Bool) { (self.pool, self.answersServer) = (pool, answersServer) }

    static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left === right || left.answersServer == right.answersServer && left.pool == right.pool
    }
}
