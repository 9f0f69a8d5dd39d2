internal import RequestFlow
internal import Sallyport
internal import Synchronization

/// A tunnel that lost its connection to the proxy, with its authentication.
///
/// Give it to the ``ProxyTunnelHandler`` of a new connection to the same proxy. A handler takes it once.
public final class ContinuedTunnel: Sendable {
    /// What comes next.
    enum Next {
        case send(RequestSending)
        case wait(AttemptTurn)
    }

    private let content: Mutex<(running: RunningFlow, next: Next)?>

    init(_ running: RunningFlow, _ next: Next) {
        content = Mutex((running, next))
    }

    /// The tunnel, the first time.
    func take() -> (running: RunningFlow, next: Next)? {
        content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}
