internal import HTTP1
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// One request of a client, from its head to the end of its response.
///
/// It does what its flow says: it leases connections, sends, and gives the client the response.
final class RelayedRequest {
    /// Who answers the challenges of the server.
    private enum ServerLogOn {
        /// The client, if anybody.
        case client
        /// The client has begun to authenticate its connection to the server.
        case clientOfConnection
        case relay
    }

    /// Whether a party has asked for authentication.
    enum Challenged {
        case never
        /// - Parameter offers: the parent's in its first challenge.
        case once(offers: HTTPFields)
        /// A connection that was authenticated has challenged it, too: no other one is tried as it is.
        case whenBound(offers: HTTPFields)

        var offers: HTTPFields? {
            switch self {
            case .never: nil
            case .once(let offers), .whenBound(let offers): offers
            }
        }

        var isWhenBound: Bool { if case .whenBound = self { true } else { false } }
    }

    let client: AcceptedConnection
    private let request: ReadRequest
    /// When the head was read.
    let begin = NIODeadline.now()
    var text: RequestText
    var body: RelayedBody
    /// Opens the body's gate if the party does not answer the expectation.
    var continueTimer: Scheduled<Void>?
    var stage = RelayedRequestStage.underWay

    /// The ways to the server, the best one first.
    let ways: [NextHop]
    /// Where the request goes.
    var pool: UpstreamPool
    /// What its connection is opened and authenticated for.
    var key: ConnectionKey
    /// The ways that led to no connection.
    var unreached: Set<NextHop> = []
    var upstream: UpstreamConnection?
    /// Whether another request has used the connection before.
    var isReused = false
    var answering = Answering.nothing
    var challenged = Challenged.never
    var handler: ChallengeHandler
    private var serverLogOn: ServerLogOn
    /// The token of the profile that goes along with the request; `nil` without one.
    private var placed: PlacedToken?
    /// What was sent last; `nil` for a request that went out as it is.
    private(set) var sending: RequestSending?
    /// The send for the next connection.
    var next: RequestSending?
    /// The parent whose tunnel leads to the server, if a password was brought for it.
    var askedParent: Origin?
    var repetitions = 0

    init(
        _ request: consuming ReadRequest,
        _ text: RequestText,
        by ways: [NextHop],
        to pool: UpstreamPool,
        with handler: ChallengeHandler,
        for client: AcceptedConnection
    ) {
        self.client = client
        serverLogOn =
            request.head.fields.authorizesConnection && request.head.method != .connect ? .clientOfConnection : .client
        (self.text, body) = (text, RelayedBody(request.head))
        // Without the bytes, whose memory the next read uses again.
        request.bytes = client.loop.noBytes
        self.request = consume request
        self.ways = ways
        self.pool = pool
        self.handler = handler
        key = pool.key(of: handler)
    }

    // Where the request lies, because a copy of a head counts a dozen references.
    var head: RequestHead { _read { yield request.head } }
    var destination: Destination { _read { yield request.destination } }
    /// Changes addresses in the response; `nil` for a proxy's request.
    var rewriting: ReverseRewriting? { request.rewriting }

    var loop: LoopContext { client.loop }

    var accounts: AnsweringAccounts { client.accounts }

    /// Whether the client still waits for the response.
    var isCurrent: Bool { client.exchange === self }

    /// Lets a token of the profile go along, if there is one for the server, also where the client answers the server itself.
    func placeToken() {
        placed = handler.placesTokens ? handler.placedToken(for: outgoing(), by: route) : nil
    }

    var placesToken: Bool { placed != nil }

    /// Lets the server's challenges be answered if the client has no answer of its own, and the profile has an account for it or
    /// somebody may be asked.
    func answerServer(isAsked: Bool = false) {
        let request = outgoing()
        let kind = ProtectionSpace.Kind.http(schemes: [], party: .origin)
        let space = ProtectionSpace(origin: request.origin, path: request.path, kind: kind)
        if head.method != .connect, !head.fields.hasAuthorization {
            serverLogOn = isAsked || placesToken || handler.account(for: space) != nil ? .relay : .client
        }
        key = poolKey()
    }

    /// Leaves the server's challenges to the client.
    func answerNothing() { serverLogOn = .client }

    /// Whether the server's challenges are answered, too.
    var answersServer: Bool { serverLogOn == .relay }

    /// Whether the client authenticates its connection to the server itself.
    var isClientsLogOn: Bool { serverLogOn == .clientOfConnection }

    /// Whether a party has asked for authentication.
    var hasSeenChallenge: Bool { if case .never = challenged { false } else { true } }

    /// What a connection for the request is opened and authenticated for. Without answers to the server, the origin does not matter to
    /// the parent's account.
    private func poolKey() -> ConnectionKey {
        guard answersServer else { return pool.key(of: handler) }
        let request = outgoing()
        let key = handler.poolKey(for: request.origin, path: request.path, through: pool.proxy)
        return ConnectionKey(pool: key, answersServer: true)
    }

    /// How many bytes of the body are kept, to be sent again: as long as a party may still ask for authentication. It need not know `Expect`, or
    /// be fast enough to refuse before ``RelayLimits/continuing`` ends, and some ask anew for each request of a connection.
    var mostKept: Int { answersServer || !pool.isDirect ? loop.limits.keptBody : 0 }

