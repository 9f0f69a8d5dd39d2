internal import ClientAuthentication
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Logging
internal import NIOCore
internal import SallyportNIO

/// A request whose client is being authenticated.
struct Admission {
    let head: RequestHead
    let bytes: ByteBuffer
    let question: ClientQuestion
    let call: Task<Void, Never>
}

extension ClientConnection {
    /// Authenticates the client of a request, which begins or is refused at once, or when the directory has replied.
    func admit(_ head: RequestHead, _ bytes: ByteBuffer, by authenticator: ClientAuthenticator) throws(HeadDefect) {
        let isMapped = listener.mapping != nil
        var fields = HTTPFields()
        let answers = isMapped ? head.fields.authorizations(in: bytes) : head.fields.proxyAuthorizations
        for range in answers {
            let value = bytes.getBytes(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? []
            fields.append(HTTPField(name: authenticator.options.party.answerField, value: value))
        }
        var logOn =
            logOn
            ?? authenticator.connection(
                from: context?.channel.remoteAddress?.guessKey,
                isEncrypted: listener.address.isSecure
            )
        let step = logOn.received(
            method: ReverseFields.text(head.methodRange, bytes),
            target: ReverseFields.text(head.target, bytes),
            fields: fields
        )
        self.logOn = logOn
        try take(step, head, bytes)
    }

    private func take(_ step: ClientStep, _ head: RequestHead, _ bytes: ByteBuffer) throws(HeadDefect) {
        switch step {
        case .accept(let acceptance):
            client = acceptance.client
            proof = acceptance.fields
            // The answer was for the relay, and goes no further.
            if listener.mapping != nil {
                var head = head
                head.dropAuthorization(bytes)
                return try begin(head, bytes)
            }
            try begin(head, bytes)
        case .refuse(let refusal): turnAway(refusal, head)
        case .ask(let question): ask(question, head, bytes)
        }
    }

    // MARK: The directory

    private func ask(_ question: ClientQuestion, _ head: RequestHead, _ bytes: ByteBuffer) {
        guard let directory = loop.core.settings.clientAccounts?.directory else { return refuse(.unanswered) }
        phase = .admitting
        deadline = loop.now + loop.limits.directory
        questionNumber += 1
        let number = questionNumber
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        let logger = loop.core.logger
        let call = Task {
            var reply: ClientReply?
            do { reply = try await question.ask(directory) } catch is CancellationError {} catch {
                logger.error("the accounts of clients cannot be read", metadata: ["reason": "\(error)"])
            }
            let found = reply
            eventLoop.execute { bound.value.replied(found, to: number) }
        }
        admission = Admission(head: head, bytes: bytes, question: question, call: call)
    }

    /// Takes the reply to the question with this number, unless the time for it is over.
    func replied(_ reply: ClientReply?, to number: Int) {
        guard number == questionNumber, case .admitting = phase, let admission = admission.take(), var logOn else {
            return
        }
        admission.call.cancel()
        deadline = .distantFuture
        phase = .idle
        let step = logOn.replied(reply, to: admission.question)
        self.logOn = logOn
        do throws(HeadDefect) {
            try take(step, admission.head, admission.bytes)
        } catch {
            return refuse(.defect(error))
        }
        process()
        exchange?.upstream?.flush()
        flush()
        resumeReads()
    }

    // MARK: Refusals

    /// Asks the client for authentication. Its body is dropped, so that the handshake goes on with this connection.
    private func turnAway(_ refusal: ClientRefusal, _ head: RequestHead) {
        switch refusal.reason {
        case .unanswered, .stale: break
        default:
            loop.counters.refusedClients += 1
            let address = context?.channel.remoteAddress?.ipAddress ?? ""
            loop.core.logger.notice(
                "a client was not let in",
                metadata: ["reason": "\(refusal.reason)", "address": "\(address)"]
            )
        }
        let closes = head.closes || head.hasBody && head.expectsContinue || loop.isEnding
        let text = RelayRefusal.client(refusal).response(
            isHead: head.method == .head,
            fields: refusal.fields,
            closes: closes
        )
        if head.hasBody, !closes {
            dropped = DroppedBody(body: BodyReader(head.framing), response: text)
            phase = .dropping
            deadline = loop.now + loop.limits.stalled
            return
        }
        write(ByteBuffer(string: text))
        if closes {
            received = ByteBuffer()
            return closeLingering()
        }
        flush()
    }

    /// Drops what has come of a refused request's body, then sends the response.
    func dropBody() {
        guard var dropped else { return close() }
        do throws(HeadDefect) {
            var all = takeReceived()
            let count = try dropped.body.take(all.readableBytesUInt8Span)
            all.moveReaderIndex(forwardBy: count)
            received = all
            dropped.bytes += count
            self.dropped = dropped
            guard dropped.bytes <= loop.limits.drainedBytes else { return refuse(.bodyTooLong) }
            guard dropped.body.isAtEnd else {
                if inputIsClosed { close() }
                return
            }
            self.dropped = nil
            deadline = .distantFuture
            phase = .idle
            write(ByteBuffer(string: dropped.response))
            flush()
        } catch { refuse(.defect(error)) }
    }
}

/// The body of a request that is refused, and the response that follows it.
struct DroppedBody {
    var body: BodyReader
    let response: String
    var bytes = 0
}
