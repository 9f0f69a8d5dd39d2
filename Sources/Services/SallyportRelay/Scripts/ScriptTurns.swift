internal import Synchronization

/// Lets a few calls run at a time; the others wait in their order.
final class ScriptTurns: Sendable {
    private struct State {
        var running = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var asked = 0
    }

    private let state = Mutex(State())

    /// Waits for a turn, at most for `limit`. ``leave()`` ends it.
    func take(within limit: Duration) async throws(ProxyScriptError) {
        guard state.withLock({ $0.waiting.count < ProxyScriptLimits.waiting }) else { throw .tooManyWaiting }
        let number = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        let end = Task { [self] in
            try await Task.sleep(for: limit)
            giveUp(number)
        }
        defer { end.cancel() }
        let hasTurn = await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.running >= ProxyScriptLimits.calls else {
                    state.running += 1
                    return true
                }
                state.waiting.append((number, continuation))
                return false
            }
            if mayGo { continuation.resume(returning: true) }
        }
        guard hasTurn else { throw .timedOut(limit) }
    }

    private func giveUp(_ number: Int) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        waiting?.resume(returning: false)
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume(returning: true)
    }
}
