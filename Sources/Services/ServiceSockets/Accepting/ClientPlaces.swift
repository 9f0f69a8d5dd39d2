internal import ClientAuthentication
package import NIOCore
internal import Synchronization

/// How many clients are connected, over all listeners and event loops of a service.
///
/// At the bound no listener accepts: clients wait in the system's queue, and cost nothing. Beyond loopback one address has only some of the places.
package final class ClientPlaces: Sendable {
    private struct State {
        var count = 0
        /// By what tells clients of a listener beyond loopback apart.
        var counts: [String: Int] = [:]
        /// Listeners that wait for a place.
        var waiting: [@Sendable () -> Void] = []
    }

    package let most: Int
    package let mostPerAddress: Int
    private let state = Mutex(State())

    package init(most: Int, perAddress: Int) {
        self.most = max(1, most)
        mostPerAddress = max(1, perAddress)
    }

    /// What tells clients apart: an IPv4 address, or the first 64 bits of an IPv6 address.
    package static func key(_ address: SocketAddress?) -> String? { address?.ipAddress.map { GuessPlace($0).network } }

    /// Gives a place to a client that enters.
    ///
    /// - Parameter key: what the client's places are counted by; `nil` for a client of loopback.
    /// - Returns: whether there was one for this key. The places of all are kept by not accepting: see ``isFull``.
    package func enter(_ key: String?) -> Bool {
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

    package func leave(_ key: String?) {
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
    package var isFull: Bool { state.withLock { $0.count >= most } }

    /// Calls `resume` when a client leaves and there is a place.
    package func whenFree(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.waiting.append(resume) } }
}
