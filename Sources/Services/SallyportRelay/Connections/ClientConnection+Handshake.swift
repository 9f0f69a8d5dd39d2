internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

extension ClientConnection {
    /// Begins the handshake of a tunnel with its first message, where the parent has asked another connection for it: so the parent need not
    /// refuse a request first. The message says nothing about the password.
    ///
    /// Without a handshake that can begin at once, the request goes out as it is, and the parent asks.
    func beginHandshake(on upstream: UpstreamConnection, _ exchange: Exchange) {
        guard exchange.head.method == .connect, exchange.drive == nil, exchange.next == nil,
            let offers = exchange.pool.handshake
        else { return }
        let drive = makeDrive(exchange)
        exchange.drive = nil
        guard case .send(let first) = drive.begin(), first.fields.isEmpty else { return }
        drive.noteChallenge(ParentStatus.challenge, offers)
        let step = drive.received(
            status: ParentStatus.challenge,
            offers,
            on: upstream.traits,
            bodyWasSent: false
        )
        guard case .send(let next) = step, next.connection != .new, next.body == .empty else { return }
        exchange.drive = drive
        exchange.next = next
        exchange.hasSeenChallenge = true
    }
}
