internal import NIOCore
internal import Sallyport
internal import Synchronization

/// A request that lost its connection, with its authentication, and what was written of it.
///
/// Give it to the ``AuthenticationClientHandler`` of a new connection by the same route. That handler sends what was written;
/// write the rest of the request, if there is any, to the new channel. A handler takes the request once; if none takes it, the
/// promises of its unsent parts fail.
public final class ContinuedRequest: Sendable {
    /// What comes next.
    enum Next {
        case begin
        case send(RequestSending)
        case wait(AttemptTicket)
    }

    private let content: Mutex<(request: PipelinedRequest, next: Next)?>

    init(_ request: PipelinedRequest, _ next: Next) {
        content = Mutex((request, next))
    }

    /// The request, the first time.
    func take() -> (request: PipelinedRequest, next: Next)? {
        content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}
