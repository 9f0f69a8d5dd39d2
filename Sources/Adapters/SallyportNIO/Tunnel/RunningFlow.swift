internal import RequestFlow
internal import Synchronization

/// The flow of one request, which may go on with another connection.
final class RunningFlow: Sendable {
    let flow: Mutex<RequestFlow>

    init(_ flow: consuming sending RequestFlow) { self.flow = Mutex(flow) }
}
