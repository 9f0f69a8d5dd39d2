/// Lets one question at a time be visible. Those who wait do so as tasks, and hold no thread.
actor PromptTurns {
    static let shared = PromptTurns()

    private var isTaken = false
    private var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    private var lastNumber: UInt64 = 0

    /// Calls `body` when no other caller's is running.
    nonisolated func inTurn<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await take()
        TerminalQuestions.changed(isOpen: true)
        do {
            let value = try await body()
            TerminalQuestions.changed(isOpen: false)
            await release()
            return value
        } catch {
            TerminalQuestions.changed(isOpen: false)
            await release()
            throw error
        }
    }

    private func take() async throws {
        try Task.checkCancellation()
        guard isTaken else {
            isTaken = true
            return
        }
        lastNumber += 1
        let number = lastNumber
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // The task may have been cancelled before it waits; its handler has found nothing then.
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting.append((number, continuation))
                }
            }
        } onCancel: {
            Task { await cancel(number) }
        }
    }

    private func cancel(_ number: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }

    private func release() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        // The turn passes on without becoming free.
        waiting.removeFirst().continuation.resume()
    }
}
