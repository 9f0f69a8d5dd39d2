internal import ClientAuthentication
internal import HTTP1
internal import HTTPAuthentication
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import Secrets
internal import WireFormat

/// The log-on of a client at the relay. An object of its own, because most relays ask their clients for none.
final class ClientLogOn {
    /// The connection whose client logs on; it holds this object.
    private unowned let client: AcceptedConnection
    private let authenticator: ClientAuthenticator
    private var connection: ClientAuthentication.ClientConnection
    /// Who the client is, from the first request with which it is let in.
    private(set) var name: AuthenticatedClientName?
    /// The fields that show the client that the relay knows its password.
    private(set) var proof: HTTPFields?
    /// The present request, while the directory is asked about its client.
    private var admission: Admission?
    private var questionNumber = 0

    init(_ client: AcceptedConnection, by authenticator: ClientAuthenticator) {
        self.client = client
        self.authenticator = authenticator
        let isSecure = client.listener.address.isSecure
        connection = authenticator.connection(
            from: client.guessAddress,
            // Passwords of SOCKS are checked at the start: they may go in clear text where the relay listens for it.
            isEncrypted: isSecure || !client.listener.speaksHTTP,
            channelBindings: isSecure ? client.loop.core.channelBindings.policy : nil
        )
    }

    private var loop: LoopContext { client.loop }

    /// Whether the listener stands for a server, so that an answer for the relay has the field of one for a server.
    private var isMapped: Bool { client.listener.mapping != nil }

    /// Authenticates the client of a request, which begins or is refused at once, or when the directory has replied.
    func admit(_ head: RequestHead, _ bytes: ByteBuffer) {
        var fields = HTTPFields()
        let answers = isMapped ? head.fields.authorizations(in: bytes) : head.fields.proxyAuthorizations
        for range in answers {
            let value = bytes.getBytes(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? []
            fields.append(HTTPField(name: authenticator.options.party.answerField, value: value))
        }
        let step = connection.received(
            method: ReverseFields.text(head.methodRange, bytes),
            target: ReverseFields.text(head.target, bytes),
            fields: fields
        )
        perform(step, (head, bytes))
    }

    /// Authenticates a client of SOCKS (RFC 1929), which says the same as Basic.
    func admit(user: [UInt8], password: [UInt8]) {
        let colon = UInt8(ascii: ":")
        var pair = user + [colon] + password
        defer { erase(&pair) }
        // Basic ends the user at the first colon, so a name with a colon would become another user. It counts as an unreadable answer.
        let token = user.contains(colon) ? "" : " \(Base64.encode(pair.span))"
        var fields = HTTPFields()
        fields[authenticator.options.party.answerField] = "Basic\(token)"
        perform(connection.received(method: "CONNECT", target: "", fields: fields), nil)
    }

    /// - Parameter request: `nil` for a client of SOCKS, whose request comes later.
    private func perform(_ step: ClientStep, _ request: (head: RequestHead, bytes: ByteBuffer)?) {
        switch step {
        case .accept(let acceptance):
            name = acceptance.client
            proof = acceptance.fields
            guard let (given, bytes) = request else { return client.socksClientIsIn() }
            // The answer was for the relay, and goes no further.
            var head = given
            if isMapped { head.dropAuthorization(bytes) }
            client.begin(head, bytes)
        case .refuse(let refusal): turnAway(refusal, request?.head)
        case .ask(let question): ask(question, request)
        }
    }

    // MARK: The directory

    private func ask(_ question: ClientQuestion, _ request: (head: RequestHead, bytes: ByteBuffer)?) {
        guard let directory = loop.core.settings.clientAccounts?.directory else {
            preconditionFailure("only client accounts have such questions")
        }
        client.phase = .admitting
        client.deadline = loop.now + loop.limits.directory
        questionNumber += 1
        let number = questionNumber
        let bound = NIOLoopBound(client, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        let logger = loop.core.logger
        let call = Task {
            var reply: ClientReply?
            do { reply = try await question.ask(directory) } catch is CancellationError {} catch {
                logger.error("the accounts of clients cannot be read", metadata: ["reason": "\(error)"])
            }
            let found = reply
            eventLoop.execute { bound.value.logOn?.replied(found, to: number) }
        }
        admission = Admission(request, question, call)
    }

    /// The directory takes too long.
    func giveUpQuestion() { replied(nil, to: questionNumber) }

    /// Takes the reply to the question with this number, unless the time for it is over.
    private func replied(_ reply: ClientReply?, to number: Int) {
        guard case .admitting = client.phase, number == questionNumber, let admission = admission.take() else { return }
        admission.call.cancel()
        client.deadline = .distantFuture
        client.phase = admission.request == nil ? .greeting : .idle
        // The request may end this object: it opens a tunnel, or is refused.
        let client = client
        perform(connection.replied(reply, to: admission.question), admission.request)
        client.process()
        client.exchange?.upstream?.flush()
        client.flush()
        client.resumeReads()
    }

    /// The client is gone.
    func cancel() { admission?.call.cancel() }

    // MARK: Refusals

    /// Asks the client for authentication. Its body is dropped, so that the handshake goes on with this connection.
    private func turnAway(_ refusal: ClientRefusal, _ head: RequestHead?) {
        switch refusal.reason {
        case .unanswered, .stale: break
        default:
            loop.counters.refusedClients += 1
            let address = client.context?.channel.remoteAddress?.ipAddress ?? ""
            loop.core.logger.notice(
                "a client was not let in",
                metadata: ["reason": "\(refusal.reason)", "address": "\(address)"]
            )
        }
        guard let head else { return client.turnAwaySOCKS() }
        let closes = head.closes || head.hasBody && head.expectsContinue || loop.isEnding
        client.turnAway(DroppedBody(head, refusal), hasBody: head.hasBody, closes: closes)
    }
}

/// A request whose client is being authenticated.
private final class Admission {
    /// `nil` for a client of SOCKS.
    let request: (head: RequestHead, bytes: ByteBuffer)?
    let question: ClientQuestion
    let call: Task<Void, Never>

    init(
        _ request: (head: RequestHead, bytes: ByteBuffer)?,
        _ question: ClientQuestion,
        _ call: Task<Void, Never>
    ) {
        (self.request, self.question, self.call) = (request, question, call)
    }
}
