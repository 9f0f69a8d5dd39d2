internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// The connection that carries the request.
extension ClientConnection {
    func lease(_ exchange: Exchange, isFresh: Bool) {
        exchange.gate = .held
        if exchange.pool.isDirect {
            // The pool of a server is forgotten with its last connection.
            guard let pool = loop.pool(for: exchange.destination, by: exchange.pool.way) else {
                return refuse(.waitedTooLong)
            }
            exchange.pool = pool
        }
        if ownOrigin != nil, takeOwnUpstream(exchange, isFresh: isFresh) { return }
        exchange.pool.lease(self, exchange, isFresh: isFresh || exchange.isClientsLogOn)
    }

    /// Sends the request on the connection that the client has authenticated itself, if it belongs there.
    private func takeOwnUpstream(_ exchange: Exchange, isFresh: Bool) -> Bool {
        guard let own = ownUpstream.take() else { return false }
        guard !isFresh, own.isUsable, own.pool === exchange.pool, own.key == exchange.key, speaksForItself(exchange)
        else {
            own.close()
            return false
        }
        leased(own, isReused: true, for: exchange)
        return true
    }

    func leased(_ upstream: UpstreamConnection, isReused: Bool, for exchange: Exchange) {
        exchange.upstream = upstream
        exchange.stage = .underWay
        exchange.isReused = isReused
        if !isReused, let parent = exchange.pool.way.parent { loop.core.reached(parent) }
        if exchange.isClientsLogOn { upstream.isOfClient = true }
        // Another way may have led past the parent, which then has accepted nothing.
        if let parent = exchange.askedParent.take(), parent == exchange.pool.tunnelParent {
            tellAccepted(exchange, [:], by: .connect(to: parent))
        }
        if exchange.pool.isDirect, exchange.head.method == .connect {
            upstream.begin(self, .connect)
            noteLatency(of: exchange)
            writeEstablished()
            return openTunnel(upstream)
        }
        if upstream.isBound {
            let waitsAgain =
                !exchange.pool.passesBodies && exchange.head.hasBody && exchange.next?.fields.isEmpty == true
            if waitsAgain {
                // The body waits for the party's word, and the flow answers it.
            } else if !exchange.answersServer || exchange.pool.isDirect {
                // The connection is authenticated, perhaps since the request was challenged on another one: nothing has to be
                // answered, and no body has to wait.
                exchange.next = nil
                exchange.flow = nil
            } else if exchange.flow?.isBindingConnection == true, exchange.next?.fields.isEmpty == false {
                // It may be authenticated for one of the two parties only. A handshake cannot begin on it at all servers.
                exchange.upstream = nil
                exchange.pool.release(upstream)
                return exchange.pool.lease(self, exchange, isFresh: true)
            }
        } else if !isReused {
            beginHandshake(on: upstream, exchange)
        }
        send(on: upstream, exchange)
    }

    /// The connection could not be opened: another way is tried, if one is left. A password was not sent on it.
    func notConnected(_ refusal: RelayRefusal, _ exchange: Exchange) {
        let way = exchange.pool.way
        if let parent = way.parent { loop.core.notReached(parent, refusal) }
        exchange.unreached.insert(way)
        let next = loop.core.health.choice(at: .now(), among: exchange.ways, without: exchange.unreached)
        guard !exchange.isBodyGone, let next, let pool = loop.pool(for: exchange.destination, by: next) else {
            return refuse(refusal)
        }
        loop.counters.failovers += 1
        exchange.take(pool)
        start(exchange)
    }

    /// Whether the request still waits for a connection.
    func waits(for exchange: Exchange) -> Bool {
        self.exchange === exchange && exchange.upstream == nil && phase.isExchanging
    }

    /// Whether the present request waits for something that may take long and has sent nothing: for a person, or for a free
    /// connection. A client that closes its side then has probably gone away, so its request is dropped. Any other one goes on: it
    /// is sent within seconds, and the client may only have no more to say.
    var waitsLong: Bool {
        switch exchange?.stage {
        case .queued, .asking: true
        case .underWay, .draining, .waiting, .preparing, .delivering, nil: false
        }
    }

    /// Whether a long wait may begin: not for a client that may be gone, and whose request changes something.
    func mayWaitLong(_ exchange: Exchange) -> Bool {
        !inputIsClosed || exchange.head.mayBeRepeated || exchange.head.method == .connect
    }

    /// A request that waits holds no connection: otherwise attempts could wait for connections that wait for attempts.
    func giveBackUpstream(_ exchange: Exchange) {
        guard let upstream = exchange.upstream else { return }
        exchange.upstream = nil
        if upstream.mayBeReused, !upstream.isOfClient { exchange.pool.release(upstream) } else { upstream.close() }
    }
}
