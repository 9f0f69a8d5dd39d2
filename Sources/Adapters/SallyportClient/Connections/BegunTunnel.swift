internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// Where a tunnel leads, and what is made of it.
struct TunnelRoute<Value: Sendable>: Sendable {
    let origin: Origin
    let proxy: Origin
    /// Adds handlers when the tunnel is open, on the event loop and before its first byte, and completes the promise when it can be used.
    let use: @Sendable (any Channel, EventLoopPromise<Value>) throws -> Void
}

/// A connection to a proxy that is asked for a tunnel.
struct BegunTunnel<Value: Sendable>: Sendable {
    let channel: any Channel
    let handler: NIOLoopBound<ProxyTunnelHandler>
    let opened: EventLoopFuture<Void>
    /// What is made of the tunnel.
    let value: EventLoopFuture<Value>
    /// Which client certificate the proxy got in the handshake; `nil` if it did not ask.
    let identity: IdentityDecision?

    /// Waits until the tunnel is open and can be used.
    func value(through proxy: Origin) async throws -> Value {
        try await withTaskCancellationHandler {
            do {
                try await opened.get()
            } catch let error as ProxyTunnelError where error.mayMeanTLS {
                guard try await channel.eventLoop.submit({ handler.value.hasAnswered }).get() else {
                    throw Self.unanswered(error, proxy, identity)
                }
                throw error
            }
            return try await value.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// What it means that a proxy has answered nothing in HTTP.
    private static func unanswered(
        _ error: ProxyTunnelError,
        _ proxy: Origin,
        _ identity: IdentityDecision?
    ) -> ClientError {
        if case .connectionClosed = error, let identity { return .closedAfterIdentity(proxy, identity) }
        let remedy = PlainProxy.remedy(proxy).map { "; \($0)" } ?? ""
        return .notConnected(proxy, reason: "\(error)\(remedy)")
    }
}

extension ProxyTunnelError {
    /// Whether a proxy that expects TLS may be the cause.
    fileprivate var mayMeanTLS: Bool {
        switch self {
        case .connectionClosed, .malformed(.statusLine): true
        default: false
        }
    }
}
