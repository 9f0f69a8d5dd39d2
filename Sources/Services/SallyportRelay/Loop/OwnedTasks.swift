internal import Synchronization

/// Tasks that end with their owner.
final class OwnedTasks: Sendable {
    private struct State {
        var next = 0
        var running: [Int: Task<Void, Never>] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Runs `body`, unless the owner has ended.
    func run(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            add(to: &state, body)
        }
    }

    private func add(to state: inout State, _ body: @escaping @Sendable () async -> Void) {
        let number = state.next
        state.next += 1
        // The task waits for the lock, so its entry is there before it is removed.
        state.running[number] = Task { [self] in
            await body()
            self.state.withLock { $0.running[number] = nil }
        }
    }

    /// Lets a task run on until the owner ends. It is cancelled at once if the owner has ended, or has `most` tasks.
    ///
    /// - Returns: whether it runs on.
    func keep(_ task: Task<Void, Never>, most: Int) -> Bool {
        let isKept = state.withLock { state in
            guard !state.isOver, state.running.count < most else { return false }
            add(to: &state) {
                await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    task.cancel()
                }
            }
            return true
        }
        if !isKept { task.cancel() }
        return isKept
    }

    /// Cancels all tasks, and waits for their end.
    func end() async {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.running.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
