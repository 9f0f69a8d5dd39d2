internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// Takes the heads of responses.
extension ClientConnection {
    /// Whether the client knows no chunks.
    var needsPlainBody: Bool { exchange?.head.isHTTP10 == true }

    /// Takes an interim response.
    func receivedInterim(_ head: ResponseHead, _ bytes: ByteBuffer) {
        guard let exchange else { return }
        if head.status == 100 {
            passContinue(exchange)
            if case .held = exchange.gate, exchange.sending?.body != .empty { openGate(exchange) }
        } else if !exchange.head.isHTTP10 {
            write(ResponseWriter.head(head, bytes, isToHTTP10: exchange.head.isHTTP10, closes: false, loop))
            flush()
        }
        hurry()
    }

    /// Lets a client that waits for the word send its body.
    func passContinue(_ exchange: Exchange) {
        guard exchange.expectation == .waits else { return }
        exchange.expectation = .told
        write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        flush()
    }

    /// Takes the head of a response.
    func received(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        exchange.continueTimer?.cancel()
        let isOfServer = exchange.answersServer && head.status == ServerStatus.challenge
        if isOfServer || head.status == ParentStatus.challenge && !exchange.pool.isDirect {
            return challenged(head, bytes, on: upstream, exchange)
        }
        if let flow = exchange.flow { return passed(head, bytes, flow, upstream, exchange) }
        if !upstream.isBound {
            exchange.pool.noteOpen(to: exchange.destination)
            exchange.pool.handshake = nil
        }
        deliver(head, bytes, on: upstream, exchange)
    }

    /// Tells the flow that the party has let the request pass.
    private func passed(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ flow: RunningFlow,
        _ upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        let wasBinding = flow.isBindingConnection
        let response = exchange.response(head, bytes, on: upstream, isBound: false)
        let command = flow.report { $0.received(response) }
        // The parent lets the request pass before the last message of a handshake, so it has seen no password.
        let isUnasked = exchange.sending?.body == .empty && !exchange.answersServer
        switch command {
        case .deliver(let outcome):
            if isUnasked, outcome == .accepted {
                noteUnasked(upstream, exchange)
            } else {
                note(outcome, response.fields, wasBinding, upstream, exchange)
            }
            deliver(head, bytes, on: upstream, exchange)
        case .drop, .wait:
            // The request begins anew: the party has not seen its body.
            if isUnasked { noteUnasked(upstream, exchange) }
            if case .wait(let ticket) = command {
                after(.wait(ticket), on: upstream, mayContinue: response.keepsConnection, exchange)
            } else {
                after(.flow, on: upstream, mayContinue: true, exchange)
            }
        case .send, .fail:
            dropUpstream()
            follow(command, exchange)
        }
    }

    private func noteUnasked(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        exchange.pool.handshake = nil
        if !upstream.isBound { exchange.pool.noteOpen(to: exchange.destination) }
    }

    /// Records what the response says of the party, for the requests that follow.
    private func note(
        _ outcome: RequestOutcome,
        _ fields: HTTPFields,
        _ wasBinding: Bool,
        _ upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        switch outcome {
        case .accepted:
            if wasBinding { upstream.isBound = true }
            if !exchange.answersServer {
                exchange.pool.answersInAdvance = !wasBinding
                // A ticket needs no handshake, and would be fetched in vain.
                exchange.pool.handshake =
                    wasBinding && exchange.sending?.connection == .same ? exchange.challenged.offers : nil
                exchange.pool.noteChallenge()
            }
            if exchange.hasSeenChallenge { tellAccepted(exchange, fields) }
        case .notChallenged:
            if !upstream.isBound {
                exchange.pool.noteOpen(to: exchange.destination)
            } else if exchange.head.hasBody {
                exchange.pool.passesBodies = true
            }
        case .withheld: break
        }
    }

    /// A store may keep the password, now that it is known to be right.
    func tellAccepted(_ exchange: Exchange, _ fields: HTTPFields, by route: RequestRoute? = nil) {
        guard let authenticator = accounts.authenticator, authenticator.awaitsAcceptance else { return }
        let request = exchange.outgoing()
        let (route, handler) = (route ?? exchange.route, exchange.handler)
        let repetitions = exchange.repetitions
        loop.core.tasks.run {
            // The request has succeeded; what a store says about its file is for the person who asked it to keep the password.
            _ = try? await authenticator.advice(
                after: .accepted,
                of: request,
                by: route,
                fields: fields,
                with: handler,
                repetitions: repetitions
            )
        }
    }
}
