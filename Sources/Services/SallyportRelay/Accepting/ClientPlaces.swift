internal import ClientAuthentication
internal import NIOCore
internal import Synchronization

/// How many clients are connected, over all listeners and event loops of a relay.
///
/// At the bound no listener accepts: clients wait in the system's queue, and cost nothing. Beyond loopback one address has only some of the places.
final class ClientPlaces: Sendable {
    /// Descriptors for what is not a client or its connection onwards: listeners, logs, stores, resolvers, and clients that are accepted while
    /// the bound is reached.
    private static let otherDescriptors = 32
    /// What one event loop has open for itself.
    private static let descriptorsOfLoop = 4

    private struct State {
        var count = 0
        /// By what tells clients of a listener beyond loopback apart.
        var counts: [String: Int] = [:]
        /// Listeners that wait for a place.
        var waiting: [@Sendable () -> Void] = []
    }

    let most: Int
    let mostPerAddress: Int
    private let state = Mutex(State())

    init(most: Int, perAddress: Int) {
        self.most = max(1, most)
        mostPerAddress = max(1, perAddress)
    }

    /// The places of a relay with these limits. Each client may need a second descriptor for its way onwards, so there is at most one place for
    /// two of those that the process may open.
    convenience init(_ limits: RelayLimits, loops: Int) {
        var most = limits.clients
        if let descriptors = DescriptorLimit.current {
            let others = min(Self.otherDescriptors + Self.descriptorsOfLoop * loops, descriptors / 2)
            most = min(most, (descriptors - others) / 2)
        }
        self.init(most: most, perAddress: min(limits.clientsPerAddress, max(1, most / 2)))
    }

    /// What tells clients apart: an IPv4 address, or the first 64 bits of an IPv6 address.
    static func key(_ address: SocketAddress?) -> String? { address?.ipAddress.map { GuessPlace($0).network } }

    /// Gives a place to a client that enters.
    ///
    /// - Parameter key: what the client's places are counted by; `nil` for a client of loopback.
    /// - Returns: whether there was one for this key. The places of all are kept by not accepting: see ``isFull``.
    func enter(_ key: String?) -> Bool {
        state.withLock { state in
            if let key {
                let count = state.counts[key, default: 0]
                guard count < mostPerAddress else { return false }
                state.counts[key] = count + 1
            }
            state.count += 1
            return true
        }
    }

    func leave(_ key: String?) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.count -= 1
            if let key {
                let count = (state.counts[key] ?? 1) - 1
                state.counts[key] = count > 0 ? count : nil
            }
            guard state.count < most else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Whether no more clients may be accepted.
    var isFull: Bool { state.withLock { $0.count >= most } }

    /// Calls `resume` when a client leaves and there is a place.
    func whenFree(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.waiting.append(resume) } }
}
