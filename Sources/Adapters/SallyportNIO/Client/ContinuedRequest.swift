internal import NIOCore
internal import Sallyport
internal import Synchronization

/// A request that lost its connection, with its authentication, what was written of it, and the requests that were written behind it.
///
/// Give it to the ``AuthenticationClientHandler`` of a new connection by the same route. That handler sends what was written;
/// write the rest of the last request, if there is any, to the new channel. A handler takes the requests once; if none takes them, the
/// promises of their unsent parts fail.
public final class ContinuedRequest: Sendable {
    /// What comes next.
    enum Next {
        case begin
        case send(RequestSending)
        case wait(AttemptTurn)
        case ask(CredentialWait, RequestOutcome)
    }

    private let content: Mutex<(request: PipelinedRequest, next: Next, queue: CircularBuffer<PipelinedRequest>)?>

    init(_ request: PipelinedRequest, _ next: Next, _ queue: CircularBuffer<PipelinedRequest>) {
        content = Mutex((request, next, queue))
    }

    /// The request and those behind it, the first time.
    func take() -> (request: PipelinedRequest, next: Next, queue: CircularBuffer<PipelinedRequest>)? {
        content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}
