internal import NIOConcurrencyHelpers

/// Tells one caller when a response has ended: at once if it has ended already, otherwise on the event loop.
///
/// The event loop calls directly, without another thread in between. A connection is therefore free before the reader of its last
/// response can send another request.
final class ResponseEnd: Sendable {
    private enum State {
        case open((@Sendable (Bool) -> Void)?)
        case ended(isReusable: Bool)
    }

    private let state = NIOLockedValueBox(State.open(nil))

    /// The response has ended; whether its connection can be used again.
    func ended(isReusable: Bool) {
        let called = state.withLockedValue { state -> (@Sendable (Bool) -> Void)? in
            guard case .open(let body) = state else { return nil }
            state = .ended(isReusable: isReusable)
            return body
        }
        called?(isReusable)
    }

    /// Calls `body` when the response has ended, or at once if it has.
    func whenEnded(_ body: @escaping @Sendable (Bool) -> Void) {
        let ended = state.withLockedValue { state -> Bool? in
            if case .ended(let isReusable) = state { return isReusable }
            state = .open(body)
            return nil
        }
        if let ended { body(ended) }
    }

    /// Returns when the response has ended.
    func value() async -> Bool {
        await withCheckedContinuation { continuation in whenEnded { continuation.resume(returning: $0) } }
    }
}
