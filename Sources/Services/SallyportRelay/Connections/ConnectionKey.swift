internal import Sallyport

/// What a connection is opened and authenticated for.
struct ConnectionKey: Equatable {
    let pool: PoolKey
    /// Whether the server's challenges are answered. A request that is not to be answered never goes out on a connection that our answer
    /// has authenticated, and the other way round.
    let answersServer: Bool
}
