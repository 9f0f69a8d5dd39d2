internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// One request of a client, from its head to the end of its response.
final class Exchange {
    /// Where the bytes of the request's body are.
    enum Gate {
        /// They wait: for a connection, for `100 Continue`, or for the last message of a handshake.
        case held
        /// They pass.
        case open
    }

    let head: RequestHead
    /// When the head was read.
    let begin = NIODeadline.now()
    let destination: Destination
    /// Changes addresses in the response; `nil` for a proxy's request.
    let rewriting: ReverseRewriting?
    /// The request, with the fields of the last send; each send replaces those after ``prefixLength``.
    private var prefix: ByteBuffer
    /// The bytes of the request up to the fields that each send adds.
    private let prefixLength: Int
    /// Path and query in `prefix`, without the origin before them.
    let path: Range<Int>
    var body: BodyReader
    var gate = Gate.held
    /// Whether any byte of the body has passed: they are not kept, so they cannot be sent again.
    var hasSentBody = false

    /// Where the request goes.
    var pool: UpstreamPool
    /// What its connection is opened and authenticated for.
    var key: ConnectionKey
    /// The parents that could not be reached.
    var unreached: Set<Int> = []
    var upstream: UpstreamConnection?
    /// Whether another request has used the connection before.
    var isReused = false
    var drive: Drive?
    var handler: ChallengeHandler
    /// Whether the server's challenges are answered, too.
    private(set) var answersServer = false
    /// What was sent last; `nil` without a driver.
    var sending: RequestSending?
    /// The send for the next connection.
    var next: RequestSending?
    /// Whether a driver has to decide before the first send.
    var beginsWithDrive = false
    var hasSeenChallenge = false
    var hasBegunAnew = false
    /// Whether the client authenticates its connection to the server itself.
    let isClientsLogOn: Bool
    /// Whether a password was brought for the parent whose tunnel leads to the server.
    var askedForTunnel = false
    var hasRetried = false
    var repetitions = 0
    var responseHasBegun = false
    /// Whether the client's connection ends with the response.
    var closesClient = false
    var passedContinue = false
    /// What to do at the end of a refused response.
    var afterDrain: AfterDrain?

    var ticketWait: TicketWait?
    var asking: Task<Void, Never>?
    var continueTimer: Scheduled<Void>?

    enum AfterDrain {
        case send(RequestSending)
        case wait(AttemptTicket)
        case ask(Refusal, HTTPFields, ChallengedParty)
    }

    init(
        _ head: RequestHead,
        _ destination: Destination,
        _ prefix: ByteBuffer,
        path: Range<Int>,
        to pool: UpstreamPool,
        by handler: ChallengeHandler,
        rewriting: ReverseRewriting? = nil
    ) {
        self.rewriting = rewriting
        isClientsLogOn = head.fields.authorizesConnection && head.method != .connect
        self.path = path
        self.pool = pool
        self.handler = handler
        key = pool.key(of: handler)
        self.head = head
        self.destination = destination
        self.prefix = prefix
        prefixLength = prefix.readableBytes
        body = BodyReader(head.framing)
    }

    /// Lets the server's challenges be answered if the client has no answer of its own, and the profile has an account for it or
    /// somebody may be asked.
    func answerServer(isAsked: Bool = false) {
        let request = outgoing()
        let kind = ProtectionSpace.Kind.http(schemes: [], party: .origin)
        let space = ProtectionSpace(origin: request.origin, path: request.path, kind: kind)
        answersServer =
            head.method != .connect && !head.fields.hasAuthorization
            && (isAsked || handler.account(for: space) != nil)
        key = poolKey()
    }

    /// What a connection for the request is opened and authenticated for. Without answers to the server, the origin does not matter to
    /// the parent's account.
    private func poolKey() -> ConnectionKey {
        guard answersServer else { return pool.key(of: handler) }
        let request = outgoing()
        let key = handler.poolKey(for: request.origin, path: request.path, through: pool.proxy)
        return ConnectionKey(pool: key, answersServer: true)
    }

    /// The head of a send, to which `write` adds fields.
    func sent(_ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        // In place: the first send, which mostly is the only one, copies nothing.
        prefix.moveWriterIndex(to: prefix.readerIndex + prefixLength)
        write(&prefix)
        return prefix
    }

    /// The request as the handler of challenges sees it. Its target is needed by Digest.
    func outgoing() -> OutgoingRequest {
        let start = prefix.readerIndex
        let method = prefix.getString(at: start, length: head.methodRange.count) ?? ""
        let path = prefix.getString(at: start + path.lowerBound, length: path.count) ?? ""
        return OutgoingRequest(
            origin: destination.origin,
            method: method,
            // RFC 9112 section 3.2.4: without a path, OPTIONS is about the server itself.
            target: path.isEmpty ? "*" : path,
            body: head.hasBody ? .once : .none
        )
    }

    var route: RequestRoute {
        if pool.isDirect { return .direct }
        return head.method == .connect ? .connect(to: pool.origin) : .forwarded(by: pool.origin)
    }

    /// Forgets what was said to the last parent; the request begins anew, with the accounts of `handler`.
    func beginAnew(at pool: UpstreamPool, by handler: ChallengeHandler) {
        self.pool = pool
        self.handler = handler
        key = poolKey()
        (drive, sending, next, afterDrain) = (nil, nil, nil, nil)
        hasSeenChallenge = false
    }

    /// Stops all that could still call the exchange.
    func cancel() {
        ticketWait?.cancel()
        asking?.cancel()
        continueTimer?.cancel()
        (ticketWait, asking, continueTimer) = (nil, nil, nil)
    }
}
