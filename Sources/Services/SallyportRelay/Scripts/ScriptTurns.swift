internal import Synchronization

/// Lets a few calls run at a time; the others wait in their order.
final class ScriptTurns: Sendable {
    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for a turn. ``leave()`` ends it.
    func take() async throws(ProxyScriptError) {
        // Bounded, because each call before it ends in time.
        guard state.withLock({ $0.waiting.count < ProxyScriptLimits.waiting }) else { throw .tooManyWaiting }
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.running >= ProxyScriptLimits.calls else {
                    state.running += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