    /// Whether the whole body will be kept, so that a party may ask after it.
    var keepsBody: Bool {
        guard case .length(let length) = head.framing else { return !head.hasBody }
        return length <= loop.limits.keptBody
    }

    /// Whether the connection has not got the whole body yet.
    var owesBody: Bool {
        head.hasBody && !(body.isOpen && body.isAtEnd)
    }

    /// Whether the last send was a message of a handshake without the body.
    var leftBodyOut: Bool { sending?.body == .empty }

    /// Whether the last send has announced a body that the connection has not got whole.
    var isCutShort: Bool { !leftBodyOut && owesBody }

    /// Makes the next send the last one, and returns it.
    func takeNext() -> RequestSending? {
        sending = next.take()
        return sending
    }

    /// The request as the handler of challenges sees it. Its target is needed by Digest.
    func outgoing() -> OutgoingRequest {
        let (origin, body) = (destination.origin, head.hasBody ? OutgoingRequest.Body.once : .none)
        let (method, target) = (text.method(of: head), text.target)
        return answersServer
            ? OutgoingRequest(origin: origin, method: method, target: target, body: body)
            : .toBeRelayed(origin: origin, method: method, target: target, body: body)
    }

    /// The answer in advance that the request takes along without a flow; `nil` if a flow decides.
    func answerInAdvance() -> AdvanceAnswer? {
        guard pool.answersInAdvance, !pool.isDirect, !answersServer, !placesToken, !head.hasBody else { return nil }
        let (method, target) = text.forProxy(head)
        return handler.answerInAdvance(to: pool.anyRequest, method: method, target: target)
    }

    /// The flow of the request; `nil` for one that is carried without one.
    var flow: RunningFlow? { answering.flow }

    /// What the flow may know before the first send.
    var facts: FlowFacts {
        FlowFacts(
            answersInAdvance: true,
            answersOrigin: answersServer,
            placesToken: placesToken,
            repeatsAnswers: false,
            knowsBoundConnections: true,
            senderExpects: head.expectsContinue,
            mayBeRepeated: head.mayBeRepeated || head.method == .connect,
            bodyBytes: bodyBytes,
            mostDroppedBytes: Int64(loop.limits.drainedBytes)
        )
    }

    /// The length of the body, or a large number where it is not known.
    var bodyBytes: Int64 {
        switch head.framing {
        case .length(let length): Int64(clamping: length)
        case .none: 0
        default: .max
        }
    }

    /// Whether the party may never read the body that was sent, so that another request on the connection would hang. A client that authenticates its
    /// connection itself keeps the connection, as without a relay.
    func leavesBodyUnread(_ status: Int) -> Bool {
        FlowFacts.leavesBodyUnread(status, bodyBytes: leftBodyOut ? 0 : bodyBytes)
    }

    /// What the flow may know of a response.
    ///
    /// - Parameter isBound: whether the connection was authenticated when the request went out. A handshake cannot begin on it at all servers.
    func response(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on upstream: UpstreamConnection,
        isBound: Bool
    ) -> FlowResponse {
        var length: Int64?
        if case .length(let count) = head.framing { length = Int64(clamping: count) }
        return FlowResponse(
            status: head.status,
            fields: head.decisiveFields(of: bytes),
            on: upstream.traits,
            // A body that was announced and not sent would be taken from the next request.
            keepsConnection: head.isKeptAlive && !isBound && !isCutShort && !leavesBodyUnread(head.status),
            length: length,
            bodyIsSpent: body.isGone
        )
    }

    /// What the flow may know of a connection that is lost before the head of the final response.
    func loss(of upstream: UpstreamConnection) -> FlowLoss {
        let progress: FlowLoss.Progress
        if let status = upstream.unreadStatus, status >= 200 {
            progress = .headUnread(status: status)
        } else if !upstream.isUnanswered {
            progress = .answered
        } else if head.hasBody, !leftBodyOut, !body.isOpen {
            progress = .bodyHeld
        } else {
            progress = .unanswered
        }
        // A message of the client's own handshake belongs to its connection.
        return FlowLoss(isReused: isReused && !isClientsLogOn, progress, bodyIsSpent: body.isGone)
    }

    var route: RequestRoute {
        if pool.isDirect { return .direct }
        return head.method == .connect ? .connect(to: pool.origin) : .forwarded(by: pool.origin)
    }

    /// Begins anew on another way.
    func reroute(to pool: UpstreamPool) {
        if pool.isDirect != self.pool.isDirect { text.setForm(isOrigin: pool.isDirect) }
        beginAnew(at: pool, by: handler)
    }

    /// Forgets what was said to the last parent; the request begins anew, with the accounts of `handler`.
    func beginAnew(at pool: UpstreamPool, by handler: ChallengeHandler) {
        self.pool = pool
        self.handler = handler
        key = poolKey()
        (answering, sending, next) = (.nothing, nil, nil)
        challenged = .never
        stage = .underWay
    }

    func stopContinueTimer() {
        guard let timer = continueTimer else { return }
        continueTimer = nil
        timer.cancel()
    }

    /// Stops all that could still call the exchange.
    func cancel() {
        // The answer has not left, so another request may try the password at once.
        if next != nil { answering = .nothing }
        stopContinueTimer()
        if stage.cancel() { stage = .underWay }
    }
}
