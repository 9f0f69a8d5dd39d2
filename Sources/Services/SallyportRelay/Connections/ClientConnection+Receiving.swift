internal import HTTP1
internal import HTTPTypes
internal import NIOCore
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
    }

    /// Lets a client that waits for the word send its body.
    func passContinue(_ exchange: Exchange) {
        guard exchange.head.expectsContinue, !exchange.passedContinue else { return }
        exchange.passedContinue = true
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
        if let drive = exchange.drive {
            guard passed(head, bytes, drive, upstream, exchange) else { return }
        } else if !upstream.isBound {
            exchange.pool.noteOpen(to: exchange.destination)
            exchange.pool.handshake = nil
        }
        if exchange.sending?.body == .empty, exchange.head.hasBody, (200..<300).contains(head.status) {
            return sendUnseenBody(head, on: upstream, exchange)
        }
        if head.status == 417, exchange.mayExpect, exchange.sending?.expectsContinue == true,
            !exchange.head.expectsContinue, !exchange.hasSentBody
        {
            // RFC 9110 section 10.1.1: some party on the way knows no expectation, and this one is the relay's own.
            exchange.mayExpect = false
            exchange.drive = nil
            exchange.sending = nil
            dropUpstream()
            return start(exchange)
        }
        deliver(head, bytes, on: upstream, exchange)
    }

    /// The party asks no more, and has not seen the body: it gets all of it, on the same connection, because it may ask again on another.
    private func sendUnseenBody(_ head: ResponseHead, on upstream: UpstreamConnection, _ exchange: Exchange) {
        let party = exchange.pool.origin
        guard !exchange.hasBegunAnew else {
            return refuse(.failed(party, reason: "\(party): success before the body was sent, twice: ask who runs it"))
        }
        exchange.hasBegunAnew = true
        exchange.sending = nil
        switch makeDrive(exchange).begin() {
        case .send(let next): after(.send(next), on: upstream, mayContinue: head.isKeptAlive, exchange)
        case .wait(let ticket): after(.wait(ticket), on: upstream, mayContinue: head.isKeptAlive, exchange)
        case .deliver, .needs: refuse(.closed(party))
        }
    }

    /// Tells the driver that the party has let the request pass.
    ///
    /// - Returns: whether the response is the client's. One of a party that should have proved itself and did not is refused.
    private func passed(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ drive: Drive,
        _ upstream: UpstreamConnection,
        _ exchange: Exchange
    ) -> Bool {
        let wasBinding = drive.isBinding
        let offers = drive.firstOffers
        let step = drive.received(
            status: head.status,
            head.allFields(of: bytes),
            on: upstream.traits,
            bodyWasSent: exchange.hasSentBody
        )
        guard case .deliver(let outcome) = step else { return true }
        switch outcome {
        case .withheld(let refusal, let party) where outcome.isUnproven(status: head.status):
            refuse(party == .origin ? .withheldFromServer(refusal) : .withheld(refusal))
            return false
        // The parent lets the request pass before the last message of a handshake, so it has seen no password.
        case .accepted where exchange.sending?.body == .empty && !exchange.answersServer:
            exchange.pool.handshake = nil
            if !upstream.isBound { exchange.pool.noteOpen(to: exchange.destination) }
        case .accepted:
            if wasBinding { upstream.isBound = true }
            if !exchange.answersServer {
                exchange.pool.answersInAdvance = !wasBinding
                // A ticket needs no handshake, and would be fetched in vain.
                exchange.pool.handshake = wasBinding && exchange.sending?.connection == .same ? offers : nil
                exchange.pool.noteChallenge()
            }
            if exchange.hasSeenChallenge { tellAccepted(exchange, head.allFields(of: bytes)) }
        case .notChallenged:
            if !upstream.isBound {
                exchange.pool.noteOpen(to: exchange.destination)
            } else if exchange.head.hasBody {
                exchange.pool.passesBodies = true
            }
        case .withheld: break
        }
        return true
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
