internal import HTTP1
internal import NIOCore
internal import Sallyport

/// The connection of the request is lost, or the client.
extension ClientConnection {
    /// The client is gone. If the response will tell whether a password is right, its connection waits for it: after an unknown result
    /// all clients would have to wait before the next attempt.
    func leaveUpstream() {
        // The first message of a handshake has no proof of a password.
        guard let exchange, let upstream = exchange.upstream, let drive = exchange.drive, let sent = exchange.sending,
            exchange.hasSeenChallenge, exchange.afterDrain == nil, !exchange.responseHasBegun, !sent.fields.isEmpty,
            sent.connection == .same || !drive.isBinding
        else { return dropUpstream() }
        exchange.upstream = nil
        upstream.settleAlone { [self] read, upstream in
            guard let (head, bytes) = read else { return settleUnread(upstream, exchange) }
            let fields = head.allFields(of: bytes)
            let step = drive.received(
                status: head.status,
                fields,
                on: upstream.traits,
                bodyWasSent: exchange.hasSentBody
            )
            guard case .deliver(.withheld(.credentialsRefused(let account), let party)) = step else { return }
            noteBadLogOn(account, at: party == .origin ? exchange.destination.origin : exchange.pool.origin)
        }
    }

    func upstreamLost(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return }
        exchange.upstream = nil
        exchange.continueTimer?.cancel()
        if exchange.responseHasBegun, !takesBackHead(exchange, upstream) {
            return cutOff(.closed(exchange.pool.origin))
        }
        if let failure = upstream.failure {
            let refusal = RelayRefusal.failed(exchange.pool.origin, failure)
            // Another parent gets the request only if this one has seen no part of it.
            let isUnused = !upstream.hasReceivedBytes && exchange.sending?.fields.isEmpty ?? true
            return isUnused ? notConnected(refusal, exchange) : refuse(refusal)
        }
        if exchange.afterDrain != nil { return goOn(exchange) }
        if let sending = exchange.sending, sending.body == .empty { return handshakeLost(exchange) }
        let hasPassword = exchange.sending.map { !$0.fields.isEmpty } == true && exchange.drive?.isBinding == true
        guard exchange.isReused, !upstream.hasReceivedBytes, !hasPassword, !exchange.hasSentBody, !exchange.hasRetried,
            exchange.head.mayBeRepeated || exchange.head.method == .connect
        else {
            let ending = hasPassword && !upstream.hasReceivedBytes ? exchange.drive?.closedInHandshake : nil
            settleUnread(upstream, exchange)
            guard case .withheld(let refusal, by: let party)? = ending else {
                return refuse(.closed(exchange.pool.origin))
            }
            return refuse(.withheld(refusal, by: party, gap: nil))
        }
        // The parent closed an idle connection at the moment of the request.
        exchange.hasRetried = true
        exchange.drive = nil
        exchange.sending = nil
        lease(exchange, isFresh: true)
    }

    func upstreamFailed(_ upstream: UpstreamConnection, _ defect: HeadDefect) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if exchange.afterDrain != nil { return goOnElsewhere(exchange) }
        let refusal = RelayRefusal.malformed(defect, exchange.pool.origin)
        if exchange.responseHasBegun, !takesBackHead(exchange, upstream) { return cutOff(refusal) }
        settleUnread(upstream, exchange)
        refuse(refusal)
    }

    /// The rest of a refused response is too long, malformed or does not come. Its challenge is known, so the request goes on with another
    /// connection.
    private func goOnElsewhere(_ exchange: Exchange) {
        dropUpstream()
        goOn(exchange)
    }

    /// Forgets the head of a response of which nothing has left for the client, so that another response can take its place. Bytes of a body
    /// that were in order are the client's.
    private func takesBackHead(_ exchange: Exchange, _ upstream: UpstreamConnection) -> Bool {
        guard waitingHead.readableBytes > 0, !upstream.hasPassedBody else { return false }
        waitingHead = loop.noBytes
        exchange.responseHasBegun = false
        return true
    }

    /// A final status shows whether the party let the request in, even if the rest of the head cannot be read. A challenge refuses the
    /// password. Without a final status the password counts as one that got no response. Otherwise a parent could send half a status line, or
    /// only interim responses, and would get the password with every request.
    private func settleUnread(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let status = upstream.unreadStatus, status >= 200, let drive = exchange.drive else { return }
        _ = drive.received(status: status, [:], on: upstream.traits, bodyWasSent: exchange.hasSentBody)
    }

    func upstreamStalled(_ upstream: UpstreamConnection) {
        if isInTunnel { return abort() }
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if exchange.afterDrain != nil { return goOnElsewhere(exchange) }
        refuse(.stalled(exchange.pool.origin))
    }
}
