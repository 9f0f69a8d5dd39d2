internal import HTTP1
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// The connection of the request is lost, or the client.
extension ClientConnection {
    /// The client is gone. If the response will tell whether a password is right, its connection waits for it: after an unknown result
    /// all clients would have to wait before the next attempt.
    func leaveUpstream() {
        guard let exchange, let upstream = exchange.upstream, let flow = exchange.flow,
            case .underWay = exchange.stage, flow.awaitsVerdict, upstream.pool.mayKeepForVerdict
        else { return dropUpstream() }
        exchange.upstream = nil
        upstream.settleAlone { [self] late, upstream in
            switch late {
            case .head(let head, let bytes):
                let response = exchange.response(head, bytes, on: upstream, isBound: false)
                let command = flow.report { $0.received(response) }
                guard case .deliver(.withheld(.credentialsRefused(let account, _), let party)) = command else { return }
                noteBadLogOn(account, at: party == .origin ? exchange.destination.origin : exchange.pool.origin)
            // A party that has not read the first part does not wait for the rest.
            case .absent where exchange.isCutShort && upstream.isWritable: settleBrokenOff(exchange)
            case .unread, .absent: settleUnread(upstream, exchange)
            }
        }
    }

    /// The party waits for the rest of a body that will not come. A loss would count against the password, and any client could break off two.
    private func settleBrokenOff(_ exchange: Exchange) {
        _ = exchange.flow?.report { $0.lost(FlowLoss(isReused: false, .brokenOff)) }
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
            let isUnused = upstream.arrived == .nothing && exchange.sending?.fields.isEmpty ?? true
            return isUnused ? notConnected(refusal, exchange) : refuse(refusal)
        }
        if exchange.isDraining { return goOn(exchange, .unusable) }
        let loss = exchange.loss(of: upstream)
        // Nothing can be done for a request that has no flow and was not sent on an idle connection.
        guard exchange.flow != nil || loss.isReused && loss.progress != .answered else {
            return refuse(.closed(exchange.pool.origin))
        }
        follow(flow(of: exchange).report { $0.lost(loss) }, exchange)
    }

    func upstreamFailed(_ upstream: UpstreamConnection, _ defect: HeadDefect) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        // Its challenge is known, so the request goes on with another connection.
        if exchange.isDraining { return goOn(exchange, defect == .headTooLong ? .tooLong : .unusable) }
        let refusal = RelayRefusal.malformed(defect, exchange.pool.origin)
        if exchange.responseHasBegun, !takesBackHead(exchange, upstream) { return cutOff(refusal) }
        settleUnread(upstream, exchange)
        refuse(refusal)
    }

    /// Forgets the head of a response of which nothing has left for the client, so that another response can take its place. Bytes of a body
    /// that were in order are the client's.
    private func takesBackHead(_ exchange: Exchange, _ upstream: UpstreamConnection) -> Bool {
        guard waitingHead.readableBytes > 0, upstream.arrived != .body else { return false }
        waitingHead = loop.noBytes
        exchange.stage = .underWay
        return true
    }

    /// A final status shows whether the party let the request in, even if the rest of the head cannot be read. A challenge refuses the
    /// password. Without a final status the password counts as one that got no response. Otherwise a parent could send half a status line, or
    /// only interim responses, and would get the password with every request.
    private func settleUnread(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        let loss = exchange.loss(of: upstream)
        guard case .headUnread = loss.progress, exchange.sending?.body != .empty else { return }
        _ = exchange.flow?.report { $0.lost(loss) }
    }

    func upstreamStalled(_ upstream: UpstreamConnection) {
        if isInTunnel { return abort() }
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if exchange.isDraining { return goOn(exchange, .tooLong) }
        let waitsForClient = upstream.isWritable && received.readableBytes == 0
        if exchange.isCutShort, !exchange.responseHasBegun, waitsForClient { settleBrokenOff(exchange) }
        refuse(.stalled(exchange.pool.origin))
    }
}
