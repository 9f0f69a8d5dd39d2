internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// The connection of the request: its lease, and its loss.
extension RelayedRequest: UpstreamRequest {
    func lease(isFresh: Bool) {
        body.gate = .held
        if pool.isDirect {
            // The pool of a server is forgotten with its last connection.
            guard let known = client.pools.pool(for: destination, by: pool.way) else { return refuse(.waitedTooLong) }
            pool = known
        }
        if client.ownOrigin != nil, takeOwnUpstream(isFresh: isFresh) { return }
        pool.lease(self, isFresh: isFresh || isClientsLogOn)
    }

    /// Sends the request on the connection that the client has authenticated itself, if it belongs there.
    private func takeOwnUpstream(isFresh: Bool) -> Bool {
        guard let own = client.ownUpstream.take() else { return false }
        guard !isFresh, own.isUsable, own.pool === pool, own.key == key, client.speaksForItself(at: destination) else {
            own.close()
            return false
        }
        leased(own, isReused: true)
        return true
    }

    var waitsForConnection: Bool { isCurrent && upstream == nil && client.phase.isExchanging }

    /// Not for a client that may be gone, and whose request changes something.
    var mayWaitLong: Bool { !client.inputIsClosed || head.mayBeRepeated || head.method == .connect }

    func noteQueued() { stage = .queued }

    func noteDialled() { stage = .underWay }

    func leased(_ upstream: UpstreamConnection, isReused: Bool) {
        self.upstream = upstream
        stage = .underWay
        self.isReused = isReused
        if !isReused, upstream.arrived != .unproven, let parent = pool.way.parent { loop.core.reached(parent) }
        if isClientsLogOn { upstream.isOfClient = true }
        // Another way may have led past the parent, which then has accepted nothing.
        if let parent = askedParent.take(), parent == pool.tunnelParent { noteAccepted(by: .connect(to: parent)) }
        if pool.isDirect, head.method == .connect {
            upstream.begin(self, .connect)
            noteLatency()
            client.writeEstablished()
            return client.openTunnel(upstream)
        }
        if upstream.isBound {
            let waitsAgain = !pool.passesBodies && head.hasBody && next?.fields.isEmpty == true
            if waitsAgain {
                // The body waits for the party's word, and the flow answers it.
            } else if !answersServer || pool.isDirect {
                // The connection is authenticated, perhaps since the request was challenged on another one: nothing has to be
                // answered, and no body has to wait.
                next = nil
                answering = .nothing
            } else if flow?.isBindingConnection == true, next?.fields.isEmpty == false {
                // It may be authenticated for one of the two parties only. A handshake cannot begin on it at all servers.
                self.upstream = nil
                pool.release(upstream)
                return pool.lease(self, isFresh: true)
            }
        } else if !isReused {
            beginHandshake(on: upstream)
        }
        send(on: upstream)
    }

    /// Begins the handshake of a tunnel with its first message, where the parent has asked another connection for it: so the parent need not
    /// refuse a request first. The message does not show whether the password is right.
    ///
    /// Without a handshake that can begin at once, the request goes out as it is, and the parent asks.
    private func beginHandshake(on upstream: UpstreamConnection) {
        guard head.method == .connect, answering.isNothing, next == nil, let offers = pool.handshake else {
            return
        }
        let begun = makeFlow()
        begun.beginSent()
        let challenge = FlowResponse(
            status: ParentStatus.challenge,
            fields: offers,
            on: upstream.traits,
            keepsConnection: true
        )
        guard case .drop = begun.report({ $0.received(challenge) }),
            case .send(let first) = begun.report({ $0.dropped(.reusable) }), first.body == .empty
        else { return }
        answering = .flow(begun)
        next = first
        challenged = .once(offers: offers)
    }

    /// Another way is tried, if one is left. A password was not sent on the connection.
    func notConnected(_ refusal: RelayRefusal) {
        let way = pool.way
        if let parent = way.parent { loop.core.notReached(parent, refusal) }
        unreached.insert(way)
        let next: NextHop?
        if way == .direct, !ways.contains(.direct) {
            // The way past the parents leads nowhere either.
            next = nil
        } else {
            next = loop.core.health.choice(at: .now(), among: ways, without: unreached) ?? loop.fallback(from: ways)
        }
        guard !body.isGone, let next, let pool = client.pools.pool(for: destination, by: next) else {
            return refuse(refusal)
        }
        if next.parent != nil || ways.contains(next) { loop.counters.failovers += 1 }
        reroute(to: pool)
        start()
    }

