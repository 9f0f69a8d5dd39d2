internal import ClientAuthentication
internal import HTTPTypes
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
    /// Whether the log has said that clients without TLS get no challenge.
    private let saidNoOffer = Atomic(false)
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

    /// The gateway listens.
    func begin() { ending.store(false, ordering: .relaxed) }

    func open(_ channel: any Channel) {
        let isLate = channels.withLock { channels in
            channels[ObjectIdentifier(channel)] = channel
            return isEnding
        }
        if isLate { channel.close(promise: nil) }
    }

    func closed(_ channel: any Channel) { _ = channels.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) } }

    /// Closes connections without a request, and then, after the time for the others, all.
    func end() async {
        let open = channels.withLock { channels in
            ending.store(true, ordering: .relaxed)
            return Array(channels.values)
        }
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
        case .unanswered where refusal.fields.isEmpty:
            guard !saidNoOffer.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                "nothing can be offered to clients without TLS: let the proxy tell https in \(front.scheme.rawValue), or offer Basic in clear text"
            )
        case .unanswered, .stale: break
        default: logger.notice("a client was not let in", metadata: ["reason": "\(refusal.reason)"])
        }
    }
}

extension GatewayLimits {
    /// How often a connection looks at its time at least.
    var shortest: TimeAmount { max(.milliseconds(1), min(directory, head, idle)) }
}
