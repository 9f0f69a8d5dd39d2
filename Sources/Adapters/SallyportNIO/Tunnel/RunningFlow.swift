internal import RequestFlow

/// The flow of one request, which may go on with another connection.
///
/// `@unchecked Sendable` is safe, because one event loop owns it at a time; a continued request passes it on once.
final class RunningFlow: @unchecked Sendable {
    var flow: RequestFlow

    init(_ flow: consuming RequestFlow) { self.flow = flow }
}