    /// A request that waits holds no connection: otherwise attempts could wait for connections that wait for attempts.
    func giveBackUpstream() {
        guard let upstream = upstream.take() else { return }
        if upstream.mayBeReused, !upstream.isOfClient { pool.release(upstream) } else { upstream.close() }
    }

    /// Closes the connection: it may have a part of the request.
    func dropUpstream() { upstream.take()?.close() }

    /// The client is gone. If the response will tell whether a password is right, its connection waits for it: after an unknown result
    /// all clients would have to wait before the next attempt.
    func leaveUpstream() {
        guard let upstream, case .underWay = stage, let flow = flowOfAnswer(), flow.awaitsVerdict,
            upstream.pool.mayKeepForVerdict
        else { return dropUpstream() }
        self.upstream = nil
        upstream.settleAlone { [self] late, upstream in
            switch late {
            case .head(let head, let bytes):
                let response = response(head, bytes, on: upstream, isBound: false)
                switch flow.report({ $0.received(response) }) {
                case .deliver(.accepted): noteAccepted()
                case .deliver(.withheld(.credentialsRefused(let account, _), let party)):
                    loop.noteBadLogOn(account, by: "\(party == .origin ? destination.origin : pool.origin)")
                default: break
                }
            // A party that has not read the first part does not wait for the rest.
            case .absent where isCutShort && upstream.isWritable: settleBrokenOff()
            case .unread, .absent: settleUnread(upstream)
            }
        }
    }

    /// The party waits for the rest of a body that will not come. A loss would count against the password, and any client could break off two.
    private func settleBrokenOff() { _ = flow?.report { $0.lost(FlowLoss(isReused: false, .brokenOff)) } }

    /// A final status shows whether the party let the request in, even if the rest of the head cannot be read. A challenge refuses the
    /// password. Without a final status the password counts as one that got no response. Otherwise a parent could send half a status line, or
    /// only interim responses, and would get the password with every request.
    private func settleUnread(_ upstream: UpstreamConnection) {
        let loss = loss(of: upstream)
        guard case .headUnread = loss.progress, !leftBodyOut else { return }
        _ = flowOfAnswer()?.report { $0.lost(loss) }
    }

    func upstreamLost(_ upstream: UpstreamConnection) {
        guard self.upstream === upstream else { return }
        self.upstream = nil
        stopContinueTimer()
        if stage.isDelivering, !takesBackHead(upstream) { return client.cutOff(.closed(pool.origin)) }
        if let failure = upstream.failure {
            let refusal = RelayRefusal.failed(pool.origin, failure)
            // Another parent gets the request only if this one has seen no part of it.
            let isUnused = upstream.isUnanswered && sending?.hasAnswer != true
            return isUnused ? notConnected(refusal) : refuse(refusal)
        }
        if stage.isDraining { return goOn(.unusable) }
        let loss = loss(of: upstream)
        // Nothing can be done for a request that has no answer and was not sent on an idle connection.
        guard flowOfAnswer() != nil || loss.isReused && loss.progress != .answered else {
            return refuse(.closed(pool.origin))
        }
        follow(runningFlow().report { $0.lost(loss) })
    }

    func upstreamFailed(_ upstream: UpstreamConnection, _ defect: HeadDefect) {
        guard self.upstream === upstream else { return upstream.close() }
        // Its challenge is known, so the request goes on with another connection.
        if stage.isDraining { return goOn(defect == .headTooLong ? .tooLong : .unusable) }
        let refusal = RelayRefusal.malformed(defect, pool.origin)
        if stage.isDelivering, !takesBackHead(upstream) { return client.cutOff(refusal) }
        settleUnread(upstream)
        refuse(refusal)
    }

    /// Forgets the head of a response of which nothing has left for the client, so that another response can take its place. Bytes of a body
    /// that were in order are the client's.
    private func takesBackHead(_ upstream: UpstreamConnection) -> Bool {
        guard client.waitingHead.readableBytes > 0, upstream.arrived != .body else { return false }
        client.waitingHead = loop.noBytes
        stage = .underWay
        return true
    }

    func upstreamStalled(_ upstream: UpstreamConnection) {
        guard self.upstream === upstream else { return upstream.close() }
        if stage.isDraining { return goOn(.tooLong) }
        let waitsForClient = upstream.isWritable && client.received.readableBytes == 0
        if isCutShort, !stage.isDelivering, waitsForClient { settleBrokenOff() }
        refuse(.stalled(pool.origin))
    }
}
