internal import HTTP1
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport

extension AuthenticationClientHandler {
    /// Takes a part that the user writes.
    func wrote(_ part: HTTPClientRequestPart, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        if case .head(let head) = part {
            let request: PipelinedRequest
            if let spare = spare.take() {
                spare.reuse(head, data, promise)
                request = spare
            } else {
                request = PipelinedRequest(head, data, promise)
            }
            guard current != nil else {
                current = request
                phase = .gathering
                return
            }
            queue.append(request)
            if queue.count > options.mostQueuedRequests { failForWaiting() }
            return
        }
        guard let request = queue.last ?? current, !request.body.isEnded else {
            promise?.fail(AuthenticationError.partWithoutHead)
            return fail(.partWithoutHead)
        }
        if request.isAbandoned {
            promise?.fail(AuthenticationError.answeredBeforeBody)
            request.body.append(part, data, nil)
            return finishIfReady()
        }
        let isFirst = waitingBytes == 0
        request.body.append(part, data, promise)
        if request === current { wroteForCurrent(request) }
        // One part is always taken, so that a body in one part needs no larger bound.
        if waitingBytes > options.mostRepeatableBytes, !isFirst { failForWaiting() }
    }

    private func wroteForCurrent(_ request: PipelinedRequest) {
        let isLong = request.body.bytes > options.mostRepeatableBytes || request.body.hasFile
        switch phase {
        case .gathering:
            if isLong { begin(request) }
        case .awaiting, .draining, .delivering:
            // The server may send no interim response at all, so a long body does not wait for it.
            if isLong, gate == .held, request.body.unsentBytes > options.mostRepeatableBytes { releaseBody() }
            if isLong { request.body.stopKeeping() }
            pump()
            proceedIfReady()
            finishIfReady()
        case .waiting, .asking, .holding:
            return
        }
    }

    /// Begins the requests that are flushed.
    func flushed() {
        for request in queue { request.isFlushed = true }
        guard let current, !current.isFlushed else { return }
        current.isFlushed = true
        if case .gathering = phase { begin(current) }
    }

    /// Whether a request may leave: the user has flushed it, or its body is longer than what is kept.
    func isReady(_ request: PipelinedRequest) -> Bool {
        request.isFlushed || request.body.bytes > options.mostRepeatableBytes
    }

    /// Starts the authentication of a request.
    ///
    /// - Parameter isPrepared: whether its token has been fetched.
    func begin(_ request: PipelinedRequest, isPrepared: Bool = false) {
        if gate == .unread { return handOver(request, .begin) }
        let handler = handlers.handler
        do throws(AuthenticationError) {
            request.target = try targets.read(&request.head)
            if case .forwarded = route { request.writtenHead = nil }
            if let boundKey, boundKey != key(of: request, handler) { return handOver(request, .begin) }
            if let authenticator, authenticator.hasTokenSources, !isPrepared {
                return prepare(request, authenticator, outgoing(request, request.bodyKind(options)))
            }
        } catch { return fail(error) }
        let body = request.bodyKind(options)
        request.begin(by: handler, isOnce: body.isOnce)
        let mayGoWithoutFlow = route == .direct && !body.isOnce
        // The comparison above has made `keptKey` the key of this request, and has found it equal to that of the connection.
        if mayGoWithoutFlow, boundKey != nil, keptKey.isOfAllPaths, handler.sendsNothing(to: template) {
            return send(.plain, request)
        }
        let answersInAdvance = mayGoWithoutFlow && options.answersInAdvance
        if answersInAdvance, let answer = handler.answerRepeated(to: template, target: request.target) {
            return send(answer, request)
        }
        let outgoing = outgoing(request, body)
        if answersInAdvance, let answer = handler.answerInAdvance(to: outgoing) { return send(answer, request) }
        request.answering = .flow(flow(of: request, outgoing, handler))
        follow(request, isUsable: true) { $0.begin() }
    }

    /// Sends a request with an answer that its server has just accepted, or with a token.
    private func send(_ answer: AdvanceAnswer, _ request: PipelinedRequest) {
        request.answering = .inAdvance(answer)
        send(answer.sending, request)
    }

    /// The flow of a request that is on its way without one.
    func lateFlow(of request: PipelinedRequest, _ handler: ChallengeHandler) -> RunningFlow {
        flow(of: request, outgoing(request, request.bodyKind(options)), handler)
    }

    private func flow(
        of request: PipelinedRequest,
        _ outgoing: OutgoingRequest,
        _ handler: ChallengeHandler
    ) -> RunningFlow {
        let facts = FlowFacts(
            answersInAdvance: options.answersInAdvance,
            senderExpects: request.expectsContinue,
            mayBeRepeated: RequestHead.Method(request.head.method).mayBeRepeated,
            bodyBytes: request.mostBytes,
            mostDroppedBytes: Int64(options.mostDrainedBytes)
        )
        return request.running(RequestFlow(handler, outgoing, by: route, facts))
    }

    /// The request as the handler of challenges sees it.
    func outgoing(_ request: PipelinedRequest, _ body: OutgoingRequest.Body) -> OutgoingRequest {
        OutgoingRequest(like: template, method: request.head.method.rawValue, target: request.target, body: body)
    }

    /// The key of the accounts that answer a request.
    func key(of request: PipelinedRequest, _ handler: ChallengeHandler) -> PoolKey {
        keptKey.key(by: handler, for: targets.origin, path: outgoing(request, .none).path, through: passedProxy)
    }

    private var passedProxy: Origin? { if case .forwarded(let passed) = route { passed } else { nil } }

    /// The bytes that wait to be sent: of later requests, and of this one while it may not be sent.
    private var waitingBytes: Int {
        queue.reduce(current?.body.unsentBytes ?? 0) { $0 + $1.body.bytes }
    }

    private func failForWaiting() {
        fail(.tooMuchWaits(requests: queue.count + 1, bytes: waitingBytes))
    }
}
