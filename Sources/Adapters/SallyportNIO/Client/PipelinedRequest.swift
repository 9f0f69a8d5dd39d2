internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport

/// One request of the user: its head, its body, its authentication, and a response that is held back.
///
/// `@unchecked Sendable` is safe, because one event loop owns a request at a time; ``ContinuedRequest`` passes it on once.
final class PipelinedRequest: @unchecked Sendable {
    /// The head as it is sent without answers.
    var head: HTTPRequestHead
    /// The head as it was written, because wrapping it anew would cost an allocation; `nil` if ``head`` has changed.
    var writtenHead: NIOAny?
    private var headPromise: EventLoopPromise<Void>?
    var body = WrittenBody()
    /// Whether the user flushed after the head.
    var isFlushed = false
    /// Whether the rest of the body is not sent, because the server has answered.
    var isAbandoned = false
    /// The target as the driver knows it, and the handler that decides: set when the request begins.
    var target = ""
    var handler: ChallengeHandler?
    var answering = Answering.nothing
    /// The flow of the last request: the next one uses its memory.
    private var spareFlow: RunningFlow?
    /// Whether the body is sent once, as far as it was known at the first send.
    var isOnce = false
    /// How often it began anew with a credential that was found.
    var repetitions = 0
    /// The accounts that may answer, as they were before the first answer.
    var key: PoolKey?
    /// A response that waits for a decision.
    var heldResponse = HeldResponse()

    init(_ head: HTTPRequestHead, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        self.head = head
        writtenHead = data
        headPromise = promise
    }

    /// Becomes another request, because requests follow each other on a connection, and a new object has a cost.
    ///
    /// - Precondition: the request has ended, and nothing else refers to it.
    func reuse(_ head: HTTPRequestHead, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        self.head = head
        writtenHead = data
        headPromise = promise
    }

    /// Forgets the request after its end.
    func end() {
        head = Self.noHead
        writtenHead = nil
        headPromise = nil
        body.reset()
        (isFlushed, isAbandoned, isOnce) = (false, false, false)
        forgetFlow()
        (target, handler, repetitions) = ("", nil, 0)
        key = nil
        heldResponse = HeldResponse()
    }

    private static let noHead = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")

    deinit { fail(AuthenticationError.connectionClosed) }

    /// Begins the request. It may begin anew, after a question or on another connection.
    func begin(by handler: ChallengeHandler, isOnce: Bool) {
        forgetFlow()
        self.handler = handler
        self.isOnce = isOnce
    }

    private func forgetFlow() {
        if let flow = answering.flow { spareFlow = flow }
        answering = .nothing
    }

    /// An object for `flow`, in the memory of the last request's flow.
    func running(_ flow: consuming sending RequestFlow) -> RunningFlow {
        guard let spare = spareFlow.take() else { return RunningFlow(flow) }
        spare.replace(flow)
        return spare
    }

    /// The promise of the head, the first time.
    func takeHeadPromise() -> EventLoopPromise<Void>? { headPromise.take() }

    /// Fails the promises of all that is not sent.
    func fail(_ error: any Error) {
        headPromise.take()?.fail(error)
        for promise in body.takePromises() { promise.fail(error) }
    }

    /// Whether the user waits for `100 Continue`.
    var expectsContinue: Bool {
        head.headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether the head says that a body follows, or one has come.
    var hasBody: Bool { body.hasContent || length != 0 || head.headers.contains(name: "Transfer-Encoding") }

    /// Whether any of a body that is sent once has left.
    var isBodySpent: Bool { isOnce && body.hasSentBytes }

    /// The length of the body, or a large number where it is not known.
    var mostBytes: Int64 {
        // What was sent and is not kept does not count among the bytes.
        guard body.isWhole else { return .max }
        return body.isEnded ? Int64(body.bytes) : length.map { Int64($0) } ?? .max
    }

    /// The length that the head states; `nil` for an unknown one.
    private var length: Int? {
        if let text = head.headers.first(name: "Content-Length") { return Int(text) }
        if head.headers.contains(name: "Transfer-Encoding") { return nil }
        // NIO sends these in chunks if they state no length.
        switch head.method {
        case .POST, .PUT, .PATCH: return nil
        default: return 0
        }
    }

    /// What the body allows, as far as it is known at the first send.
    func bodyKind(_ options: AuthenticationClientOptions) -> OutgoingRequest.Body {
        if body.isEnded, !body.hasContent { return .none }
        guard body.bytes <= options.mostRepeatableBytes, !body.hasFile else { return .once }
        if body.isEnded {
            return .repeatable(body.bytes <= options.mostSignedBytes ? .bytes(body.content) : .notAvailable)
        }
        guard let length, length <= options.mostRepeatableBytes else { return .once }
        return length == 0 ? .none : .repeatable(.notAvailable)
    }
}
