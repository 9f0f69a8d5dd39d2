internal import ClientAuthentication
internal import HTTP1
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Logging
internal import NIOCore
internal import SallyportNIO

extension ClientConnection {
    /// Authenticates the client of a request, which begins or is refused at once, or when the directory has replied.
    func admit(_ head: RequestHead, _ bytes: ByteBuffer, by authenticator: ClientAuthenticator) {
        let isMapped = listener.mapping != nil
        var fields = HTTPFields()
        let answers = isMapped ? head.fields.authorizations(in: bytes) : head.fields.proxyAuthorizations
        for range in answers {
            let value = bytes.getBytes(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? []
            fields.append(HTTPField(name: authenticator.options.party.answerField, value: value))
        }
        let logOn =
            logOn
            ?? ClientLogOn(
                authenticator.connection(
                    from: guessAddress,
                    isEncrypted: listener.address.isSecure,
                    channelBindings: listener.address.isSecure ? loop.core.channelBindings.policy : nil
                )
            )
        self.logOn = logOn
        let step = logOn.connection.received(
            method: ReverseFields.text(head.methodRange, bytes),
            target: ReverseFields.text(head.target, bytes),
            fields: fields
        )
        take(step, logOn, head, bytes)
    }

    private func take(
        _ step: ClientStep,
        _ logOn: ClientLogOn,
        _ head: RequestHead,
        _ bytes: ByteBuffer
    ) {
        switch step {
        case .accept(let acceptance):
            logOn.client = acceptance.client
            logOn.proof = acceptance.fields
            // The answer was for the relay, and goes no further.
            if listener.mapping != nil {
                var head = head
                head.dropAuthorization(bytes)
                return begin(head, bytes)
            }
            begin(head, bytes)
        case .refuse(let refusal): turnAway(refusal, head)
        case .ask(let question): ask(question, logOn, head, bytes)
        }
    }

    // MARK: The directory

    private func ask(_ question: ClientQuestion, _ logOn: ClientLogOn, _ head: RequestHead, _ bytes: ByteBuffer) {
        guard let directory = loop.core.settings.clientAccounts?.directory else {
            preconditionFailure("only client accounts have such questions")
        }
        phase = .admitting
        deadline = loop.now + loop.limits.directory
        logOn.questionNumber += 1
        let number = logOn.questionNumber
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
        logOn.admission = Admission(head, bytes, question, call)
    }

    /// Takes the reply to the question with this number, unless the time for it is over.
    func replied(_ reply: ClientReply?, to number: Int) {
        guard case .admitting = phase, let logOn, number == logOn.questionNumber,
            let admission = logOn.admission.take()
        else { return }
        admission.call.cancel()
        deadline = .distantFuture
        phase = .idle
        let step = logOn.connection.replied(reply, to: admission.question)
        take(step, logOn, admission.head, admission.bytes)
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
        let dropped = DroppedBody(head, refusal)
        if head.hasBody, !closes {
            self.dropped = dropped
            phase = .dropping
            deadline = loop.now + loop.limits.dropping
            return
        }
        write(ByteBuffer(string: dropped.response(closes: closes)))
        if closes {
            received = ByteBuffer()
            return closeLingering()
        }
        flush()
    }

    /// Drops what has come of a refused request's body, then sends the response.
    func dropBody() {
        guard let dropped else { return close() }
        do throws(HeadDefect) {
            var all = takeReceived()
            let count = try dropped.body.take(all.readableBytesUInt8Span)
            all.moveReaderIndex(forwardBy: count)
            received = all
            dropped.bytes += count
            guard dropped.bytes <= loop.limits.drainedBytes else { return refuse(.bodyTooLong) }
            guard dropped.body.isAtEnd else {
                if inputIsClosed { close() }
                return
            }
            self.dropped = nil
            deadline = .distantFuture
            phase = .idle
            write(ByteBuffer(string: dropped.response(closes: false)))
            flush()
        } catch { refuse(.defect(error)) }
    }

    /// Answers a client that does not come to the end of a refused body.
    func giveUpBody() {
        guard let dropped = dropped.take() else { return close() }
        write(ByteBuffer(string: dropped.response(closes: true)))
        received = loop.noBytes
        closeLingering()
    }
}

/// The body of a request that is refused, and the response that follows it.
final class DroppedBody {
    var body: BodyReader
    var bytes = 0
    private let refusal: ClientRefusal
    private let isHead: Bool

    init(_ head: RequestHead, _ refusal: ClientRefusal) {
        body = BodyReader(head.framing)
        self.refusal = refusal
        isHead = head.method == .head
    }

    func response(closes: Bool) -> String {
        RelayRefusal.client(refusal).response(isHead: isHead, fields: refusal.fields, closes: closes)
    }
}
