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
        exchange.hasSeenChallenge = true
        let isOfServer = head.status == ServerStatus.challenge
        if !isOfServer { exchange.pool.noteChallenge() }
        let wasBound = upstream.isBound
        var fields = head.allFields(of: bytes)
        let isWhole = exchange.sending?.body != .empty
        // A body that was announced and not sent would be taken from the next request; a handshake cannot begin at all servers on a
        // connection that is authenticated already; and some answer nothing after a long body that they have refused unread.
        let isLong = exchange.keptBody.map { $0.readableBytes > FlowFacts.shortBodyBytes } ?? false
        let mustClose = upstream.isBound || isWhole && (exchange.owesBody || isLong)
        if mustClose { fields[.connection] = "close" }
        if wasBound { (exchange.wasChallengedWhenBound, exchange.pool.passesBodies) = (true, false) }
        upstream.isBound = false
        var step: RequestStep
        if let drive = exchange.drive {
            drive.noteChallenge(head.status, fields)
            step = drive.received(
                status: head.status,
                fields,
                on: upstream.traits,
                bodyWasSent: exchange.hasSentBody
            )
        } else {
            let drive = makeDrive(exchange)
            drive.noteChallenge(head.status, fields)
            step = drive.begin()
            if case .send(let next) = step, next.fields.isEmpty {
                step = drive.received(
                    status: head.status,
                    fields,
                    on: upstream.traits,
                    bodyWasSent: exchange.hasSentBody
                )
            }
        }
        let mayContinue = head.isKeptAlive && !mustClose && !isTooLongToDrop(head)
        switch step {
        case .send(let next):
            guard !exchange.hasSentBody else {
                upstream.isBound = wasBound
                return isOfServer ? deliver(head, bytes, on: upstream, exchange) : refuse(.bodySpent)
            }
            after(.send(next), on: upstream, mayContinue: mayContinue && next.connection != .new, exchange)
        case .wait(let ticket): after(.wait(ticket), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(let refusal, .origin)) where isOfServer && mayAsk(exchange, refusal):
            after(.ask(refusal, fields, .origin), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(.resultUnknown(let account, let time), .origin))
        where isOfServer && exchange.rewriting != nil:
            // The password is right for all that is known, so the client of the listener is not asked for one.
            refuse(.withheldFromServer(.resultUnknown(account: account, time)))
        case .deliver where isOfServer, .needs where isOfServer:
            // The client may know an answer; the connection is as it was.
            if case .deliver(.withheld(.credentialsRefused(let account), _)) = step {
                noteBadLogOn(account, at: exchange.destination.origin)
            }
            if case .deliver(.withheld(let refusal, _)) = step { renewToken(after: refusal, fields, exchange) }
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream, exchange)
        case .deliver(.withheld(.bodySpent, _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, _)):
            after(.ask(refusal, fields, .proxy), on: upstream, mayContinue: mayContinue, exchange)
        case .needs: refuse(.needsSupply)
        case .deliver: refuse(.withheld(.malformedChallenge(nil)))
        }
    }

    /// Whether a refused response says itself that it is longer than is read for its connection.
    private func isTooLongToDrop(_ head: ResponseHead) -> Bool {
        if case .length(let length) = head.framing { length > loop.limits.drainedBytes } else { false }
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
        exchange.afterDrain = step
        if mayContinue { return upstream.drain() }
        dropUpstream()
        goOn(exchange)
    }

    /// The refused response is read to its end.
    func refusedResponseEnded(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if !upstream.mayBeReused { dropUpstream() }
        goOn(exchange)
    }

    func goOn(_ exchange: Exchange) {
        switch exchange.afterDrain.take() {
        case .send(let next):
            if next.connection == .same, exchange.upstream == nil { return handshakeLost(exchange) }
            take(.send(next), exchange)
        case .wait(let ticket): take(.wait(ticket), exchange)
        case .ask(let refusal, let fields, let party): withheld(refusal, fields, exchange, by: party)
        case nil: refuse(.closed(exchange.pool.origin))
        }
    }

    /// The handshake begins anew on another connection, once: none of its lost messages has proved or refused a password.
    func handshakeLost(_ exchange: Exchange) {
        guard let step = exchange.drive?.lost() else { return refuse(.closed(exchange.pool.origin)) }
        take(step, exchange)
    }
}
