internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// Answers the challenges of a parent or a server.
extension ClientConnection {
    func challenged(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        let isOfServer = head.status == ServerStatus.challenge
        if !isOfServer { exchange.pool.noteChallenge() }
        let wasBound = upstream.isBound
        if wasBound { exchange.pool.passesBodies = false }
        upstream.isBound = false
        let response = exchange.response(head, bytes, on: upstream, isBound: wasBound)
        if !exchange.hasSeenChallenge {
            // Whether that connection was closed says nothing about another one.
            var offers = HTTPFields()
            offers[fields: .proxyAuthenticate] = response.fields[fields: .proxyAuthenticate]
            exchange.challenged = .once(offers: offers)
        }
        if wasBound, let offers = exchange.challenged.offers { exchange.challenged = .whenBound(offers: offers) }
        let command = flow(of: exchange).report { $0.received(response) }
        let fields = exchange.flow?.challenge?.fields ?? response.fields
        let party: ChallengedParty = isOfServer ? .origin : .proxy
        // The flow says in its fields what else speaks against it, such as a long body that the party has refused unread.
        let mayContinue = response.keepsConnection && !party.closesConnection(fields)
        switch command {
        case .fail(.needNotMet) where isOfServer:
            // The client may know an answer.
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream, exchange)
        case .send, .fail:
            exchange.gate = .held
            dropUpstream()
            follow(command, exchange)
        case .drop: after(.flow, on: upstream, mayContinue: true, exchange)
        case .wait(let ticket): after(.wait(ticket), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(let refusal, .origin)) where isOfServer && mayAsk(exchange, refusal):
            after(.ask(refusal, fields, .origin), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(.resultUnknown(let account, let time), .origin))
        where isOfServer && exchange.rewriting != nil:
            // The password is right for all that is known, so the client of the listener is not asked for one.
            refuse(.withheldFromServer(.resultUnknown(account: account, time)))
        case .deliver(let outcome) where isOfServer:
            // The client may know an answer; the connection is as it was.
            if case .withheld(let refusal, _) = outcome {
                if case .credentialsRefused(let account, _) = refusal {
                    noteBadLogOn(account, at: exchange.destination.origin)
                }
                renewToken(after: refusal, fields, exchange)
            }
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream, exchange)
        case .deliver(.withheld(.bodySpent, _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, _)):
            after(.ask(refusal, fields, .proxy), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver: refuse(.withheld(.malformedChallenge(nil)))
        }
    }

    /// Lets the next request have another token than the one that a server has refused; the response is the client's.
    private func renewToken(after refusal: Refusal, _ fields: HTTPFields, _ exchange: Exchange) {
        guard let authenticator = accounts.authenticator, authenticator.hasTokenSources else { return }
        let (request, route, handler) = (exchange.outgoing(), exchange.route, exchange.handler)
        loop.core.tasks.run {
            // An error is dropped here: the next request asks the source again, and its client gets the reason.
            try? await authenticator.renewToken(after: refusal, of: request, by: route, fields: fields, with: handler)
        }
    }

    /// Reads the refused response to its end, or drops its connection, and goes on then.
    func after(
        _ step: Exchange.AfterDrain,
        on upstream: UpstreamConnection,
        mayContinue: Bool,
        _ exchange: Exchange
    ) {
        exchange.gate = .held
        exchange.stage = .draining(step)
        if mayContinue { upstream.drain() } else { goOn(exchange, .unusable) }
    }

    /// The refused response is read to its end.
    func refusedResponseEnded(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        guard upstream.mayBeReused else { return goOn(exchange, .unusable) }
        // This request has used the connection, too. A loss now is no idle connection of an earlier request.
        exchange.isReused = false
        goOn(exchange, .reusable)
    }

    /// The refused response was dropped.
    func goOn(_ exchange: Exchange, _ end: DropEnd) {
        if end != .reusable { dropUpstream() }
        guard case .draining(let step) = exchange.stage else { return refuse(.closed(exchange.pool.origin)) }
        exchange.stage = .underWay
        switch step {
        case .flow: follow(flow(of: exchange).report { $0.dropped(end) }, exchange)
        case .wait(let ticket): wait(for: ticket, exchange)
        case .ask(let refusal, let fields, let party): withheld(refusal, fields, exchange, by: party)
        }
    }
}
