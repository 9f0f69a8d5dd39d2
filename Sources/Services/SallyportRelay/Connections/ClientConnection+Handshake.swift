internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO

extension ClientConnection {
    /// Begins the handshake of a tunnel with its first message, where the parent has asked another connection for it: so the parent need not
    /// refuse a request first. The message says nothing about the password.
    ///
    /// Without a handshake that can begin at once, the request goes out as it is, and the parent asks.
    func beginHandshake(on upstream: UpstreamConnection, _ exchange: Exchange) {
        guard exchange.head.method == .connect, exchange.flow == nil, exchange.next == nil,
            let offers = exchange.pool.handshake
        else { return }
        let flow = makeFlow(exchange)
        exchange.flow = nil
        flow.beginSent()
        let challenge = FlowResponse(
            status: ParentStatus.challenge,
            fields: offers,
            on: upstream.traits,
            keepsConnection: true
        )
        guard case .drop = flow.report({ $0.received(challenge) }),
            case .send(let next) = flow.report({ $0.dropped(.reusable) }), next.body == .empty
        else { return }
        exchange.flow = flow
        exchange.next = next
        exchange.challenged = .once(offers: offers)
    }
}
