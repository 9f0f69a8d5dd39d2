import Sallyport
import Synchronization

/// A connection with a number. One request at a time owns it.
///
/// `@unchecked Sendable` is safe, because ``LivePool`` gives a connection to one request and takes it back.
final class LiveConnection: @unchecked Sendable {
    private static let lastNumber = Atomic<UInt64>(0)

    let socket: LoopbackConnection
    let traits: ConnectionTraits
    /// Whether a request was sent on it; such a connection may have been closed by the server meanwhile.
    private(set) var isUsed = false

    init(port: UInt16) throws {
        socket = try LoopbackConnection(port: port)
        traits = ConnectionTraits(
            id: Self.lastNumber.add(1, ordering: .relaxed).newValue,
            security: ConnectionTraits.Security.none
        )
    }

    func use() { isUsed = true }
}

/// Idle connections by pool key.
final class LivePool: Sendable {
    private let idle = Mutex<[PoolKey: [LiveConnection]]>([:])

    /// An idle connection of the key; `nil` if there is none.
    func take(_ key: PoolKey) -> LiveConnection? { idle.withLock { $0[key]?.popLast() } }

    func put(_ connection: LiveConnection, _ key: PoolKey) {
        idle.withLock { $0[key, default: []].append(connection) }
    }

    /// Closes all idle connections.
    func close() { idle.withLock { $0 = [:] } }
}
