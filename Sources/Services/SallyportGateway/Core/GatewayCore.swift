internal import ClientAuthentication
internal import Logging
internal import NIOCore
internal import Synchronization

/// Tells a connection that its gateway ends.
struct GatewayEnds {}

/// What all connections of a gateway share.
final class GatewayCore: Sendable {
    let clients: ClientAuthenticator
    let front: FrontProxy
    let limits: GatewayLimits
    let logger: Logger
    private let waiting = Atomic(0)
    private let ending = Atomic(false)
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(_ clients: ClientAuthenticator, _ front: FrontProxy, _ limits: GatewayLimits, _ logger: Logger) {
        (self.clients, self.front, self.limits, self.logger) = (clients, front, limits, logger)
    }

    /// Whether connections end after their next response.
    var isEnding: Bool { ending.load(ordering: .relaxed) }

    /// Gives a place to a request that waits for the directory; false if all are taken.
    func enter() -> Bool {
        guard waiting.add(1, ordering: .relaxed).newValue > limits.waiting else { return true }
        leave()
        return false
    }

    func leave() { waiting.subtract(1, ordering: .relaxed) }

    func open(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = channel } }

    func closed(_ channel: any Channel) { _ = channels.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) } }

    /// Closes connections without a request, and then, after the time for the others, all.
    func end() async {
        ending.store(true, ordering: .relaxed)
        let open = channels.withLock { Array($0.values) }
        for channel in open {
            channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(GatewayEnds()) }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for channel in open { try? await channel.closeFuture.get() } }
            let grace = limits.grace
            group.addTask {
                try? await Task.sleep(for: .nanoseconds(grace.nanoseconds))
                for channel in open { channel.close(promise: nil) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Says in the log why a client is refused.
    func note(_ refusal: ClientRefusal) {
        switch refusal.reason {
        // Clients begin without an answer, and renew their nonces.
        case .unanswered, .stale: break
        default: logger.notice("a client was not let in", metadata: ["reason": "\(refusal.reason)"])
        }
    }
}

extension GatewayLimits {
    /// How often a connection looks at its time at least.
    var shortest: TimeAmount { min(directory, head) }
}
