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
        let handler = handlers.handler
        do throws(AuthenticationError) {
            request.target = try targets.read(&request.head)
            if case .forwarded = route { request.writtenHead = nil }
            let body = request.bodyKind(options)
            let outgoing = OutgoingRequest(
                like: template,
                method: request.head.method.rawValue,
                target: request.target,
                body: body
            )
            if let boundKey, boundKey != key(of: outgoing.path, handler) { return handOver(request, .begin) }
            if let authenticator, authenticator.hasTokenSources, !isPrepared {
                return prepare(request, authenticator, outgoing)
            }
            request.handler = handler
            request.path = outgoing.path
            request.isOnce = body.isOnce
            let facts = FlowFacts(
                answersInAdvance: options.answersInAdvance,
                senderExpects: request.expectsContinue,
                mayBeRepeated: RequestHead.Method(request.head.method).mayBeRepeated,
                bodyBytes: request.mostBytes,
                mostDroppedBytes: Int64(options.mostDrainedBytes)
            )
            request.begin(RequestFlow(handler, outgoing, by: route, facts))
        } catch { return fail(error) }
        follow(request, isUsable: true) { $0.begin() }
    }

    /// The key of the accounts that answer a request.
    func key(of path: String, _ handler: ChallengeHandler) -> PoolKey {
        guard case .forwarded(let proxy) = route else { return handler.poolKey(for: targets.origin, path: path) }
        return handler.poolKey(for: targets.origin, path: path, through: proxy)
    }

    /// The bytes that wait to be sent: of later requests, and of this one while it may not be sent.
    private var waitingBytes: Int {
        queue.reduce(current?.body.unsentBytes ?? 0) { $0 + $1.body.bytes }
    }

    private func failForWaiting() {
        fail(.tooMuchWaits(requests: queue.count + 1, bytes: waitingBytes))
    }
}
