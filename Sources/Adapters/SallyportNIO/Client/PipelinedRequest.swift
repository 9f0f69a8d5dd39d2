internal import NIOCore
internal import NIOHTTP1
internal import Sallyport

/// One request of the user: its head, its body, its authentication, and a response that is held back.
///
/// `@unchecked Sendable` is safe, because one event loop owns a request at a time; ``ContinuedRequest`` passes it on once.
final class PipelinedRequest: @unchecked Sendable {
    /// The head as it is sent without answers.
    var head: HTTPRequestHead
    private var headPromise: EventLoopPromise<Void>?
    var body = RequestBody()
    /// Whether the user flushed after the head.
    var isFlushed = false
    /// Whether the rest of the body is not sent, because the server has answered.
    var isAbandoned = false
    /// The target as the driver knows it, and the handler that decides: set when the request begins.
    var target = ""
    var handler: ChallengeHandler?
    var authentication: RunningAuthentication?
    /// Whether it began again, because the server accepted a message of a handshake that had no body.
    var hasBegunAgain = false
    /// The accounts that may answer, as they were before the first answer.
    var key: PoolKey?
    /// A response that waits for a decision.
    var heldResponse: [HTTPClientResponsePart] = []

    init(_ head: HTTPRequestHead, _ promise: EventLoopPromise<Void>?) {
        self.head = head
        headPromise = promise
    }

    deinit { fail(AuthenticationError.connectionClosed) }

    /// The promise of the head, the first time.
    func takeHeadPromise() -> EventLoopPromise<Void>? { headPromise.take() }

    /// Fails the promises of all that is not sent.
    func fail(_ error: any Error) {
        let promises = [headPromise.take()].compactMap { $0 } + body.takePromises()
        for promise in promises { promise.fail(error) }
    }

    /// Whether the user waits for `100 Continue`.
    var expectsContinue: Bool {
        head.headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether the head says that a body follows, or one has come.
    var hasBody: Bool { body.hasContent || length != 0 || head.headers.contains(name: "Transfer-Encoding") }

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
